"""Where a tool's documentation stands in source: the literals whose value is what an agent reads.

No framework is asked: a docstring, ``description = "..."``, ``Field(description="...")``,
``Annotated[str, "..."]`` and a schema's dictionary are all literals in the tool's own files,
known by what they say and by the names around them.
"""

# The nodes of libcst, which may not be installed, are any objects here.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportGeneralTypeIssues=false, reportOptionalMemberAccess=false

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from knitbone.common.ownership import python_files
from knitbone.errors import import_extra
from knitbone.fuzzing.fixing.constraint_values import descriptions_of
from knitbone.fuzzing.fixing.records import Refusal, TextPlace
from knitbone.fuzzing.fixing.sources import (
    NOTHING_CHANGED,
    SourceFile,
    SourceUnreadableError,
    read_source,
)
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["find_places"]

_MOST_FILES = 20_000
_LARGEST = 2_000_000
"""Bytes of a source file that is looked into."""
_SHORTEST = 12
"""Characters of a text by which it is known although more, or less, is shown to agents."""
_WORD = re.compile(r"[A-Za-z]{4,}")
_ENTRANCES = ("_run", "_arun", "run", "forward", "call", "__call__")


class _SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """One literal in source."""

    value: str
    spans: tuple[tuple[int, int], ...]
    is_docstring: bool
    names: tuple[str, ...]
    """Of what is around it: classes, functions, parameters, targets of assignments, keys."""
    indent: str


class _Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A function without a docstring."""

    name: str
    offset: int
    indent: str


def find_places(
    tool: ToolUnderTest, changed: Mapping[Path, bytes] = NOTHING_CHANGED
) -> dict[str, TextPlace] | Refusal:
    """The place of the tool's own documentation, under ``""``, and of each argument's description
    that stands in the same file.

    Args:
        changed: what files are taken to hold in place of what is on the disk.

    Raises:
        MissingExtraError: libcst is not installed.
    """
    wanted = tool.documentation.strip()
    found: dict[str, TextPlace] | Refusal | None = None
    # The files that hold the tool itself; only then what is beside them.
    for paths in _stages(tool):
        candidates = _candidates(paths, wanted, _names(tool))
        found = _among(candidates, tool, wanted, changed)
        if not isinstance(found, Refusal):
            return found
    return found or Refusal(what="the tool's source is out of reach", next_step="Use the overlay.")


def _among(
    paths: Iterator[Path], tool: ToolUnderTest, wanted: str, changed: Mapping[Path, bytes]
) -> dict[str, TextPlace] | Refusal:
    names = _names(tool)
    found: list[tuple[int, SourceFile, _SourceText]] = []
    missing: list[tuple[SourceFile, _Missing]] = []
    problem = ""
    for path in paths:
        try:
            source = read_source(path, changed)
            texts, without = _texts(source.text)
        except SourceUnreadableError as error:
            problem = str(error)
            continue
        found += [(rank, source, t) for t in texts if (rank := _match(t, wanted, names)) > 0]
        missing += [(source, m) for m in without if not wanted and m.name in names]
    if not wanted:
        return _place_of_missing(missing)
    return _chosen(found, tool, problem)


def _chosen(
    found: Sequence[tuple[int, SourceFile, _SourceText]], tool: ToolUnderTest, problem: str
) -> dict[str, TextPlace] | Refusal:
    best = max((rank for rank, _, _ in found), default=0)
    chosen = [(source, text) for rank, source, text in found if rank == best]
    if not chosen:
        return Refusal(
            what="the documentation stands nowhere in the tool's source as it is shown to agents"
            + (f" ({problem})" if problem else "; it is made when the program runs"),
            next_step="Write it as a literal, or use the overlay.",
        )
    if len(chosen) > 1:
        return Refusal(
            what=f"the documentation stands in {len(chosen)} places",
            where=", ".join(str(source.path) for source, _ in chosen[:3]),
            next_step="Give each its own text, or edit them by hand.",
        )
    source, text = chosen[0]
    places = {"": _place(source, text, "")}
    texts, _ = _texts(source.text)
    for name, description in descriptions_of(tool).items():
        same = [
            t
            for t in texts
            if t.value.strip() == description.strip() and name in t.names and not t.is_docstring
        ]
        if len(same) == 1:
            places[name] = _place(source, same[0], name)
    return places


def _place_of_missing(
    missing: Sequence[tuple[SourceFile, _Missing]],
) -> dict[str, TextPlace] | Refusal:
    if len(missing) != 1:
        return Refusal(
            what="the tool has no documentation, and "
            + (f"{len(missing)} functions have its name" if missing else "no function its name"),
            next_step="Write a first sentence as its docstring.",
        )
    source, function = missing[0]
    return {
        "": TextPlace(
            file=str(source.path),
            spans=((function.offset, function.offset),),
            kind="missing",
            indent=function.indent,
        )
    }


def _place(source: SourceFile, text: _SourceText, argument: str) -> TextPlace:
    return TextPlace(
        file=str(source.path),
        spans=text.spans,
        kind="docstring" if text.is_docstring else "description",
        text=text.value,
        argument=argument,
        indent=text.indent if text.is_docstring else "",
    )


def _match(text: _SourceText, wanted: str, names: Sequence[str]) -> int:
    """How surely a literal is the documentation; 0: it is not."""
    value = inspect.cleandoc(text.value).strip() if text.is_docstring else text.value.strip()
    if not value or not wanted:
        return 0
    if value == wanted:
        rank = 4
    elif min(len(value), len(wanted)) >= _SHORTEST and (
        value.startswith(wanted) or wanted.startswith(value)
    ):
        rank = 2
    elif len(value) >= _SHORTEST and value in wanted:
        rank = 1
    else:
        return 0
    named = any(name in text.names for name in names)
    return rank * 2 + named


def _names(tool: ToolUnderTest) -> list[str]:
    """What the tool's function may be called."""
    target = tool.target.partition("#")[0].rpartition(":")[2].removesuffix("()")
    own = target.rpartition(".")[2]
    return [name for name in dict.fromkeys((tool.name, own)) if name]


