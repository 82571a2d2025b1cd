"""Vectors kept on disk, so that a text is embedded once a machine and not once a run.

An SQLite file, keyed by the embedder's identity and the sha256 of the text. The texts themselves
are not stored. The cache only ever saves time: a file that is corrupt, foreign, locked or cannot
be written is logged and left alone, and the embedder is asked instead.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from knitbone._forks import unforked
from knitbone._logging import get_logger, log
from knitbone.errors import import_extra
from knitbone.models.vectors import Embedder, Vectors

if TYPE_CHECKING:
    import numpy as np
else:
    np = import_extra("numpy", extra="embed", purpose="Sentence embedding")

__all__ = ["CachedEmbedder", "default_cache_path"]

MAX_BYTES = 256 * 1024 * 1024
"""Size of all vectors together: some 170,000 of 384 dimensions."""

_LOGGER = get_logger(__name__)
_APPLICATION_ID = 0x6B6E6562  # "kneb": tells our file from another program's database
_SCHEMA_VERSION = 1
_BUSY_S = 0.25
"""Longest wait for another process; asking a model again is cheaper than a long one."""
_VARIABLES = 500
"""Values in one statement; SQLite's own limit was 999 for long."""
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS vectors (
  id INTEGER PRIMARY KEY,
  embedder TEXT NOT NULL,
  text_sha256 BLOB NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (embedder, text_sha256)
);
CREATE TABLE IF NOT EXISTS size (bytes INTEGER NOT NULL);
INSERT INTO size SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM size);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON vectors
  BEGIN UPDATE size SET bytes = bytes + length(NEW.vector); END;
CREATE TRIGGER IF NOT EXISTS changed AFTER UPDATE OF vector ON vectors
  BEGIN UPDATE size SET bytes = bytes - length(OLD.vector) + length(NEW.vector); END;
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON vectors
  BEGIN UPDATE size SET bytes = bytes - length(OLD.vector); END;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_SCHEMA_VERSION};
COMMIT;
"""  # noqa: S608 - the two constants above


class _ForeignFileError(sqlite3.DatabaseError):
    """The path holds a database that is not an embedding cache of this version."""


def default_cache_path() -> Path:
    """The file in the user's cache directory, shared by all of the user's projects."""
    return platformdirs.user_cache_path("knitbone") / "embeddings.sqlite"


class CachedEmbedder:
    """An embedder that remembers. Safe across threads, processes and forks.

    Args:
        inner: asked for what is not in the cache, each distinct text once.
        path: the SQLite file; its directory is created.
        max_bytes: size of all vectors together; when it is passed, the oldest tenth goes.
    """

    def __init__(self, inner: Embedder, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._inner = inner
        self._path = path
        self._max_bytes = max_bytes
        self._usable = True

    @property
    def name(self) -> str:
        """The inner embedder's."""
        return self._inner.name

    @property
    def identity(self) -> str:
        """The inner embedder's."""
        return self._inner.identity

    @property
    def dimension(self) -> int | None:
        """The inner embedder's."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder.embed``; raises only what the inner embedder raises."""
        if not texts:
            return self._inner.embed(texts)
        keys = [_key(text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        known = self._read(list(wanted))
        missing = {key: text for key, text in wanted.items() if key not in known}
        if missing:
            fresh = self._inner.embed(list(missing.values()))
            if any(len(vector) != fresh.shape[1] for vector in known.values()):
                # The model behind this identity changed its size: what was kept is void.
                missing, known = wanted, {}
                fresh = self._inner.embed(list(missing.values()))
            added = dict(zip(missing, fresh, strict=True))
            self._write(added)
            known |= added
        return np.stack([known[key] for key in keys])

    def _read(self, wanted: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        with self._connection("read") as connection:
            if connection is None:
                return {}
            for start in range(0, len(wanted), _VARIABLES):
                part = wanted[start : start + _VARIABLES]
                marks = ",".join("?" * len(part))
                rows = connection.execute(
                    "SELECT text_sha256, vector FROM vectors"  # noqa: S608 - question marks only
                    f" WHERE embedder = ? AND text_sha256 IN ({marks})",
                    (self.identity, *part),
                )
                found |= {
                    key: vector for key, blob in rows if (vector := _decode(blob)) is not None
                }
        return _consistent(found, width=self.dimension)

    def _write(self, vectors: Mapping[bytes, Vectors]) -> None:
        if not vectors:
            return
        with self._connection("write") as connection:
            if connection is None:
                return
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT INTO vectors (embedder, text_sha256, vector) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET vector = excluded.vector",
                [
                    (self.identity, key, vector.astype("<f4").tobytes())
                    for key, vector in vectors.items()
                ],
            )
            self._evict(connection)
            connection.execute("COMMIT")

    def _evict(self, connection: sqlite3.Connection) -> None:
        while True:
            (size,) = connection.execute("SELECT bytes FROM size").fetchone()
            if size <= self._max_bytes:
                return
            deleted = connection.execute(
                "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id"
                " LIMIT (SELECT count(*) / 10 + 1 FROM vectors))"
            )
            if deleted.rowcount == 0:
                return

    @contextmanager
    def _connection(self, purpose: str) -> Generator[sqlite3.Connection | None]:
        """A connection of this call's own, or None where the cache cannot be used.

        One a call: a connection kept open must not cross a thread or a fork.
        """
        if not self._usable:
            yield None
            return
        opened = False
        try:
            with unforked, closing(self._open()) as connection:
                opened = True
                yield connection
        except (OSError, sqlite3.Error) as error:
            self._bypass(error, purpose)
            if not opened:
                yield None

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # losing a vector costs one embedding
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables == 0:
                connection.executescript(_SCHEMA)
            # After the tables: another process may have made them all in between.
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if (application, version) != (_APPLICATION_ID, _SCHEMA_VERSION):
                raise _ForeignFileError("the file is not an embedding cache of this version")
        except BaseException:
            connection.close()
            raise
        return connection

    def _bypass(self, error: Exception, purpose: str) -> None:
        busy = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
        # A busy file is free again in a moment; anything else stays as it is for this process.
        self._usable = busy
        log(
            _LOGGER,
            logging.DEBUG if busy else logging.WARNING,
            "embedding cache bypassed",
            path=str(self._path),
            purpose=purpose,
            error=str(error),
            next_step=f"Delete {self._path} if this goes on, or set cache = false.",
        )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _decode(blob: object) -> Vectors | None:
    """The vector of a stored blob, or None where it cannot be one."""
    if not isinstance(blob, bytes) or not blob or len(blob) % 4:
        return None
    vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    length = float(np.linalg.norm(vector))
    # Unit length or zero, as embedders promise: cheap to check, and finds a damaged one.
    return vector if length == 0 or abs(length - 1) < 1e-3 else None


def _consistent(vectors: Mapping[bytes, Vectors], *, width: int | None) -> dict[bytes, Vectors]:
    """The vectors of the width expected, which is the first one's where nothing is known."""
    if width is None:
        width = next((len(vector) for vector in vectors.values()), None)
    return {key: vector for key, vector in vectors.items() if len(vector) == width}
