"""The built-in `http` tool, against a real server: which hosts it reaches, and what comes back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import HttpTool
from agency_cli.tools.builtin.http import LARGEST_BODY, Request, http_tools, require_allowed, sent

ANSWERS = {
    "echo": (200, b"hello", "text/plain; charset=utf-8"),
    "latin": (200, "Grün".encode("latin-1"), "text/plain; charset=latin-1"),
    "bytes": (200, b"\x89PNG\0\0", "image/png"),
    "large": (200, b"x" * 3_000_000, "text/plain"),
    "fails": (503, b"try later", "text/plain"),
    "nowhere": (404, b"", ""),
}
REDIRECTS = {"round": (302, "/round"), "keep": (307, "/echo")}


class Handler(BaseHTTPRequestHandler):
    """Answers by path, and keeps what it was asked."""

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, dict(self.headers)))
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        first, *rest = self.path.split("/")[1:]
        if first in ANSWERS:
            status, content, kind = ANSWERS[first]
            self._send(status, body if first == "echo" and body else content, kind)
        elif first == "slow":
            threading.Event().wait(3)
        elif first == "to":
            self._redirect(302, "/" + "/".join(rest))
        elif first == "away":
            self._redirect(302, f"http://localhost:{rest[0]}/echo")
        else:
            self._redirect(*REDIRECTS[first])

    do_POST = do_GET  # noqa: N815 - see above

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        if kind:
            self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _redirect(self, status: int, where: str) -> None:
        self.send_response(status)
        self.send_header("location", where)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def ask(server: ThreadingHTTPServer, path: str, **given: object) -> str:
    port = server.server_address[1]
    request = Request(
        given.get("method", "GET"),
        f"http://127.0.0.1:{port}{path}",
        given.get("headers", {}),
        given.get("body", b""),
        "text/plain",
    )
    hosts = given.get("hosts", [f"127.0.0.1:{port}"])
    return asyncio.run(sent(request, hosts, given.get("seconds", 20)))


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/echo", "[200 OK; text/plain; charset=utf-8]\nhello"),
        ("/latin", "[200 OK; text/plain; charset=latin-1]\nGrün"),
        ("/bytes", "[200 OK; image/png; 6 bytes that are not text]"),
        ("/fails", "[503 Service Unavailable; text/plain]\ntry later"),
        ("/nowhere", "[404 Not Found]"),
        ("/to/to/echo", "[200 OK; text/plain; charset=utf-8]\nhello"),
    ],
)
def test_status_and_text_come_back(server, path, told):
    assert ask(server, path) == told


def test_a_large_body_is_cut(server):
    text = ask(server, "/large")
    assert text.endswith("[cut here, after 200,000 bytes]")
    assert len(text) < LARGEST_BODY + 200


def test_what_is_sent_arrives_with_the_headers_of_the_manifest(server):
    told = ask(server, "/echo", method="POST", body="Grün".encode(), headers={"x-key": "sk-1"})
    assert told.endswith("Grün")
    method, _, headers = server.asked[-1]
    assert (method, headers["x-key"], headers["content-type"]) == ("POST", "sk-1", "text/plain")


def test_a_redirect_keeps_the_body_only_where_it_says_so(server):
    assert ask(server, "/keep", method="POST", body=b"kept").endswith("kept")
    ask(server, "/to/echo", method="POST", body=b"dropped")
    assert [asked[0] for asked in server.asked[-2:]] == ["POST", "GET"]


def test_redirects_have_an_end(server):
    with pytest.raises(ToolRefused, match="more than 5 redirects"):
        ask(server, "/round")


def test_a_redirect_leads_to_no_host_that_is_not_allowed_and_takes_no_key_along(server):
    port = server.server_address[1]
    with pytest.raises(ToolRefused, match=f"the host localhost:{port} is not allowed"):
        ask(server, f"/away/{port}", headers={"x-key": "sk-1"})
    both = [f"127.0.0.1:{port}", f"localhost:{port}"]
    ask(server, f"/away/{port}", headers={"x-key": "sk-1"}, hosts=both)
    assert ["x-key" in headers for *_, headers in server.asked[-2:]] == [True, False]


def test_a_server_that_is_silent_or_gone_is_a_reason(server):
    with pytest.raises(ToolRefused, match="cannot be reached"):
        ask(server, "/slow", seconds=0.2)
    request = Request("GET", "http://127.0.0.1:9/x", {}, b"", "")
    with pytest.raises(ToolRefused, match="cannot be reached"):
        asyncio.run(sent(request, ["127.0.0.1:9"], 5))


@pytest.mark.parametrize(
    ("url", "hosts", "allowed"),
    [
        ("https://example.org/a", ["example.org"], True),
        ("https://EXAMPLE.org./a", ["Example.org"], True),
        ("http://example.org:80/", ["example.org"], True),
        ("https://api.example.org/", ["*.example.org"], True),
        ("http://localhost:8000/", ["localhost:8000"], True),
        ("https://example.org/", ["*.example.org"], False),
        ("https://evil-example.org/", ["*.example.org"], False),
        ("https://example.org.evil.net/", ["example.org"], False),
        ("https://example.org:8443/", ["example.org"], False),
        ("https://example.org@evil.net/", ["example.org"], False),
        ("https://me:secret@example.org/", ["example.org"], False),
        ("https://evil.net/#example.org", ["example.org"], False),
        ("https://evil.net\\@example.org/", ["example.org"], False),
        ("file:///etc/passwd", ["example.org"], False),
        ("ftp://example.org/", ["example.org"], False),
        ("example.org", ["example.org"], False),
        ("http://[::1", ["example.org"], False),
        ("http://example.org:x/", ["example.org"], False),
        ("", ["example.org"], False),
    ],
)
def test_only_the_named_hosts_can_be_reached(url, hosts, allowed):
    if allowed:
        require_allowed(url, hosts)
    else:
        with pytest.raises(ToolRefused):
            require_allowed(url, hosts)


def test_the_model_reads_what_is_allowed():
    spec = HttpTool(builtin="http", hosts=["example.org"], methods=["GET"], headers={"k": "sk-1"})
    (tool,) = http_tools(spec)
    assert (tool.name,) == spec.known_names
    assert "Hosts: example.org. Methods: GET." in tool.description
    assert "sk-1" not in tool.description
