"""An MCP server of an operations room: the state of three services, from a small file.

It speaks MCP over its standard streams: `python ops_server.py`.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from mcp.server import MCPServer

HERE = Path(__file__).parent
RESTARTS = HERE / "output" / "restarts.jsonl"
Service = Literal["checkout", "search", "mail"]
Metric = Literal["errors_per_minute", "p95_milliseconds", "memory_percent"]

server = MCPServer("ops", log_level="WARNING")


def services() -> dict:
    return json.loads((HERE / "services.json").read_text(encoding="utf-8"))


@server.tool()
def service_status() -> str:
    """Tell of every service whether it is healthy, since when, and which version runs."""
    lines = [
        f"{name}: {service['status']} since {service['since']}, version {service['version']}"
        for name, service in services().items()
    ]
    return "\n".join(lines)


@server.tool()
def metrics(service: Service, metric: Metric) -> str:
    """Return the last measurements of one metric of a service, one for every five minutes."""
    values = services()[service]["metrics"][metric]
    return f"{service} {metric}, oldest first: {', '.join(map(str, values))}"


@server.tool()
def events(service: Service) -> str:
    """Return what happened to a service lately: deployments, alerts and restarts."""
    known = services()[service]["events"]
    lines = RESTARTS.read_text(encoding="utf-8").splitlines() if RESTARTS.exists() else []
    restarts = [json.loads(line) for line in lines]
    known += [
        f"{each['at']} restarted: {each['reason']}"
        for each in restarts
        if each["service"] == service
    ]
    return "\n".join(known)


@server.tool()
def restart_service(service: Service, reason: str) -> str:
    """Restart a service; its open requests are lost.

    Args:
        service: The service.
        reason: The evidence that it is at fault; it is kept in the service's events.
    """
    RESTARTS.parent.mkdir(exist_ok=True)
    at = datetime.now(UTC).strftime("%H:%M")
    with RESTARTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"at": at, "service": service, "reason": reason}) + "\n")
    return f"{service} was restarted at {at}; look at its metrics again in five minutes"


if __name__ == "__main__":
    server.run()
