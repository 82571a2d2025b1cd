"""A local HTTP server that speaks the providers' protocols, for an application's own tests.

A double stands in for a paid remote model only, and speaks over the wire: the application keeps
its real client library, its own retries and its own stream handling.
"""

from __future__ import annotations

import http.server
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, cast

import msgspec

from knitbone.errors import KnitboneError
from knitbone.testing.anthropic_wire import ANTHROPIC
from knitbone.testing.embedding import simulated_embedding
from knitbone.testing.openai_wire import OPENAI, embeddings
from knitbone.testing.replies import Replies, Reply, Script
from knitbone.testing.responses_wire import RESPONSES
from knitbone.testing.wire import StreamPart, Wire

__all__ = ["ModelServer", "ReceivedRequest"]

MAX_BODY = 64 * 1024 * 1024
"""Bytes accepted of one request."""
_POLL_S = 0.02
"""How often a waiting connection looks whether the server closes or the client left."""
_JOIN_S = 5.0
"""Longest wait, at close, for a script function that is still running."""

_WIRES = {
    "/v1/chat/completions": OPENAI,
    "/v1/responses": RESPONSES,
    "/v1/messages": ANTHROPIC,
}
_EMBEDDINGS = "/v1/embeddings"
_SERVED = ", ".join([*_WIRES, _EMBEDDINGS])


class ReceivedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it arrived."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    """Under lower-cased names."""
    received_s: float
    """``time.monotonic`` at arrival, in seconds."""

    def __repr__(self) -> str:
        # Headers hold the client's key, which must not end in the log of a failing test.
        return f"ReceivedRequest(path={self.path!r}, body={self.body!r})"


class ModelServer:
    """Answers model requests on the loopback interface with scripted replies.

    Serves ``POST /v1/chat/completions``, ``POST /v1/responses`` and ``POST /v1/embeddings``
    (OpenAI) and ``POST /v1/messages`` (Anthropic), streamed where the request asks for it. Use it
    as a context manager; it listens on a free port and is gone, threads and connections included,
    when the block ends, even while a reply stalls.

    Args:
        replies: one text or ``Reply`` for every request; an iterable of them, consumed in order
            (a request too many gets an error); or a function of the request's JSON body.
            Embedding requests consume none.
        embed: from a list of texts to one vector each; by default ``simulated_embedding``.
        api_key: the only key accepted; by default any, or none.
    """

    def __init__(
        self,
        replies: Replies = (),
        *,
        embed: Callable[[list[str]], Sequence[Sequence[float]]] | None = None,
        api_key: str | None = None,
    ) -> None:
        self._script = Script(replies)
        self._embed = embed
        self._api_key = api_key
        self._lock = threading.Lock()
        self._requests: list[ReceivedRequest] = []
        self._listener: _Listener | None = None

    def __enter__(self) -> ModelServer:
        if self._listener is not None:
            raise KnitboneError("The model server is already running.")
        self._listener = _Listener(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()

    @property
    def requests(self) -> tuple[ReceivedRequest, ...]:
        """Every request that arrived so far, refused ones too, in order."""
        with self._lock:
            return tuple(self._requests)

    @property
    def url(self) -> str:
        """``http://127.0.0.1:<port>``: the base URL for Anthropic's client.

        Raises:
            KnitboneError: the server is not running.
        """
        if self._listener is None:
            raise KnitboneError(
                "The model server is not running.",
                next_step="Use it as a context manager: with ModelServer(...) as server:",
            )
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:<port>/v1``: the base URL for OpenAI's client."""
        return f"{self.url}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that point the providers' own clients here."""
        key = self._api_key or "unused"
        return {
            "OPENAI_BASE_URL": self.base_url,
            "OPENAI_API_KEY": key,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": key,
        }

    def receive(self, request: ReceivedRequest) -> int:
        """Note a request; returns its number, from 1."""
        with self._lock:
            self._requests.append(request)
            return len(self._requests)

    def choose(self, request: ReceivedRequest) -> Reply:
        """The reply to a request, the check of the key and of the path included."""
        if self._api_key is not None and _key(request.headers) != self._api_key:
            return Reply(status=401, error="Incorrect API key provided.")
        if request.path not in _WIRES:
            return Reply(status=404, error=f"Nothing is served here. Served: {_SERVED}.")
        return self._script.next(request.body)

    def vectors(self, request: ReceivedRequest) -> dict[str, Any] | Reply:
        """The answer to an embedding request, or a reply with an error."""
        if self._api_key is not None and _key(request.headers) != self._api_key:
            return Reply(status=401, error="Incorrect API key provided.")
        size = request.body.get("dimensions")
        try:
            if self._embed is not None:
                return embeddings(request.body, self._embed)
            if isinstance(size, int) and size > 0:
                return embeddings(
                    request.body, lambda texts: simulated_embedding(texts, dimensions=size)
                )
            return embeddings(request.body, simulated_embedding)
        except Exception as error:  # noqa: BLE001 - the user's function; its failure is the answer
            return Reply(status=400, error=f"{type(error).__name__}: {error}")


def _key(headers: dict[str, str]) -> str:
    return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")


