"""An HTTP server on the loopback interface that has JSON asked and answered, a page at a time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

__all__ = ["Answer", "JsonServer", "Paged"]

Answer = tuple[int, Any, str]
"""Status, body, and where the next pages are."""
_A_PAGE = 30
"""GitHub's own number of entries a page."""


class Paged(list[Any]):
    """Entries that are served by the page."""

    def page(self, url: str, query: Mapping[str, str]) -> tuple[list[Any], str]:
        """One page, and the header that tells of the next and the last."""
        size = max(int(query.get("per_page", _A_PAGE)), 1)
        number = max(int(query.get("page", 1)), 1)
        last = max(-(-len(self) // size), 1)
        rest = "".join(f"&{k}={v}" for k, v in query.items() if k != "page")
        links = {"next": number + 1, "last": last} if number < last else {}
        link = ", ".join(f'<{url}?page={n}{rest}>; rel="{name}"' for name, n in links.items())
        return list(self[(number - 1) * size : number * size]), link


class JsonServer:
    """Listens on a free port while it is used as a context manager.

    Args:
        answer: from method, target and body to what is answered; called from threads.
    """

    def __init__(self, answer: Callable[[str, str, Mapping[str, Any]], Answer]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> JsonServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(
    answer: Callable[[str, str, Mapping[str, Any]], Answer],
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two small packets: the second is not to wait for the first's receipt.
        disable_nagle_algorithm = True

        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            said: dict[str, Any] = json.loads(body) if body else {}
            status, told, link = answer(self.command, self.path, said)
            text = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            if link:
                self.send_header("Link", link)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _do  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is printed."""

    return Handler
