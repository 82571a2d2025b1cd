"""What the tests of capture share: a small agent, a relay that sees raw traffic, a raw server."""

from __future__ import annotations

import contextlib
import http.server
import json
import socket
import threading

import knitbone
from knitbone.record.events import ToolCallRequest
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import Reply

SECRET = "sk-proj-abcDEF0123456789abcDEF0123456789"
ASK = (ToolCallRequest(name="find_table", arguments={"guests": 4}, call_id="call_a"),)


def answer(body):
    """Asks for the tool first, then says what it was told last."""
    last = body["messages"][-1]
    content = last["content"] if isinstance(last["content"], str) else json.dumps(last["content"])
    if last["role"] == "tool" or "tool_result" in content:
        return Reply(text=f"Seated: {content}")
    return Reply(text="I look.", tool_calls=ASK)


@knitbone.tool
def find_table(guests: int) -> dict:
    return {"table": 7, "guests": guests}


def seat(client, words, **more):
    """The agent: asks, runs the tool, asks again."""
    messages = [{"role": "system", "content": "Seat guests."}, {"role": "user", "content": words}]
    said = client.chat.completions.create(model="m", messages=messages, **more).choices[0].message
    call = said.tool_calls[0]
    found = find_table(**json.loads(call.function.arguments))
    messages += [
        said.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)},
    ]
    return client.chat.completions.create(model="m", messages=messages, **more)


def recorded(store, run_id=None):
    """The events of a run in a store file; of its newest run by default."""
    opened = SqliteStore(store)
    try:
        return opened.get(run_id or opened.list()[0].id).events
    finally:
        opened.close()


class Relay:
    """Passes bytes on to a server and keeps what clients sent, by connection."""

    def __init__(self, url):
        host, port = url.removeprefix("http://").split(":")
        self._target = (host, int(port))
        self._sent: list[bytearray] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        self._sockets = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def sent(self):
        return [bytes(part) for part in self._sent]

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                kept = bytearray()
                self._sent.append(kept)
                self._sockets += [client, server]
                for source, sink, keep in ((client, server, kept), (server, client, None)):
                    thread = threading.Thread(
                        target=self._pass, args=(source, sink, keep), daemon=True
                    )
                    self._threads.append(thread)
                    thread.start()

    @staticmethod
    def _pass(source, sink, keep):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if keep is not None:
                    keep += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join(5)


@contextlib.contextmanager
def raw_server(*replies):
    """Answers any request with the next of (content type, body); its base URL."""
    waiting = list(replies)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            kind, body = waiting.pop(0)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
