"""Readings: functions that make a document of a text, or a text of another, and lose nothing.

Each is known by its name; ``solve/inverse/readings.py`` has the writing that undoes it. Modules
that a tool has not loaded are not loaded for it. Here, where a term is computed again in our own
process, what is unpacked is bounded: a few bytes may stand for gigabytes.
"""

from __future__ import annotations

import bz2
import functools
import importlib
import lzma
import sys
import warnings
import zlib
from collections.abc import Callable
from typing import Any

from knitbone.common.source import evaluate_literal

__all__ = ["TooLargeError", "compute", "name_of_reading"]

_MOST = 20_000
"""Characters of a document, as for any other value."""
_LONGEST_LITERAL = 2_000
"""Characters of a Python literal: the parser of some versions does not survive a deep one."""
_LZMA_MEMORY = 64 * 2**20
_GZIP = 16 + zlib.MAX_WBITS

_NAMES: dict[str, tuple[str, ...]] = {
    "gzip": ("decompress",), "bz2": ("decompress",), "lzma": ("decompress",),
    "zlib": ("decompress",), "ast": ("literal_eval",), "tomllib": ("loads",), "tomli": ("loads",),
    "yaml": ("safe_load",),
    "base64": ("standard_b64decode", "b85decode", "a85decode", "decodebytes", "b32hexdecode"),
    "urllib.parse": ("unquote_to_bytes",),
}  # fmt: skip
_ALL = frozenset(name for names in _NAMES.values() for name in names)


def name_of_reading(function: Any) -> str | None:
    """The name of a reading, of a module that is loaded already.

    Args:
        function: written in Python, or in C.
    """
    if function.__name__ not in _ALL:
        return None
    for module, names in _NAMES.items():
        held = sys.modules.get(module)
        for name in names if held is not None else ():
            if vars(held).get(name) is function:
                return f"{module}.{name}"
    return None


def compute(op: str) -> Callable[..., Any] | None:
    """How a reading is computed here; ``None`` of any other operation.

    Raises (the function): what the reading raises; ``OverflowError`` of what is too large.
    """
    module, _, name = op.rpartition(".")
    if name not in _NAMES.get(module, ()):
        return None
    if op in _BOUNDED:
        return _BOUNDED[op]
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return None
    return functools.partial(_yaml, found) if module == "yaml" else found


class TooLargeError(OverflowError):
    """What was packed is larger than any value that is looked at."""


def _inflated(data: Any, /, wbits: int = zlib.MAX_WBITS) -> bytes:
    unpacker = zlib.decompressobj(wbits)
    made = unpacker.decompress(data, _MOST)
    if unpacker.unconsumed_tail:
        raise TooLargeError
    if not unpacker.eof:
        raise EOFError
    return made


def _bunzipped(data: Any) -> bytes:
    return _whole(bz2.BZ2Decompressor(), data)


def _unlzma(data: Any, *_: Any, **__: Any) -> bytes:
    return _whole(lzma.LZMADecompressor(memlimit=_LZMA_MEMORY), data)


def _whole(unpacker: Any, data: Any) -> bytes:
    made: bytes = unpacker.decompress(data, _MOST)
    if not unpacker.eof:
        raise (EOFError if unpacker.needs_input else TooLargeError)
    return made


def _gunzipped(data: bytes) -> bytes:
    return _inflated(data, _GZIP)


def _literal(text: Any) -> Any:
    if not isinstance(text, str) or len(text) > _LONGEST_LITERAL:
        raise TooLargeError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_literal(text)


def _yaml(load: Callable[[Any], Any], text: Any) -> Any:
    # An alias may stand for gigabytes, a few times over.
    if not isinstance(text, str | bytes) or (b"*" if isinstance(text, bytes) else "*") in text:  # pyright: ignore[reportOperatorIssue]
        raise TooLargeError
    return load(text)


_BOUNDED: dict[str, Callable[..., Any]] = {
    "gzip.decompress": _gunzipped,
    "zlib.decompress": _inflated,
    "bz2.decompress": _bunzipped,
    "lzma.decompress": _unlzma,
    "ast.literal_eval": _literal,
}
