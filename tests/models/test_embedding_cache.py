"""The disk cache: it saves calls, stays within its size, and never fails one."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.models.embedding_cache import CachedEmbedder, default_cache_path
from knitbone.models.vectors import place_rows, unit_rows
from knitbone.testing import simulated_embedding


class CountingEmbedder:
    """Words hashed into a vector; notes what it was asked."""

    name = "counting"

    def __init__(self, *, identity="counting:1", dimension=8):
        self.identity = identity
        self.dimension = dimension
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        places = [place for place, text in enumerate(texts) if text.strip()]
        rows = simulated_embedding([texts[p] for p in places], dimensions=self.dimension)
        rows = np.asarray(rows, dtype=np.float64).reshape(len(places), self.dimension)
        return place_rows(unit_rows(rows), places, count=len(texts))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sub" / "vectors.sqlite"


def rows_in(path):
    with closing(sqlite3.connect(path)) as connection:
        count = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
        stored = connection.execute("SELECT sum(length(vector)) FROM vectors").fetchone()[0]
        assert connection.execute("SELECT bytes FROM size").fetchone()[0] == (stored or 0)
        return count


def test_a_text_is_embedded_once_even_by_a_later_process(path):
    first = CountingEmbedder()
    before = CachedEmbedder(first, path).embed(["a b", "c", "a b"])
    assert first.asked == [["a b", "c"]]
    second = CountingEmbedder()
    after = CachedEmbedder(second, path).embed(["c", "a b", "d"])
    assert second.asked == [["d"]]
    assert np.array_equal(before[[1, 0]], after[:2])
    assert after.dtype == np.float32


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.text(st.characters(codec=None), max_size=8), max_size=6), max_size=4))
def test_cached_vectors_are_the_embedders_own(tmp_path_factory, calls):
    path = tmp_path_factory.mktemp("cache") / "vectors.sqlite"
    cached, plain = CachedEmbedder(CountingEmbedder(), path), CountingEmbedder()
    for texts in calls:
        assert np.array_equal(cached.embed(texts), plain.embed(texts))


def test_another_model_does_not_get_this_ones_vectors(path):
    CachedEmbedder(CountingEmbedder(identity="one"), path).embed(["text"])
    other = CountingEmbedder(identity="two")
    CachedEmbedder(other, path).embed(["text"])
    assert other.asked == [["text"]]


def test_a_model_that_changed_its_dimension_voids_what_was_kept(path):
    CachedEmbedder(CountingEmbedder(dimension=8), path).embed(["old"])
    changed = CountingEmbedder(dimension=16)
    assert CachedEmbedder(changed, path).embed(["old", "new"]).shape == (2, 16)
    unknown = CountingEmbedder(dimension=4)
    cached = CachedEmbedder(unknown, path)
    width, unknown.dimension = unknown.dimension, None  # an endpoint that was not asked yet
    unknown.embed = lambda texts: unit_rows(np.ones((len(texts), width)))
    assert cached.embed(["old", "another"]).shape == (2, 4)


def test_the_cache_stays_within_its_size_and_drops_the_oldest(path):
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, path, max_bytes=20 * 8 * 4)
    for number in range(50):
        cached.embed([f"text {number}"])
    assert 10 <= rows_in(path) <= 20
    inner.asked.clear()
    cached.embed(["text 49", "text 0"])
    assert inner.asked == [["text 0"]]


def test_a_batch_larger_than_the_whole_cache_is_still_answered(path):
    cached = CachedEmbedder(CountingEmbedder(), path, max_bytes=100)
    assert cached.embed([f"text {n}" for n in range(1200)]).shape == (1200, 8)
    assert rows_in(path) <= 3


def test_the_file_keeps_no_text(path):
    CachedEmbedder(CountingEmbedder(), path).embed(["a very secret sentence"])
    assert b"secret" not in path.read_bytes()
    assert path.stat().st_mode & 0o077 == 0


def test_a_damaged_vector_is_embedded_again_and_replaced(path):
    CachedEmbedder(CountingEmbedder(), path).embed(["text", "more"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(31) WHERE id = 1")
        connection.execute(
            "UPDATE vectors SET vector = ? WHERE id = 2", (np.full(8, np.nan, "<f4").tobytes(),)
        )
    assert rows_in(path) == 2  # and their size is still right
    inner = CountingEmbedder()
    vectors = CachedEmbedder(inner, path).embed(["text", "more"])
    assert np.array_equal(vectors, CountingEmbedder().embed(["text", "more"]))
    assert inner.asked == [["text", "more"]]
    inner.asked.clear()
    CachedEmbedder(inner, path).embed(["text", "more"])
    assert inner.asked == []
    assert rows_in(path) == 2


def _garbage(path):
    path.write_bytes(b"no database at all" * 1000)


def _foreign(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE vectors (somebody_elses)")


def _truncated(path):
    CachedEmbedder(CountingEmbedder(), path).embed([f"text {n}" for n in range(2000)])
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _directory(path):
    path.mkdir()


@pytest.mark.parametrize("spoil", [_garbage, _foreign, _truncated, _directory])
def test_an_unusable_file_is_logged_bypassed_and_left_alone(path, spoil, caplog):
    path.parent.mkdir()
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, path)
    texts = [f"text {n}" for n in range(1990, 2010)]
    with caplog.at_level(logging.WARNING, "knitbone"):
        for _ in range(2):
            assert np.array_equal(cached.embed(texts), CountingEmbedder().embed(texts))
    assert inner.asked == [texts, texts]
    assert [record.getMessage() for record in caplog.records] == ["embedding cache bypassed"]
    assert str(path) in caplog.records[0].fields["path"]
    assert before is None or path.read_bytes() == before


def test_a_directory_that_cannot_be_made_is_bypassed(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    cached = CachedEmbedder(CountingEmbedder(), tmp_path / "file" / "vectors.sqlite")
    with caplog.at_level(logging.WARNING, "knitbone"):
        assert cached.embed(["text"]).shape == (1, 8)
    assert len(caplog.records) == 1


def test_a_file_another_process_holds_is_bypassed_until_it_is_free(path):
    cached = CachedEmbedder(inner := CountingEmbedder(), path)
    cached.embed(["first"])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert cached.embed(["second"]).shape == (1, 8)
        other.execute("ROLLBACK")
    cached.embed(["second"])
    cached.embed(["second"])
    assert inner.asked == [["first"], ["second"], ["second"]]


def test_the_embedders_error_is_the_callers(path):
    inner = CountingEmbedder()
    inner.embed = lambda texts: (_ for _ in ()).throw(RuntimeError("no model"))
    with pytest.raises(RuntimeError, match="no model"):
        CachedEmbedder(inner, path).embed(["text"])


def test_threads_and_processes_share_one_file(path):
    script = f"""
from pathlib import Path
import sys
sys.path.insert(0, {str(__file__).rpartition("/")[0]!r})
from test_embedding_cache import CachedEmbedder, CountingEmbedder
cached = CachedEmbedder(CountingEmbedder(), Path({str(path)!r}))
for n in range(40):
    cached.embed([f"text {{n}}"])
"""
    processes = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    cached = CachedEmbedder(CountingEmbedder(), path)
    wrong = []

    def work():
        for number in range(40):
            expected = CountingEmbedder().embed([f"text {number}"])
            if not np.array_equal(cached.embed([f"text {number}"]), expected):
                wrong.append(number)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(60) for process in processes] == [0, 0]
    assert not wrong
    cached.embed([f"text {n}" for n in range(40)])
    assert rows_in(path) == 40


def test_the_default_file_is_in_the_users_cache_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_path().name == "embeddings.sqlite"
    assert default_cache_path().parent.name == "knitbone"
