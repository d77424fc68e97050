"""The server as a program: prints its address, answers until it is interrupted."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from fake_server.scenarios import SCENARIOS
from fake_server.server import FakeServer


def main() -> int:
    """Serve one scenario; at the end, say what was counted."""
    options = _options()
    server = FakeServer(port=options.port, latency=options.latency)
    server.script(SCENARIOS[options.scenario])
    try:
        server.start()
    except OSError as error:
        sys.stderr.write(f"port {options.port} cannot be used: {error.strerror}\n")
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.stop()
    _report(server)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fake_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), default="one_answer")
    return parser.parse_args()


def _report(server: FakeServer) -> None:
    counted = server.counted
    lines = [
        f"{counted.requests} requests, at most {server.max_in_flight} at the same time",
        *(f"{model}: {usage}" for model, usage in sorted(counted.by_model.items())),
        *(f"unexpected: {reason}" for reason in server.unexpected),
    ]
    sys.stderr.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
