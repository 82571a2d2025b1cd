"""A source file as text, and back to the very bytes; whether it may be changed."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import subprocess
import tokenize
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from knitbone.common.ownership import is_installed
from knitbone.fuzzing.fixing.records import Refusal

__all__ = ["NOTHING_CHANGED", "SourceFile", "SourceUnreadableError", "obstacle", "read_source"]

NOTHING_CHANGED: Mapping[Path, bytes] = MappingProxyType({})
_GENERATED = re.compile(
    r"@generated|\b(?:auto-?)?generated (?:by|from|with|file|code|automatically)\b|"
    r"\bautomatically generated\b|\bdo not (?:edit|modify)\b|\bdon't edit\b",
    re.IGNORECASE,
)
_HEADER_LINES = 15
"""Lines at a file's top in which a generator says that it made it."""
_GIT_S = 20.0


class SourceUnreadableError(ValueError):
    """A file that cannot be read as Python source; the message says why."""


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A source file."""

    path: Path
    text: str
    """Without the byte order mark; lines end as in the file."""
    encoding: str
    has_mark: bool
    content: bytes

    @property
    def newline(self) -> str:
        """What ends its lines."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def encoded(self, text: str) -> bytes:
        """A changed text as the bytes of the file.

        Raises:
            UnicodeEncodeError: the file's encoding has no such character.
        """
        return (codecs.BOM_UTF8 if self.has_mark else b"") + text.encode(self.encoding)


def read_source(path: Path, changed: Mapping[Path, bytes] = NOTHING_CHANGED) -> SourceFile:
    """Read a Python source file by the encoding that it declares.

    Args:
        changed: what files are taken to hold in place of what is on the disk.

    Raises:
        SourceUnreadableError: it is not readable, or would not be written back as it is.
    """
    try:
        content = changed[path] if path in changed else path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        has_mark = content.startswith(codecs.BOM_UTF8)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        text = content[len(codecs.BOM_UTF8) if has_mark else 0 :].decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise SourceUnreadableError(f"it cannot be read: {error}") from None
    source = SourceFile(path=path, text=text, encoding=encoding, has_mark=has_mark, content=content)
    if source.encoded(text) != content:
        raise SourceUnreadableError(f"its encoding {encoding} does not keep every byte")
    return source


def obstacle(source: SourceFile) -> Refusal | None:
    """Why a file must not be changed: somebody is at work on it, a program makes it, or it may not
    be written."""
    where = str(source.path)
    header = "\n".join(source.text.splitlines()[:_HEADER_LINES])
    comments = "\n".join(
        line for line in header.splitlines() if line.lstrip().startswith(("#", '"'))
    )
    if _GENERATED.search(comments):
        return Refusal(
            what="the file says that a program generates it",
            where=where,
            next_step="Change what it is generated from, or apply the patch by hand.",
        )
    if is_installed(str(source.path)):
        return Refusal(
            what="the file is an installed package's, and the next installation would undo it",
            where=where,
            next_step="Apply the patch where the package is developed.",
        )
    if not os.access(source.path, os.W_OK) or not os.access(source.path.parent, os.W_OK):
        return Refusal(
            what="the file may not be written", where=where, next_step="Apply the patch by hand."
        )
    if (state := _uncommitted(source.path)) is not None:
        return Refusal(
            what=f"the file has changes that are not committed ({state})",
            where=where,
            next_step="Commit or put them aside first.",
        )
    return None


def _uncommitted(path: Path) -> str | None:
    """What git says of a file that differs from what is committed; ``None`` where it does not, or
    where there is no repository."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, "status", "--porcelain", "--ignored=no", "--", path.name],
            cwd=path.parent,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            timeout=_GIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"git cannot tell: {type(error).__name__}"
    if done.returncode != 0:
        return None if "not a git repository" in done.stderr else "git cannot tell"
    return done.stdout.strip()[:2].strip() or None
