"""A small service on the loopback address: JSON items, and GraphQL if graphql-core is there."""

from __future__ import annotations

import functools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["start"]

_ITEMS = [{"id": 1, "name": "piano"}, {"id": 2, "name": "organ"}]
_SCHEMA = """
type Item { id: Int!, name: String! }
type Query { allItems: [Item!]!, item(id: Int!): Item }
"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/graphql"):
            status, answer = 200, _graphql(body)
        elif self.path.startswith("/items"):
            status, answer = 200, {"items": _ITEMS, "received": len(body)}
        else:
            status, answer = 404, {"error": "there is nothing here"}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815 - the base class's

    def log_message(self, *_arguments: object) -> None:
        """Say nothing: the tool's output is what is looked at."""


def _graphql(body: bytes) -> dict[str, object]:
    from graphql import build_schema, graphql_sync  # noqa: PLC0415 - comes with gql only

    try:
        request = json.loads(body)
        query, variables = str(request["query"]), request.get("variables")
    except (ValueError, TypeError, KeyError):
        return {"errors": [{"message": "Bad request: no query"}]}
    root = {
        "allItems": _ITEMS,
        "item": lambda _info, id: next((one for one in _ITEMS if one["id"] == id), None),  # noqa: A006
    }
    done = graphql_sync(build_schema(_SCHEMA), query, root, variable_values=variables)
    return dict(done.formatted)


@functools.cache
def start() -> str:
    """Start the service, once in a process, and return its address without a slash at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True, name="service").start()
    return f"http://127.0.0.1:{server.server_port}"
