"""Record of the analysis -> facts that can be compared with those that a label states.

A label states a fact in one of several ways that mean the same (a class of characters ``[.)]`` by
either of its members). So each fact of a record is the set of the statements that it agrees with,
in one spelling: without blanks, and where the code ignores case, in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from knitbone.adaptation.testing import (
    ChunkSpec,
    ContextRule,
    Element,
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    Step,
    StructuredTemplate,
    Unknown,
)
from knitbone_evals.adapt.requirements.keys import Keys, keys_agree, keys_of_shape, parse_keys

__all__ = ["Facts", "agree", "facts_of", "merged"]

_MOST_SPELLINGS = 4096
"""Of one template; a pattern with more is compared by the first ones."""

_FOLDING = frozenset({"lower", "upper", "casefold"})
_ROWS = frozenset({"csv", "jsonl"})
_LANGUAGES = {"bash": "shell", "sh": "shell", "js": "javascript", "py": "python"}
_DIALECTS = {"postgresql": "postgres", "mssql": "tsql", "sqlite3": "sqlite"}


class Facts(NamedTuple):
    """What one extracted requirement says."""

    kind: str
    accepted: dict[str, frozenset[Any]]
    """For each fact, the statements that agree with it; none where the record does not tell."""
    keys: Keys | None = None
    ignore_case: bool = False


def facts_of(requirement: Requirement) -> Facts | None:
    """The facts of a requirement; None for those that are not scored (unknown, scenario)."""
    match requirement:
        case PositionalTemplate():
            return _positional(requirement)
        case StructuredTemplate():
            accepted = {"format": _only(requirement.format)}
            return Facts("structured", accepted, keys_of_shape(requirement.shape))
        case FencedTemplate():
            tags = frozenset(tag.casefold() for tag in requirement.languages)
            # No tag listed means that none is asked for, which a label writes as "".
            return Facts("fenced", {"languages": _only(tags or frozenset({""}))})
        case ParserSyntax():
            language = requirement.language.casefold()
            dialect = requirement.dialect.casefold()
            accepted = {
                "language": _only(_LANGUAGES.get(language, language)),
                "dialect": _told(_DIALECTS.get(dialect, dialect) or None),
            }
            return Facts("syntax", accepted)
        case ChunkSpec():
            accepted = {
                "size": _told(requirement.size),
                "overlap": _told(requirement.overlap),
                "separators": _told(requirement.separators or None),
                "length": _only(requirement.length),
            }
            return Facts("chunk", accepted)
        case ContextRule():
            accepted = {
                "k": _told(requirement.k),
                "threshold": _told(requirement.threshold),
                "joiner": _told(requirement.joiner),
            }
            return Facts("context", accepted)
        case ScenarioRequirement() | Unknown():
            return None


def agree(stated: dict[str, Any], facts: Facts) -> bool:
    """Whether a requirement says what a label of the same kind states."""
    for name, value in stated.items():
        if name == "keys":
            formats = facts.accepted["format"]
            rows = bool(formats & _ROWS)
            if facts.keys is None or not keys_agree(parse_keys(value), facts.keys, rows=rows):
                return False
        elif _spelled(name, value, facts) not in facts.accepted[name]:
            return False
    return True


def merged(first: Facts, second: Facts) -> Facts | None:
    """Both as one, if they say the same or complete each other; None if they differ."""
    if first.kind != second.kind or first.keys != second.keys:
        return None
    accepted: dict[str, frozenset[Any]] = {}
    for name in first.accepted:
        one, other = first.accepted[name], second.accepted[name]
        if one and other and one != other and name != "repeated":
            return None
        accepted[name] = one | other
    return Facts(first.kind, accepted, first.keys, first.ignore_case or second.ignore_case)


def _spelled(name: str, value: Any, facts: Facts) -> Any:
    """A stated fact in the spelling of the accepted ones."""

    def text(written: str) -> str:
        squeezed = _squeeze(written)
        return squeezed.casefold() if facts.ignore_case else squeezed

    match name:
        case "identifiers":
            return text("".join(value))
        case "one_of":
            return frozenset(map(text, value))
        case "separator":
            return _separator(value)
        case "languages":
            return frozenset(tag.casefold() for tag in value)
        case "language":
            return _LANGUAGES.get(value.casefold(), value.casefold())
        case "dialect":
            return _DIALECTS.get(value.casefold(), value.casefold())
        case _:
            return value


def _positional(template: PositionalTemplate) -> Facts:
    steps = (*template.steps, *(template.reader.steps if template.reader else ()))
    ignore_case = template.ignore_case or any(step.name in _FOLDING for step in steps)
    fold = str.casefold if ignore_case else str
    texts = _spellings(template.elements, may_leave_out=True)
    accepted: dict[str, frozenset[Any]] = {
        "identifiers": frozenset(fold(text) for text in texts if text),
        "one_of": frozenset(
            frozenset(fold(text) for text in choice) for choice in _choices(template.elements)
        ),
        "value": frozenset(_values(template.elements)),
        "separator": frozenset(_separators(template, steps)),
        "repeated": _only(template.repeated),
    }
    return Facts("positional", accepted, ignore_case=ignore_case)


def _options(element: Element) -> list[str]:
    """The spellings of one element; none for content."""
    if element.kind == "number":
        return ["#"]
    if element.kind == "choice":
        return [
            text
            for sequence in element.alternatives
            for text in _spellings(sequence, may_leave_out=False)
        ]
    return [_squeeze(option) for option in element.options or (element.text,)]


def _spellings(elements: Iterable[Element], *, may_leave_out: bool) -> list[str]:
    """What the fixed texts look like one after the other.

    How a text is cut into identifiers is a matter of taste, so they are compared as one. An
    optional text may be missing; one of several may be missing too, if ``may_leave_out``, because
    a label names those in ``one_of``.
    """
    texts = [""]
    for element in elements:
        if element.kind in ("slot", "space"):
            continue
        options = _options(element)
        if element.optional or (may_leave_out and len(options) > 1):
            options.append("")
        texts = list(dict.fromkeys(text + option for text in texts for option in options))
        texts = texts[:_MOST_SPELLINGS]
    return texts


def _choices(elements: tuple[Element, ...]) -> list[list[str]]:
    """Every set of texts of which the code accepts one."""
    found = [options for e in elements if e.kind != "number" and len(options := _options(e)) > 1]
    run = [element for element in elements if element.kind != "space"]
    while run and run[0].kind == "slot":
        run.pop(0)
    while run and run[-1].kind == "slot":
        run.pop()
    if run and not any(element.kind in ("slot", "number") for element in run):
        # A single fixed text is a choice of one: ``text.startswith("YES")``.
        found.append(_spellings(run, may_leave_out=False))
        found.append(_spellings([e for e in run if not e.optional], may_leave_out=False))
    return found


def _values(elements: tuple[Element, ...]) -> set[str]:
    types = {e.type for e in elements if e.kind == "slot" and e.type != "any"}
    return types | {"integer" for e in elements if e.kind == "number"}


def _separators(template: PositionalTemplate, steps: tuple[Step, ...]) -> set[str]:
    if template.separator:
        return {_separator(template.separator)}
    by_line = any(
        step.name == "splitlines" or (step.name == "split" and step.arguments[:1] == ("\n",))
        for step in steps
    )
    return {"\n"} if by_line else set()


def _separator(text: str) -> str:
    return text.strip() or text


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _only(value: Any) -> frozenset[Any]:
    return frozenset({value})


def _told(value: Any) -> frozenset[Any]:
    """A fact that the record may leave open."""
    return frozenset() if value is None else frozenset({value})
