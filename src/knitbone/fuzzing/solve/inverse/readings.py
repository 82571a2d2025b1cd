"""Back through readings: a document is written again, as its reader wants it.

One table: by reading, what writes a text or bytes from which it reads a wanted value.
"""

from __future__ import annotations

import base64
import bz2
import configparser
import gzip
import html
import io
import json
import lzma
import urllib.parse
import zlib
from collections.abc import Callable
from typing import Any

import tomli_w

from knitbone.fuzzing.solve.evaluate import FailedError
from knitbone.fuzzing.solve.inverse.view import Changes, Step, TermView
from knitbone.fuzzing.solve.limits import UndefinedError

__all__ = ["STEPS"]

Writer = Callable[[Any], "str | bytes"]


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8")


def _query(value: Any) -> str:
    return urllib.parse.urlencode(value, doseq=True)


def _settings(value: Any) -> str:
    """A dictionary of sections as a text of settings."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_dict(value)
    buffer = io.StringIO()
    parser.write(buffer)
    return buffer.getvalue()


def _gzipped(data: bytes) -> bytes:
    # Without the time, so that the same arguments come of the same seed.
    return gzip.compress(data, mtime=0)


def _packed(pack: Callable[[bytes], bytes]) -> Writer:
    return lambda value: pack(_bytes(value))


_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "base64.b64decode": base64.b64encode,
    "base64.standard_b64decode": base64.b64encode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64encode,
    "base64.decodebytes": base64.encodebytes,
    "base64.b32decode": base64.b32encode,
    "base64.b32hexdecode": base64.b32hexencode,
    "base64.b16decode": base64.b16encode,
    "base64.b85decode": base64.b85encode,
    "base64.a85decode": base64.a85encode,
    "binascii.a2b_base64": base64.b64encode,
    "gzip.decompress": _gzipped,
    "zlib.decompress": zlib.compress,
    "bz2.decompress": bz2.compress,
    "lzma.decompress": lzma.compress,
}
_WRITERS: dict[str, Writer] = {
    "json.loads": json.dumps,
    "yaml.safe_load": json.dumps,  # YAML reads JSON
    "tomllib.loads": tomli_w.dumps,
    "tomli.loads": tomli_w.dumps,
    "ast.literal_eval": repr,
    "configparser": _settings,
    "urllib.parse.parse_qs": _query,
    "urllib.parse.parse_qsl": _query,
    "urllib.parse.unquote": urllib.parse.quote,
    "urllib.parse.unquote_plus": urllib.parse.quote_plus,
    "urllib.parse.unquote_to_bytes": urllib.parse.quote,
    "html.unescape": html.escape,
    "bytes.fromhex": lambda value: _bytes(value).hex(),
    "binascii.unhexlify": lambda value: _bytes(value).hex(),
    **{name: _packed(pack) for name, pack in _PACKERS.items()},
}
"""Each accepts what its reader may give; what it does not accept has no way back."""


def _written(writer: Writer) -> Step:
    def step(view: TermView, value: Any) -> Changes:
        made = writer(value)
        # A reader takes text or bytes: what it was given tells which, where it was given anything.
        try:
            given: Any = view[0]
            forms = (isinstance(given, bytes),)
        except (FailedError, UndefinedError):
            forms = (False, True)
        for in_bytes in (True,) if view.term.op in _OF_BYTES else forms:
            if in_bytes:
                yield 0, _bytes(made)
            else:
                yield 0, made if isinstance(made, str) else made.decode("latin-1")

    return step


_OF_BYTES = frozenset(f"{kind}.decompress" for kind in ("gzip", "zlib", "bz2", "lzma"))

STEPS: dict[str, Step] = {name: _written(writer) for name, writer in _WRITERS.items()}
