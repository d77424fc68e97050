"""A small pet shop over HTTP, as petstore.yaml describes it; what changes is forgotten at its end.

python petstore.py [PORT]    the port is 8765 without it; 0 takes a free one and tells it
"""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PETS: dict[int, dict[str, Any]] = {
    1: {"name": "Minka", "kind": "cat", "status": "available", "price": 80},
    2: {"name": "Rex", "kind": "dog", "status": "available", "price": 250},
    3: {"name": "Flake", "kind": "rabbit", "status": "sold", "price": 25},
    4: {"name": "Coco", "kind": "parrot", "status": "available", "price": 420},
    5: {"name": "Tiger", "kind": "cat", "status": "pending", "price": 60},
}
KINDS = ("cat", "dog", "rabbit", "parrot")
LARGEST_BODY = 100_000
LOCK = threading.Lock()


class Refused(Exception):
    """A request that cannot be done; the status, and why."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


def list_pets(query: dict[str, list[str]], _body: dict[str, Any]) -> tuple[int, Any]:
    wanted = query.get("status", [""])[0]
    found = [
        shown(number)
        for number, pet in sorted(PETS.items(), key=lambda item: item[1].get("price", 0))
        if (not wanted or pet["status"] in wanted.split(","))
        and query.get("kind", [pet["kind"]])[0] == pet["kind"]
    ]
    limit = query.get("limit", ["20"])[0]
    return 200, found[: int(limit) if limit.isdigit() else 20]


def add_pet(_query: dict[str, list[str]], body: dict[str, Any]) -> tuple[int, Any]:
    if not body.get("name") or body.get("kind") not in KINDS:
        raise Refused(400, f"a pet has a name, and a kind: {', '.join(KINDS)}")
    number = max(PETS, default=0) + 1
    PETS[number] = {"status": "available", **body}
    return 201, shown(number)


def get_pet(_query: dict[str, list[str]], _body: dict[str, Any], number: str) -> tuple[int, Any]:
    return 200, shown(int(number))


def remove_pet(_query: dict[str, list[str]], _body: dict[str, Any], number: str) -> tuple[int, Any]:
    shown(int(number))
    del PETS[int(number)]
    return 204, None


def place_order(_query: dict[str, list[str]], body: dict[str, Any]) -> tuple[int, Any]:
    pet = shown(int(body.get("petId", 0)))
    if pet["status"] != "available":
        raise Refused(409, f"{pet['name']} is {pet['status']}")
    PETS[pet["id"]]["status"] = "sold"
    return 201, {"id": 1000 + pet["id"], **body}


def shown(number: int) -> dict[str, Any]:
    if number not in PETS:
        raise Refused(404, f"there is no pet {number}")
    return {"id": number, **PETS[number]}


ROUTES = (
    ("GET", r"/v1/pets", list_pets),
    ("POST", r"/v1/pets", add_pet),
    ("GET", r"/v1/pets/(\d+)", get_pet),
    ("DELETE", r"/v1/pets/(\d+)", remove_pet),
    ("POST", r"/v1/orders", place_order),
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        try:
            with LOCK:
                status, value = self.result()
        except Refused as error:
            status, value = error.status, {"error": str(error)}
        content = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def result(self) -> tuple[int, Any]:
        parts = urlsplit(self.path)
        body = self.body()
        for method, pattern, function in ROUTES:
            found = re.fullmatch(pattern, parts.path)
            if found and method == self.command:
                return function(parse_qs(parts.query), body, *found.groups())
        raise Refused(404, f"there is no {self.command} {parts.path}")

    def body(self) -> dict[str, Any]:
        length = int(self.headers.get("Content-Length", 0))
        if length > LARGEST_BODY:
            self.close_connection = True
            raise Refused(413, "that is too long")
        try:
            value = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            raise Refused(400, "the body is not JSON") from None
        if not isinstance(value, dict):
            raise Refused(400, "the body is no JSON object")
        return value

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - as the server calls it

    def log_message(self, *_arguments: object) -> None:
        pass


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8765
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)  # noqa: T201 - it is a program
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
