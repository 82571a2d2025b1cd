"""Embeddings over the wire: order, batches, retries, and what each failure is called."""

from __future__ import annotations

import http.server
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from knitbone.config import EmbedderConfig
from knitbone.errors import (
    ConfigError,
    MissingExtraError,
    MissingKeyError,
    ModelAuthenticationError,
    ModelError,
    ModelRateLimitError,
    ModelRequestError,
    ModelServerError,
    ModelTimeoutError,
)
from knitbone.models import openai_embedder as module
from knitbone.models.openai_embedder import MAX_CHARACTERS, openai_embedder
from knitbone.testing import ModelServer, simulated_embedding


def make(base_url, *, environ=None, **settings):
    config = EmbedderConfig(
        provider="openai", name="Qwen/Qwen3-Embedding-0.6B", base_url=base_url, **settings
    )
    return openai_embedder(config, environ=environ or {})


@contextmanager
def answering(*answers):
    """A server that gives these (status, body) answers in turn, the last one for ever."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body, *headers = answers[min(len(seen), len(answers) - 1)]
            seen.append(self.path)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in [("Content-Type", "application/json"), *headers]:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def vectors(*rows, indexes=None):
    return {
        "object": "list",
        "model": "m",
        "data": [
            {"object": "embedding", "index": index, "embedding": row}
            for index, row in zip(indexes or range(len(rows)), rows, strict=True)
        ],
    }


def refusal(status, message="no", **details):
    return status, {"error": {"message": message, **details}}, ("retry-after-ms", "1")


def test_rows_come_in_order_at_unit_length():
    with ModelServer(embed=lambda texts: [[len(text), 1.0] for text in texts]) as server:
        embedder = make(server.base_url)
        assert embedder.dimension is None
        rows = embedder.embed(["abc", "a"])
    assert rows.dtype == np.float32
    assert embedder.dimension == 2
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])
    assert rows[:, 0] / rows[:, 1] == pytest.approx([3, 1])
    assert server.requests[0].body["model"] == "Qwen/Qwen3-Embedding-0.6B"
    assert server.requests[0].body["encoding_format"] == "float"


def test_rows_follow_the_index_not_the_order_of_the_answer():
    with answering((200, vectors([0, 1], [1, 0], indexes=[1, 0]))) as (url, _):
        assert make(url).embed(["first", "second"]).tolist() == [[1, 0], [0, 1]]


def test_blank_texts_are_not_sent_and_have_the_zero_row():
    with ModelServer() as server:
        embedder = make(server.base_url)
        assert embedder.embed([]).shape == (0, 0)
        rows = embedder.embed(["", "word", " \0\ud800 "])
        assert embedder.embed([]).shape == (0, 256)
        assert embedder.embed([" "]).shape == (1, 256)
    assert [request.body["input"] for request in server.requests] == [["word"]]
    assert [bool(row.any()) for row in rows] == [False, True, False]


def test_long_lists_go_in_batches_and_long_texts_are_cut():
    texts = [f"text {n}" for n in range(150)] + ["x" * 100_000] * 10 + ["lone \ud800 surrogate"]
    with ModelServer() as server:
        rows = make(server.base_url).embed(texts)
    sent = [request.body["input"] for request in server.requests]
    assert max(map(len, sent)) <= 64
    assert max(sum(map(len, batch)) for batch in sent) <= 200_000
    flat = [text for batch in sent for text in batch]
    assert flat == [text[:MAX_CHARACTERS].replace("\ud800", "") for text in texts]
    assert rows == pytest.approx(np.asarray(simulated_embedding(flat)), abs=1e-6)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_retried(status):
    with answering(refusal(status), refusal(status), (200, vectors([3, 4]))) as (url, seen):
        rows = make(url).embed(["text"])
    assert rows[0] == pytest.approx([0.6, 0.8])
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("answer", "error", "requests"),
    [
        (refusal(401), ModelAuthenticationError, 1),
        (refusal(403), ModelAuthenticationError, 1),
        (refusal(400, "input is too long"), ModelRequestError, 1),
        (refusal(404), ModelRequestError, 1),
        (refusal(429), ModelRateLimitError, 3),
        (refusal(500), ModelServerError, 3),
        ((200, b"<html>Bad gateway</html>"), ModelServerError, 1),
        ((200, {"object": "list"}), ModelServerError, 1),
        ((200, vectors()), ModelServerError, 1),
        ((200, vectors([1.0], [2.0])), ModelServerError, 1),
        ((200, vectors([])), ModelServerError, 1),
        ((200, vectors([1.0], indexes=[7])), ModelServerError, 1),
        ((200, vectors(["a"])), ModelServerError, 1),
        ((200, b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}'), ModelServerError, 1),
        ((200, {"data": [None]}), ModelServerError, 1),
    ],
)
def test_each_failure_has_its_error_with_model_and_next_step(answer, error, requests, monkeypatch):
    monkeypatch.setattr(module, "_RETRIES", 2)
    with answering(answer) as (url, seen):
        with pytest.raises(error, match=r"Qwen/Qwen3-Embedding-0\.6B") as caught:
            make(url).embed(["text"])
        assert len(seen) == requests
    assert caught.value.next_step


def test_a_second_dimension_under_one_name_is_an_error():
    with answering((200, vectors([1, 0])), (200, vectors([1, 0, 0]))) as (url, _):
        embedder = make(url)
        embedder.embed(["one"])
        with pytest.raises(ModelError, match=r"3 numbers, and with 2 before"):
            embedder.embed(["two"])


def test_a_server_that_says_nothing_is_a_timeout(monkeypatch):
    monkeypatch.setattr(module, "_TIMEOUT_S", 0.1)
    monkeypatch.setattr(module, "_RETRIES", 1)
    release = threading.Event()

    def stall(texts):
        release.wait(5)
        return [[1.0]] * len(texts)

    with ModelServer(embed=stall) as server:
        with pytest.raises(ModelTimeoutError, match=r"0\.1 s"):
            make(server.base_url).embed(["text"])
        release.set()


def test_a_server_that_is_not_there_is_a_server_error(monkeypatch):
    monkeypatch.setattr(module, "_RETRIES", 0)
    with answering((200, vectors([1]))) as (url, _):
        pass
    with pytest.raises(ModelServerError, match="cannot be reached"):
        make(url).embed(["text"])


def test_the_key_is_sent_and_never_shown():
    environ = {"MY_KEY": "sk-verysecretkey1234567890"}
    with ModelServer(api_key=environ["MY_KEY"]) as server:
        embedder = make(server.base_url, api_key_env="MY_KEY", environ=environ)
        embedder.embed(["text"])
    assert "verysecret" not in repr(embedder) + embedder.identity
    with (
        answering(refusal(401, f"bad key {environ['MY_KEY']}")) as (url, _),
        pytest.raises(ModelAuthenticationError, match="MY_KEY") as caught,
    ):
        make(url, api_key_env="MY_KEY", environ=environ).embed(["text"])
    assert "verysecret" not in str(caught.value)


def test_a_missing_key_name_or_library_says_what_to_do(monkeypatch):
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        make(None)
    with pytest.raises(ConfigError, match="base_url"):
        make("localhost:8000")
    with pytest.raises(ConfigError, match="needs the name"):
        openai_embedder(EmbedderConfig(provider="openai"))

    def missing(name, **words):
        raise MissingExtraError(f"{name} is missing")

    monkeypatch.setattr(module, "import_extra", missing)
    with pytest.raises(MissingExtraError, match="openai"):
        make("http://localhost:1/v1")


def test_two_servers_under_one_model_name_have_two_identities():
    one, other = make("http://localhost:1/v1"), make("http://localhost:2/v1")
    assert one.name == other.name
    assert one.identity != other.identity
