"""Findings of the static analysis: what looks wrong at a site, such as "silent loss"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from knitbone.adaptation.requirements import (
    ChunkSpec,
    ContextRule,
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    StructuredTemplate,
    Unknown,
)
from knitbone.adaptation.requirements.prompt_conflicts import (
    conflicting_format,
    missing_keys,
    unmatched_example,
)
from knitbone.adaptation.requirements.sites import Site
from knitbone.common.printable import printable

__all__ = ["Severity", "SiteFinding", "findings_of"]

Severity = Literal["error", "warning", "note"]

_EXECUTED_LANGUAGES = frozenset(
    {"python", "javascript", "shell", "powershell", "batch", "ruby", "perl"}
)
"""Languages in which an output would do something when it is run."""
_PARSING_ONLY = ("ast.parse", "compile", "sqlglot.", "sqlparse.", "libcst.", "black.", "esprima.")
"""Beginnings of functions that parse a text and do not run it."""
_SQL_METHODS = ("execute", "executescript", "executemany", "run", "run_no_throw", "exec_driver_sql")
"""Methods of connections and cursors that run a statement."""
_SQL_FUNCTIONS = (
    "read_sql",
    "read_sql_query",
    "text",
    "query",
    "sql",
    "fetch",
    "fetchrow",
    "fetchval",
)
"""Functions and methods that run a query and return its rows."""


class SiteFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that looks wrong at a site."""

    name: str
    text: str
    file: str = ""
    line: int = 0
    """The evidence: where the code does it."""
    severity: Severity = "warning"


def findings_of(site: Site) -> tuple[SiteFinding, ...]:
    """Return the findings of a site, each once, in the order of its requirements."""
    return tuple(dict.fromkeys([*_of_requirements(site), *_of_prompts(site)]))


def _finding(
    requirement: Requirement, name: str, text: str, severity: Severity = "warning"
) -> SiteFinding:
    """Return a finding at the evidence of a requirement."""
    evidence = requirement.evidence
    return SiteFinding(
        name=name, text=text, file=evidence.file, line=evidence.line, severity=severity
    )


def _of_requirements(site: Site) -> Iterator[SiteFinding]:
    """Find what is wrong with each requirement."""
    for requirement in site.requirements:
        yield from _of_violation(requirement)
        if isinstance(requirement, PositionalTemplate):
            yield from _first_line_only(requirement)
        elif isinstance(requirement, ChunkSpec):
            yield from _chunk(requirement)
        elif isinstance(requirement, ContextRule):
            yield from _context(requirement)
        elif isinstance(requirement, ParserSyntax):
            yield from _run(requirement, site)


def _of_violation(requirement: Requirement) -> Iterator[SiteFinding]:
    """Find outputs that are lost, or raise an error that nothing catches, where they do not fit."""
    if isinstance(requirement, Unknown | ScenarioRequirement | ChunkSpec | ContextRule):
        return
    unit = _unit(requirement)
    if requirement.on_violation == "raises":
        yield _finding(requirement, "may raise", f"if violated the {unit} raises an error")
    elif requirement.on_violation == "silent" and not _is_choice(requirement):
        yield _finding(
            requirement, "silent loss", f"if violated the {unit} is dropped without an error"
        )


def _unit(requirement: Requirement) -> str:
    """Return what is lost: the output, a line or a record."""
    if not isinstance(requirement, PositionalTemplate):
        return "output"
    if not requirement.repeated and all(element.kind == "slot" for element in requirement.elements):
        return "output"
    lines = requirement.reader is not None and requirement.reader.splits_lines
    return "line" if lines or requirement.line_start else "record"


def _is_choice(requirement: Requirement) -> bool:
    """Return whether a requirement is a comparison: it drops nothing, the code takes its other
    branch."""
    if not isinstance(requirement, PositionalTemplate) or requirement.reader is not None:
        return False
    return any(element.kind == "words" and element.captured for element in requirement.elements)


def _first_line_only(requirement: PositionalTemplate) -> Iterator[SiteFinding]:
    """Find a pattern that matches at the start of the text only, where all lines are meant."""
    reader = requirement.reader
    if reader is None:
        return
    if reader.method in ("findall", "finditer") and not requirement.repeated:
        yield _finding(
            requirement,
            "first line only",
            '"^" without re.MULTILINE matches at the start of the text only',
        )


