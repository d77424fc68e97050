"""Small MCP servers, by hand, that do what no good server does: `raw.py HOW`."""

import json
import signal
import sys
import time

SCHEMAS = {
    "no_properties": {"type": "object"},
    "ref": {
        "type": "object",
        "properties": {"who": {"$ref": "#/$defs/Person"}},
        "required": ["who"],
        "$defs": {"Person": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
    "any_of": {
        "type": "object",
        "properties": {"id": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        "required": ["id"],
    },
    "one_of": {
        "type": "object",
        "properties": {"id": {"oneOf": [{"type": "string"}, {"type": "integer"}]}},
    },
    "unsound": {"type": "object", "properties": {"a": {"type": 7}}},
    "unknown_format": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"at": {"type": "string", "format": "uri", "minLength": 3}},
        "required": ["at"],
    },
    "of_zod": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"q": {"type": "string"}, "most": {"type": "number", "default": 5}},
        "required": ["q"],
        "additionalProperties": False,
    },
    "open": {"type": "object", "additionalProperties": True, "properties": {"a": {}}},
    "draft_07": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"n": {"type": "number", "exclusiveMinimum": 0, "default": 3}},
    },
}


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tools(how):
    if how == "no_tools":
        return []
    if how == "no_schema":
        names = {"echo": {}}
    elif how == "odd":
        names = dict(SCHEMAS)
    elif how == "many":
        names = {f"tool_{number:03}": {"type": "object"} for number in range(100)}
    elif how == "names":
        wanted = ["a.b", "a/b", "a_b", "x" * 80, "x" * 79 + "y", "größe", "files.read", "_a"]
        names = {name: {"type": "object"} for name in wanted}
    else:
        names = {"echo": {"type": "object", "properties": {"text": {"type": "string"}}}}
    return [{"name": name, "inputSchema": schema} for name, schema in names.items()]


def serve(how):
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") is not None:
            send(id=message["id"], **answer(how, message["method"], message.get("params")))


def answer(how, method, params):
    if method == "initialize":
        info = {"name": "raw", "version": "1"}
        version = params["protocolVersion"]
        return {
            "result": {
                "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info
            }
        }  # fmt: skip
    if method == "tools/list":
        if how == "hangs_at_list":
            time.sleep(600)
        return {"result": {"tools": tools(how)}}
    if method == "tools/call":
        return called(how, params)
    return {"error": {"code": -32601, "message": "Method not found"}}


def called(how, params):
    if how == "error":
        return {"error": {"code": -32000, "message": "the backend is down"}}
    if how == "dies_for_good":
        sys.exit(1)
    text = json.dumps(params.get("arguments"))
    return {"result": {"content": [{"type": "text", "text": f"echo {text}"}]}}


match sys.argv[1]:
    case "banner":
        print("Welcome to the server!", flush=True)
        serve("echo")
    case "hangs":
        time.sleep(600)
    case "garbage":
        print("Welcome to the server!\n" * 3, flush=True)
        time.sleep(600)
    case "ends":
        print("no licence found", file=sys.stderr, flush=True)
        sys.exit(1)
    case "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        serve("echo")
        time.sleep(600)
    case how:
        serve(how)
