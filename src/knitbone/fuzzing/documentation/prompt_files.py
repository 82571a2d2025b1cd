"""What models are told by ``fuzz-docs`` and ``fix``: a Markdown file a task, with its version.

The package brings a file for each task (``prompts/*.md``); a folder may hold files of the same
names that are used in place of them. A file begins with a head of ``key: value`` lines that a line
``---`` ends; ``version`` must be among them. What follows is a jinja2 template of the fields that
the packaged file names under ``fields``. Whatever is said of the tool does not stand in it: that
travels beside it, quoted as JSON (``fuzzing/model_questions.py``).
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
from jinja2 import StrictUndefined, TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from knitbone.errors import InputFormatError

__all__ = ["FIX_PROMPT_NAMES", "PROMPT_NAMES", "PromptFiles"]

PROMPT_NAMES = (
    "answer", "baseline_crash", "baseline_judge", "baseline_wrong", "expectation", "humanise",
    "infills", "rating", "templates",
)  # fmt: skip
"""Tasks of the search."""
FIX_PROMPT_NAMES = ("claims", "rewrite")
"""Tasks of ``knitbone fix``. One folder may hold files of both."""
_PACKAGES: dict[str, str] = {
    **dict.fromkeys(PROMPT_NAMES, "knitbone.fuzzing.documentation"),
    **dict.fromkeys(FIX_PROMPT_NAMES, "knitbone.fuzzing.fixing"),
}
_LARGEST = 64 * 1024
"""Bytes of one file."""


class _PromptFile(msgspec.Struct, frozen=True, kw_only=True):
    version: str
    text: str
    fields: tuple[str, ...]
    source: str


class PromptFiles:
    """The prompts of all tasks.

    Args:
        folder: files that are used in place of the packaged ones.
        names: the tasks at hand; files of others are read, too, and not used.

    Raises:
        InputFormatError: the folder or a file of it cannot be used; the message says why.
    """

    def __init__(self, folder: Path | None = None, *, names: Sequence[str] = PROMPT_NAMES) -> None:
        self._files = {name: _packaged(name) for name in names}
        self._environment = SandboxedEnvironment(undefined=StrictUndefined)
        if folder is not None:
            own = dict(self._of(folder))
            self._files |= {name: file for name, file in own.items() if name in self._files}

    @property
    def versions(self) -> dict[str, str]:
        """Version by task, for reports; of files that are not the package's, with their digest."""
        return {name: file.version for name, file in self._files.items()}

    def text(self, name: str, **fields: object) -> str:
        """What the model is told for a task.

        Args:
            fields: what the file's fields stand for.
        """
        return self._environment.from_string(self._files[name].text).render(**fields).strip()

    def _of(self, folder: Path) -> list[tuple[str, _PromptFile]]:
        if not folder.is_dir():
            raise InputFormatError(
                f"The folder of prompts {folder} does not exist.",
                next_step="Correct prompt_folder in [tool.knitbone.fuzz], or leave it out.",
            )
        found: list[tuple[str, _PromptFile]] = []
        for path in sorted(folder.glob("*.md")):
            if path.stem not in _PACKAGES:
                close = difflib.get_close_matches(path.stem, _PACKAGES, n=1)
                known = close or list(_PACKAGES)
                raise InputFormatError(
                    f"{path} is the prompt of no task.",
                    next_step=f"Did you mean {' or '.join(f'{name}.md' for name in known)}?",
                )
            found.append((path.stem, self._read(path)))
        return found

    def _read(self, path: Path) -> _PromptFile:
        try:
            content = path.read_bytes()[: _LARGEST + 1].decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _wrong(path, f"cannot be read: {error}") from error
        if len(content) > _LARGEST:
            raise _wrong(path, f"is larger than {_LARGEST // 1024} KiB")
        head, text = _parts(content, str(path))
        fields = _packaged(path.stem).fields
        try:
            used = find_undeclared_variables(self._environment.parse(text))
        except TemplateError as error:
            raise _wrong(path, f"is no template: {error}") from error
        if unknown := sorted(used - set(fields)):
            known = ", ".join(fields) or "none"
            raise _wrong(path, f"uses the field {unknown[0]!r}; its fields are: {known}")
        digest = hashlib.sha256(content.encode()).hexdigest()[:8]
        version = f"{head['version']} ({path.name}, {digest})"
        return _PromptFile(version=version, text=text, fields=fields, source=str(path))


@cache
def _packaged(name: str) -> _PromptFile:
    source = files(_PACKAGES[name]) / "prompts" / f"{name}.md"
    head, text = _parts(source.read_text(encoding="utf-8"), str(source))
    fields = tuple(head.get("fields", "").split())
    return _PromptFile(version=head["version"], text=text, fields=fields, source=str(source))


def _parts(content: str, where: str) -> tuple[dict[str, str], str]:
    """Head and text of a file."""
    lines = content.replace("\r\n", "\n").split("\n")
    if "---" not in lines:
        raise _wrong(where, "has no head: no line '---' ends it")
    end = lines.index("---")
    head: dict[str, str] = {}
    for number, line in enumerate(lines[:end], start=1):
        key, colon, value = line.partition(":")
        if not colon:
            raise _wrong(where, f"has a head whose line {number} is not 'key: value'")
        head[key.strip()] = value.strip()
    if not head.get("version"):
        raise _wrong(where, "has no version in its head")
    text = "\n".join(lines[end + 1 :])
    if not text.strip():
        raise _wrong(where, "has no text below its head")
    return head, text


def _wrong(where: object, what: str) -> InputFormatError:
    return InputFormatError(
        f"The prompt {where} {what}.",
        next_step="Compare it with the packaged one: prompts/*.md in "
        "knitbone/fuzzing/documentation and knitbone/fuzzing/fixing.",
    )