def _stages(tool: ToolUnderTest) -> Iterator[Iterator[Path]]:
    files = [Path(root) for root in tool.roots if not root.endswith(os.sep)]
    folders = [root for root in tool.roots if root.endswith(os.sep)]
    yield iter(files)
    yield (
        path
        for folder in folders
        for path in islice(python_files(folder, with_builds=True), _MOST_FILES)
        if path not in files
    )


def _candidates(paths: Iterator[Path], wanted: str, names: Sequence[str]) -> Iterator[Path]:
    """The files that may hold the documentation: all of its first words are in them."""
    words = [word.encode() for word in _WORD.findall(wanted)[:8]]
    signs = [f"def {name}".encode() for name in names]
    for path in paths:
        try:
            if path.suffix != ".py" or path.stat().st_size > _LARGEST:
                continue
            content = path.read_bytes()
        except OSError:
            continue
        if all(word in content for word in words) if words else any(s in content for s in signs):
            yield path


# -- literals -------------------------------------------------------------------------------------


def _texts(source: str) -> tuple[list[_SourceText], list[_Missing]]:
    """The literals of a source, and its functions without a docstring.

    Raises:
        SourceUnreadableError: it cannot be parsed.
    """
    cst: Any = import_extra("libcst", extra="fix", purpose="Finding a documentation in source")
    metadata: Any = import_extra(
        "libcst.metadata", extra="fix", purpose="Finding a documentation in source"
    )
    try:
        module = cst.parse_module(source)
    except (cst.ParserSyntaxError, RecursionError, ValueError) as error:
        raise SourceUnreadableError(f"it cannot be parsed: {type(error).__name__}") from None
    if module.code != source:
        raise SourceUnreadableError("its lines cannot be kept as they are")
    wrapper = metadata.MetadataWrapper(module, unsafe_skip_copy=True)
    positions: Any = wrapper.resolve(metadata.PositionProvider)
    walk = _Walk(cst, positions, source)
    walk.visit(wrapper.module, ())
    return walk.texts, walk.missing