def _chunk(requirement: ChunkSpec) -> Iterator[SiteFinding]:
    """Find settings of a splitter that cannot work."""
    size, overlap = requirement.size, requirement.overlap
    if size is not None and size <= 1:
        unit = requirement.length.removesuffix("s")
        yield _finding(
            requirement, "splitter of size 1", f"pieces of {size} {unit} hold no content", "error"
        )
    elif size is not None and overlap is not None and overlap >= size:
        yield _finding(
            requirement,
            "overlap not below size",
            f"an overlap of {overlap:,} leaves no step forward in pieces of {size:,}",
            "error",
        )


def _context(requirement: ContextRule) -> Iterator[SiteFinding]:
    """Find settings of a retriever that let everything pass."""
    if requirement.threshold is not None and requirement.threshold <= 0:
        yield _finding(
            requirement,
            "relevance threshold 0",
            f"a threshold of {requirement.threshold:g} lets every entry pass",
        )


def _run(requirement: ParserSyntax, site: Site) -> Iterator[SiteFinding]:
    """Find outputs that are run without a check."""
    if requirement.parser.startswith(_PARSING_ONLY):
        return
    language = requirement.language
    if language in _EXECUTED_LANGUAGES and not _fenced(requirement, site):
        yield _finding(
            requirement,
            "output executed as it is",
            f"the whole output is run as {language}: a sentence or fence around it is an error",
        )
    if language == "sql" and not _checked_sql(site):
        function = requirement.parser.rpartition(".")[2]
        if function in _SQL_METHODS or function in _SQL_FUNCTIONS:
            yield _finding(
                requirement,
                "SQL executed unchecked",
                "the statement of the model reaches the database without any check",
                "error",
            )


def _fenced(requirement: ParserSyntax, site: Site) -> bool:
    """Return whether the code is taken out of a fence, a record or a field before it is run."""
    taken = {"group", "getitem", "iterate", "re.search", "slice", "split", "partition"}
    if any(step.name in taken for step in requirement.steps):
        return True
    return any(isinstance(r, FencedTemplate) for r in site.requirements)


def _checked_sql(site: Site) -> bool:
    """Return whether the statement is parsed, or its first words compared, anywhere at the site."""
    for requirement in site.requirements:
        if isinstance(requirement, ParserSyntax) and requirement.parser.startswith(_PARSING_ONLY):
            return True
        if isinstance(requirement, PositionalTemplate):
            spelled = " ".join(o for e in requirement.elements for o in e.options).lower()
            if "select" in spelled or "insert" in spelled or "drop" in spelled:
                return True
    return False


def _of_prompts(site: Site) -> Iterator[SiteFinding]:
    """Find prompts that ask for one thing where the code reads another."""
    prompts = [prompt.text for prompt in site.prompts]
    if not prompts:
        return
    conflict = conflicting_format(prompts, site.requirements)
    if conflict is not None:
        asked, parser = conflict
        yield _finding(
            parser,
            "prompt and parser disagree",
            f"the prompt asks for {asked}, the code parses {_parsed(parser)}",
            "error",
        )
    structured = [r for r in site.requirements if isinstance(r, StructuredTemplate)]
    if conflict is None and len(structured) == 1:
        keys = missing_keys(prompts, structured[0])
        if keys is not None:
            missing, shown = (", ".join(printable(f'"{k}"') for k in found) for found in keys)
            yield _finding(
                structured[0],
                "key not in the prompt",
                f"the code reads {missing}; the prompt shows {shown}",
                "error",
            )
    for requirement in site.requirements:
        if not isinstance(requirement, PositionalTemplate):
            continue
        line = unmatched_example(prompts, requirement)
        if line is not None:
            yield _finding(
                requirement,
                "prompt and pattern disagree",
                f'the code finds nothing in what the prompt shows: "{printable(line, limit=80)}"',
                "error",
            )


def _parsed(requirement: Requirement) -> str:
    """Return the format that a parser expects."""
    if isinstance(requirement, StructuredTemplate):
        return requirement.format.upper()
    return requirement.language.upper() if isinstance(requirement, ParserSyntax) else "another"