class _Listener(http.server.HTTPServer):
    """The listening socket, its thread, and one thread a connection, all tracked.

    ``ThreadingHTTPServer`` waits for its connections at close, and a stalled one never ends.
    """

    request_queue_size = 128

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        self.stopping = threading.Event()
        self._connections: dict[threading.Thread, socket.socket] = {}
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(
            target=self.serve_forever,
            kwargs={"poll_interval": _POLL_S},
            name="knitbone-model-server",
            daemon=True,
        )
        self._thread.start()

    def server_bind(self) -> None:
        # HTTPServer asks the name service for the host's name, which can take seconds offline.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(
            target=self._serve,
            args=(request, client_address),
            name="knitbone-model-connection",
            daemon=True,
        )
        with self._guard:
            self._connections[thread] = request
        thread.start()

    def _serve(self, request: socket.socket, client_address: Any) -> None:
        try:
            # A client that leaves in the middle is part of what is tested.
            with suppress(ConnectionError, TimeoutError):
                self.finish_request(request, client_address)
        finally:
            self.shutdown_request(request)
            with self._guard:
                self._connections.pop(threading.current_thread(), None)

    def close(self) -> None:
        """Stop listening, cut every connection, wait for the threads."""
        self.stopping.set()
        self.shutdown()
        self._thread.join()
        self.server_close()
        with self._guard:
            waiting = dict(self._connections)
        for connection in waiting.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        deadline = time.monotonic() + _JOIN_S
        for thread in waiting:
            thread.join(max(0.0, deadline - time.monotonic()))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_version = "knitbone-model-server"

    @property
    def _listener(self) -> _Listener:
        return cast("_Listener", self.server)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing: the requests are kept, not printed."""

    def do_POST(self) -> None:
        """Answer one request."""
        body = self._read_body()
        if body is None:
            return
        request = ReceivedRequest(
            path=self.path.partition("?")[0],
            body=body,
            headers={name.lower(): value for name, value in self.headers.items()},
            received_s=time.monotonic(),
        )
        owner = self._listener.owner
        number = owner.receive(request)
        if request.path == _EMBEDDINGS:
            answer = owner.vectors(request)
            if isinstance(answer, Reply):
                self._fail(OPENAI, answer)
            else:
                self._send_json(200, answer)
            return
        reply = owner.choose(request)
        wire = _WIRES.get(request.path, OPENAI)
        if reply.delay_s and not self._hold(reply.delay_s):
            return
        if reply.raw is not None:
            self._send(reply.status, reply.raw, reply)
        elif reply.status != 200:
            self._fail(wire, reply)
        elif body.get("stream") is True:
            self._stream(wire.stream(reply, body, number), reply)
        else:
            self._send_json(200, wire.answer(reply, body, number), reply)

    def _read_body(self) -> dict[str, Any] | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            self.close_connection = True
            error = f"Content-Length {length[:20]!r} is missing or over {MAX_BODY} bytes."
            self._fail(OPENAI, Reply(status=413, error=error))
            return None
        data = self.rfile.read(int(length))
        try:
            return msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError) as error:
            self._fail(OPENAI, Reply(status=400, error=f"The body is not a JSON object: {error}"))
            return None

    def _fail(self, wire: Wire, reply: Reply) -> None:
        self._send_json(reply.status, wire.error(reply.status, reply.error), reply)

    def _send_json(self, status: int, payload: dict[str, Any], reply: Reply | None = None) -> None:
        self._send(status, msgspec.json.encode(payload), reply or Reply())

    def _send(self, status: int, data: bytes, reply: Reply) -> None:
        self._start(status, "application/json", reply, {"Content-Length": str(len(data))})
        if reply.stall_after is not None:
            self._hold(None)
        if reply.stall_after is not None or reply.close_after is not None:
            self.close_connection = True
            return
        self.wfile.write(data)

    def _stream(self, parts: Iterator[StreamPart], reply: Reply) -> None:
        self._start(200, "text/event-stream", reply, {"Transfer-Encoding": "chunked"})
        spoken = 0
        for part in parts:
            if spoken == reply.stall_after:
                self._hold(None)
            if spoken in (reply.stall_after, reply.close_after):
                self.close_connection = True
                return
            self._write_chunk(part.data)
            spoken += part.spoken
        self._write_chunk(b"")

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode("ascii") + data + b"\r\n")

    def _start(self, status: int, content_type: str, reply: Reply, more: dict[str, str]) -> None:
        self.send_response(status)
        headers = {"Content-Type": content_type, **more}
        if reply.retry_after is not None:
            headers["Retry-After"] = str(reply.retry_after)
        for name, value in {**headers, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _hold(self, seconds: float | None) -> bool:
        """Wait, or for ever; false when the server closes or the client leaves meanwhile."""
        end = None if seconds is None else time.monotonic() + seconds
        while end is None or time.monotonic() < end:
            pause = _POLL_S if end is None else min(_POLL_S, max(0.0, end - time.monotonic()))
            if self._listener.stopping.wait(pause) or self._client_left():
                self.close_connection = True
                return False
        return True

    def _client_left(self) -> bool:
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True