class _Walk:
    """Goes through a module and collects its literals with the names around them."""

    def __init__(self, cst: Any, positions: Any, source: str) -> None:
        self._cst, self._positions, self._source = cst, positions, source
        self._lines = _line_starts(source)
        self.texts: list[_SourceText] = []
        self.missing: list[_Missing] = []

    def visit(self, node: Any, names: tuple[str, ...]) -> None:
        cst = self._cst
        if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
            self._text(node, names, is_docstring=False)
            return
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Module):
            self._documented(node, names)
            return
        names = (*names, *self._names(node))
        if isinstance(node, cst.DictElement) and isinstance(node.key, cst.SimpleString):
            self.visit(node.value, names)
            return
        for child in node.children:
            self.visit(child, names)

    def _documented(self, node: Any, names: tuple[str, ...]) -> None:
        cst = self._cst
        own = () if isinstance(node, cst.Module) else (node.name.value,)
        names = (*names, *own)
        body = node.body if isinstance(node, cst.Module) else node.body.body
        literal = self._docstring(body)
        if literal is not None:
            self._text(literal, names, is_docstring=True)
        elif (
            isinstance(node, cst.FunctionDef) and isinstance(node.body, cst.IndentedBlock) and body
        ):
            line = self._positions[body[0]].start.line
            start = self._lines[line - 1]
            match = re.compile(r"[ \t]*").match(self._source, start)
            indent = match[0] if match else ""
            name = names[-2] if own[0] in _ENTRANCES and len(names) > 1 else own[0]
            self.missing.append(_Missing(name=name, offset=start, indent=indent))
        for child in node.children:
            if literal is None or child is not (body[0] if isinstance(node, cst.Module) else None):
                self._visit_body(child, names, literal)

    def _visit_body(self, node: Any, names: tuple[str, ...], literal: Any) -> None:
        """As ``visit``, but not the docstring again."""
        if isinstance(node, self._cst.IndentedBlock) and literal is not None:
            for child in node.body[1:]:
                self.visit(child, names)
        else:
            self.visit(node, names)

    def _docstring(self, body: Any) -> Any:
        cst = self._cst
        first = body[0] if body else None
        if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
            value = first.body[0].value
            if isinstance(value, cst.SimpleString | cst.ConcatenatedString):
                return value
        return None

    def _text(self, node: Any, names: tuple[str, ...], *, is_docstring: bool) -> None:
        value = node.evaluated_value
        if not isinstance(value, str):
            return
        spans = tuple(self._span(leaf) for leaf in self._leaves(node))
        column = self._positions[node].start.column
        line = self._source[spans[0][0] - column : spans[0][0]]
        self.texts.append(
            _SourceText(
                value=value,
                spans=spans,
                is_docstring=is_docstring,
                names=names,
                indent=line if not line.strip() else "",
            )
        )

    def _leaves(self, node: Any) -> Iterator[Any]:
        if isinstance(node, self._cst.ConcatenatedString):
            yield from self._leaves(node.left)
            yield from self._leaves(node.right)
        else:
            yield node

    def _span(self, node: Any) -> tuple[int, int]:
        place = self._positions[node]
        # Parentheses around a literal are its node's own.
        start = self._lines[place.start.line - 1] + place.start.column
        end = self._lines[place.end.line - 1] + place.end.column
        return start, end

    def _names(self, node: Any) -> tuple[str, ...]:
        """The name that a node gives to what is within it."""
        cst = self._cst
        match node:
            case cst.Param(name=cst.Name(value=name)):
                return (name,)
            case cst.Arg(keyword=cst.Name(value=name)):
                return (name,)
            case cst.AnnAssign(target=cst.Name(value=name)):
                return (name,)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name)), *_]):
                return (name,)
            case cst.DictElement(key=cst.SimpleString() as key):
                value = key.evaluated_value
                return (value,) if isinstance(value, str) else ()
            case _:
                return ()


_BREAK = re.compile(r"\r\n?|\n")


def _line_starts(source: str) -> list[int]:
    return [0, *(match.end() for match in _BREAK.finditer(source))]
