"""Look-up in the catalogue: from the path of an object to its type, and from a type to its members.

A path is an imported dotted name followed by attributes, calls ``()`` and items ``[]``. Its head
is looked up among the imported names (longest first); the rest goes from member to member:
``openai.OpenAI().chat`` begins at the class ``openai.OpenAI`` and ends at ``openai.chat-resource``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from knitbone.adaptation.analysis.catalogue.canonical_names import canonical
from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Type
from knitbone.adaptation.analysis.catalogue.tables import ENTRIES, RULES, TYPES

__all__ = ["Reached", "entry_of", "member", "reach", "step", "tokens", "type_of"]

_TOKEN = re.compile(r"\(\)|\[[^\]]*\]|\.?(\w+)")
_CLASS = "class:"
_CONSTRUCTORS = re.compile(
    r"a?from_\w+|a?create|a?load\w*|connect|default\w*|use_\w+|__call__|model_\w+"
)
"""Class methods that make an object of their class."""
_COPY_METHODS = {
    "model_dump()",
    "to_dict()",
    "dict()",
    "to_dict_recursive()",
    "model_copy()",
    "copy()",
    "__aenter__()",
    "__enter__()",
}
"""Methods of responses that return the same content in another form."""
_IDENTITY_ACCESSES = _COPY_METHODS | {"with", "await", "dict", "list"}


class Reached(NamedTuple):
    """The type at which a path ends."""

    type: str
    awaited: bool = False
    """True if the methods of the object are coroutines."""


def tokens(path: str) -> list[str]:
    """Split a path: ``a.B().c[0]`` -> ``a``, ``B``, ``()``, ``c``, ``[]``."""
    return [found[1] or ("()" if found[0] == "()" else "[]") for found in _TOKEN.finditer(path)]


@cache
def _rules() -> tuple[tuple[re.Pattern[str], ImportedName], ...]:
    """Return the rules with their patterns compiled."""
    return tuple((re.compile(rule.pattern), rule.entry) for rule in RULES)


@cache
def entry_of(name: str) -> ImportedName | None:
    """Return what an imported dotted name is, whichever module it was imported from."""
    known = ENTRIES.get(name) or ENTRIES.get(canonical(name))
    if known:
        return known
    return next((entry for pattern, entry in _rules() if pattern.fullmatch(name)), None)


def type_of(name: str) -> Type:
    """Return the named type."""
    return TYPES[name]


@cache
def reach(path: str) -> Reached | None:
    """Return what a path denotes; ``None`` where the catalogue does not know."""
    return _reach(tuple(tokens(path)))


@cache
def _reach(parts: tuple[str, ...]) -> Reached | None:
    """Find the imported name that a path begins with, and walk the rest of it."""
    names = next((i for i, part in enumerate(parts) if part in ("()", "[]")), len(parts))
    for length in range(names, 0, -1):
        entry = entry_of(".".join(parts[:length]))
        if entry:
            kind = f"{_CLASS}{entry.target}" if entry.is_class else entry.target
            return _walk(Reached(kind, entry.awaited), parts[length:])
    return None


def _walk(at: Reached, parts: tuple[str, ...]) -> Reached | None:
    """Go from member to member; ``None`` where one is unknown."""
    index = 0
    while index < len(parts):
        name = parts[index]
        called = index + 1 < len(parts) and parts[index + 1] == "()" and name not in ("()", "[]")
        found = step(at, f"{name}()") if called else None
        if found is not None:
            index += 2
        else:
            found = step(at, name)
            index += 1
        if found is None:
            return None
        at = _result(at, found)
    return at


def _result(at: Reached, found: str | Call) -> Reached:
    """Return where one member leads."""
    # A call's own awaiting is over when its result is walked.
    return Reached(found.shape) if isinstance(found, Call) else Reached(found, at.awaited)


def step(at: Reached, access: str) -> str | Call | None:
    """Return the member behind one access, for the types of objects and classes."""
    if at.type.startswith(_CLASS):
        target = at.type.removeprefix(_CLASS)
        makes = access == "()" or (access.endswith("()") and _CONSTRUCTORS.fullmatch(access[:-2]))
        # ``RecursiveCharacterTextSplitter.from_tiktoken_encoder`` before its call.
        if makes:
            return target
        return f"{_CLASS}{target}" if _CONSTRUCTORS.fullmatch(access) else None
    return next((found for found in member(at.type, access)), None)


def member(shape: str, access: str) -> Iterator[str | Call]:
    """Find all members behind one access of a type that may be written ``a|b`` or ``a*``."""
    for one in shape.split("|"):
        found = _member(one, access)
        if found is not None:
            yield found


def _member(shape: str, access: str) -> str | Call | None:
    """Return the member behind one access of one type."""
    if shape.startswith("raw:"):
        return _raw_member(shape, access)
    if shape.endswith("*"):
        if access in ("[]", "next()", "__next__()", "__anext__()", "pop()"):
            return shape.removesuffix("*")
        return (
            shape if access in _IDENTITY_ACCESSES or access in ("values()", "__iter__()") else None
        )
    kind = TYPES[shape]
    while True:
        if access in kind.members:
            return kind.members[access]
        if not kind.base:
            break
        kind = TYPES[kind.base]
    if access in ("with", "await"):
        return shape
    if (
        access in _IDENTITY_ACCESSES
        and kind.role is None
        and kind.form in ("response", "message", "object")
    ):
        return shape
    if access in ("model_dump_json()", "to_json()", "json()") and kind.form == "response":
        return f"raw:{shape}"
    # Fields that the application itself names.
    named = access.isidentifier() and not access.startswith("__")
    return kind.members.get("*") if named else None


_RAW_TEXT_ACCESSES = {
    "text", "content", "read()", "decode()", "body", "data", "parse()", "json()",
    # A line of a stream of events: ``data: {...}``.
    "strip()", "lstrip()", "rstrip()", "removeprefix()", "replace()", "getvalue()",
}  # fmt: skip
"""Accesses that reach the text or the content of an undecoded answer."""


def _raw_member(shape: str, access: str) -> str | None:
    """Return the member behind one access of an answer that is not decoded yet."""
    inner = shape.removeprefix("raw:")
    if access in ("json()", "parse()", "json.loads()"):
        return inner
    if access in ("iter_lines()", "aiter_lines()", "iter_content()", "iter_text()", "content()"):
        return shape
    return (
        shape
        if access in _RAW_TEXT_ACCESSES or access in _IDENTITY_ACCESSES or access == "[]"
        else None
    )
