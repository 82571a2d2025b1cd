"""Edits of documentation as a patch of the source: checked, shown as a diff, written on request."""

from __future__ import annotations

import ast
import difflib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.common.source import parse_source
from knitbone.fuzzing.fixing.docstrings import TextEdit, applied
from knitbone.fuzzing.fixing.literals import EditError, edited_source, literal_of
from knitbone.fuzzing.fixing.records import DocumentationPatch, TextPlace
from knitbone.fuzzing.fixing.sources import NOTHING_CHANGED, SourceFile, read_source

__all__ = ["ChangedFile", "changed_file", "git_diff", "write_file"]

_WIDTH = 100
"""Columns of a line that gets longer by an edit, before the edit gets a line of its own."""


class ChangedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A source file with its documentation changed, not yet written."""

    source: SourceFile
    text: str

    @property
    def content(self) -> bytes:
        """The bytes of the changed file."""
        return self.source.encoded(self.text)


def changed_file(
    places: Sequence[TextPlace],
    edits: Mapping[str, Sequence[TextEdit]],
    changed: Mapping[Path, bytes] = NOTHING_CHANGED,
) -> ChangedFile:
    """One file with edits of what its literals say.

    Args:
        places: all in one file.
        edits: by the places' ``argument``.
        changed: what files are taken to hold in place of what is on the disk.

    Raises:
        SourceUnreadableError: the file cannot be read.
        EditError: a literal cannot be edited, or more than it would change.
    """
    source = read_source(Path(places[0].file), changed)
    text = source.text
    newline = source.newline
    for place in sorted(places, key=lambda p: p.spans[0], reverse=True):
        made = edits.get(place.argument, ())
        if not made:
            continue
        if place.kind == "missing":
            text = _with_docstring(text, place, applied("", made), newline)
        else:
            text = _with_edits(text, place, made, newline)
    edited = ChangedFile(source=source, text=text)
    try:
        _refuse_more_than_texts(source.text, text, [p for p in places if edits.get(p.argument)])
        edited.content.decode(source.encoding)
    except (SyntaxError, UnicodeEncodeError, ValueError) as error:
        raise EditError(f"the changed file would be wrong: {error}") from None
    return edited


def _with_docstring(text: str, place: TextPlace, said: str, newline: str) -> str:
    offset = place.spans[0][0]
    body = said.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\n", newline)
    ending = "\\" if body.endswith('"') and not body.endswith('\\"') else ""
    if ending:
        body = body[:-1] + '\\"'
    return f'{text[:offset]}{place.indent}"""{body}"""{newline}{text[offset:]}'


def _with_edits(text: str, place: TextPlace, edits: Sequence[TextEdit], newline: str) -> str:
    """The edits in the literal, or the one of several in a row, that they fall into."""
    literals = [literal_of(text, start, end) for start, end in place.spans]
    if "".join(each.text for each in literals) != place.text:
        raise EditError("the file has changed since it was read")
    begins = [0]
    for each in literals:
        begins.append(begins[-1] + len(each.text))
    for number in range(len(literals) - 1, -1, -1):
        low, high = begins[number], begins[number + 1]
        is_last = number == len(literals) - 1
        own = [e for e in edits if low <= e.start and (e.start < high or is_last)]
        if any(edit.end > high for edit in own):
            raise EditError("it is put together from several literals")
        quote = literals[number].quote
        shifted = [
            TextEdit(start=e.start - low, end=e.end - low, text=_requoted(e.text, quote))
            for e in own
        ]
        text = _in_literal(text, place, number, shifted, newline)
    return text


def _requoted(text: str, quote: str) -> str:
    """A text that quotes with the other kind of marks than those of its literal."""
    if quote == '"' and "'" not in text and "`" not in text:
        return text.replace('"', "'")
    return text


def _in_literal(
    text: str, place: TextPlace, number: int, edits: Sequence[TextEdit], newline: str
) -> str:
    start, end = place.spans[number]
    literal = literal_of(text, start, end)
    if not edits:
        return text
    is_end = all(edit.start == edit.end == len(literal.text) for edit in edits)
    line = text.rfind("\n", 0, start) + 1
    added = sum(len(edit.text) for edit in edits)
    alone = not text[line:start].strip() and len(place.spans) > 1
    if is_end and alone and end - line + added > _WIDTH:
        # Of several literals in a row each has its line, and so has the new one.
        said = "".join(edit.text for edit in edits)
        empty = literal.quote[0] * 2
        made = edited_source(
            empty, literal_of(empty, 0, 2), [TextEdit(start=0, end=0, text=said)], newline
        )
        return f"{text[:end]}{newline}{text[line:start]}{made}{text[end:]}"
    return edited_source(text, literal, edits, newline)


def _refuse_more_than_texts(before: str, after: str, places: Sequence[TextPlace]) -> None:
    """
    Raises:
        ValueError: the two differ in more than the texts that were to be changed.
    """
    first, second = parse_source(before), parse_source(after)
    if any(place.kind == "missing" for place in places):
        _drop_docstrings(first)
        _drop_docstrings(second)
    budget = len(places)
    if _different_strings(first, second) > budget:
        raise ValueError("more than the documentation would change")


def _drop_docstrings(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:]


def _different_strings(first: ast.AST, second: ast.AST) -> int:
    """How many string constants differ in two trees that are the same otherwise.

    Raises:
        ValueError: something else differs.
    """
    different = 0
    waiting: list[tuple[object, object]] = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            raise ValueError("more than texts would change")
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            if not isinstance(value := cast("ast.Constant", other).value, str):
                raise ValueError("more than texts would change")
            different += one.value != value
        elif isinstance(one, ast.AST) and isinstance(other, ast.AST):
            names = one._fields
            waiting += [(getattr(one, n, None), getattr(other, n, None)) for n in names]
        elif isinstance(one, list) and isinstance(other, list):
            # A list of another length is a ValueError, too.
            waiting += list(zip(cast("Any", one), cast("Any", other), strict=True))
        elif one != other and ascii(cast("Any", one)) != ascii(cast("Any", other)):
            raise ValueError("more than texts would change")
    return different


def git_diff(changed: ChangedFile, *, name: str) -> DocumentationPatch:
    """The change as a unified diff that ``git apply`` takes.

    Args:
        name: the file's path in the diff, such as relative to the repository.
    """
    source = changed.source
    before = _lines(source.content.decode(source.encoding, "surrogateescape"))
    after = _lines(changed.content.decode(source.encoding, "surrogateescape"))
    lines = [f"--- a/{name}\n", f"+++ b/{name}\n", *_hunks(before, after)]
    ended = (f"{line}\n\\ No newline at end of file\n" for line in lines)
    told = (a if a.endswith("\n") else b for a, b in zip(lines, ended, strict=True))
    return DocumentationPatch(file=str(source.path), diff="".join(told), encoding=source.encoding)


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    """The hunks of a unified diff. ``difflib.unified_diff`` takes lines that a long file has often,
    such as ``Args:``, for changed."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes():
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, low, high, new_low, new_high in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[low:high])
                continue
            yield from (f"-{line}" for line in before[low:high])
            yield from (f"+{line}" for line in after[new_low:new_high])


def _range(start: int, stop: int) -> str:
    length = stop - start
    return f"{start + 1 if length else start},{length}"


def _lines(text: str) -> list[str]:
    """Lines as git has them: a carriage return belongs to its line."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]


def write_file(changed: ChangedFile) -> None:
    """Write the changed file in place of the old one, which stays whole until the new one is.

    Raises:
        EditError: somebody changed it since it was read.
        OSError: it cannot be written.
    """
    path = changed.source.path.resolve()
    if path.read_bytes() != changed.source.content:
        raise EditError("the file has changed since it was read")
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(changed.content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(path.stat().st_mode & 0o7777)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
