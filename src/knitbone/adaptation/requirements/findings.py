"""Findings of the static analysis: what looks wrong at a site, such as "silent loss"."""

from __future__ import annotations

import difflib
import hashlib
import io
import json
import os
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.requirements import ChunkSpec, ContextRule, FencedTemplate, Unknown
from knitbone.adaptation.requirements.file import FileSite, RequirementsFile
from knitbone.adaptation.requirements.merge import apply_requirements, number_sites
from knitbone.adaptation.requirements.records import (
    Confidence,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioName,
    ScenarioRequirement,
    Shape,
    StructuredTemplate,
    plain_elements,
)
from knitbone.adaptation.requirements.sites import Site
from knitbone.common.baseline_files import AcceptedFinding, read_accepted, write_accepted
from knitbone.common.printable import printable
from knitbone.config import AdaptConfig

__all__ = [
    "FILE_NAME",
    "SEVERITIES",
    "Accepted",
    "JudgedFinding",
    "PromptLine",
    "Review",
    "ReviewNote",
    "ReviewedSite",
    "Severity",
    "SiteFinding",
    "accept",
    "findings_of",
    "is_suppressed",
    "load_baseline",
    "prompt_line",
    "rank_of",
    "ranked_findings",
    "read_directives",
    "review",
    "save_baseline",
]


# Conflicts between prompt and code: the prompt asks for another form than the code reads.
#
# Deliberately careful: a prompt says nothing unless it shows an example or names exactly one
# format. Source: Comfrey §4.2 (prompt templates carry the expected format).

_INTRODUCTION = re.compile(
    r"\b(?:formats?|formatted|examples?|as follows|like this|follow(?:ing)?|template|structure)\b"
    r".{0,60}:\s*$",
    re.IGNORECASE,
)
"""A line that announces a format or an example."""
_MARKED_LINE = re.compile(r"^\s*(?:[A-Za-z][\w ]{0,30}|\d{1,3}|[A-Za-z]+ \d{1,3})\s*[:.)\-]")
"""A line that begins with a label or a number."""
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,60}>|\{\{?[^{}\n]{1,60}\}?\}|\[[^\[\]\n]{1,60}\]|\.{3}|…")
"""Words in an example that stand for content."""
_FORMAT_REQUEST = re.compile(
    r"\b(?:as|in|valid|return|respond|respond with|output|produce|reply with|write|generate)\s+"
    r"(?:an?\s+|only\s+|the\s+|valid\s+|raw\s+|pure\s+)*(JSON|YAML|XML|CSV)\b|"
    r"\b(JSON|YAML|XML|CSV)\s+(?:format|object|array|document|only)\b",
    re.IGNORECASE,
)
"""Words that ask for a format: "return valid JSON"."""
_FORMAT_NAME = re.compile(r"\b(JSON|YAML|XML|CSV)\b", re.IGNORECASE)
_KEY = re.compile(r"[\"']([A-Za-z_][\w-]*)[\"']\s*:")
_ACCEPTS = {
    "json": {"json"},
    "jsonl": {"json"},
    "yaml": {"yaml", "json"},  # YAML 1.2 holds JSON
    "xml": {"xml"},
    "csv": {"csv"},
}
"""Format that a parser reads -> formats that a prompt may ask for."""


def conflicting_format(
    prompts: Sequence[str], requirements: Sequence[Requirement]
) -> tuple[str, Requirement] | None:
    """Return the format that the prompts ask for where every parser expects another, and the
    parser."""
    text = "\n".join(prompts)
    asked = {(a or b).lower() for a, b in _FORMAT_REQUEST.findall(text)}
    named = {name.lower() for name in _FORMAT_NAME.findall(text)}
    if len(asked) != 1 or named != asked:
        return None
    parsers = [(r, f) for r in requirements if (f := _format(r)) in _ACCEPTS]
    if not parsers or any(asked & _ACCEPTS[f] for _, f in parsers):
        return None
    return asked.pop().upper(), parsers[0][0]


def _format(requirement: Requirement) -> str:
    """Return the format of a parser."""
    if isinstance(requirement, StructuredTemplate):
        return requirement.format
    return requirement.language if isinstance(requirement, ParserSyntax) else ""


def missing_keys(
    prompts: Sequence[str], requirement: StructuredTemplate
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the keys that the code needs and that no prompt mentions, and those that the prompt
    shows."""
    shown = tuple(dict.fromkeys(key for prompt in prompts for key in _KEY.findall(prompt)))
    if not shown or requirement.format not in ("json", "jsonl", "yaml", "python-literal"):
        return None
    text = "\n".join(prompts)
    missing = tuple(
        key
        for key in dict.fromkeys(_required(requirement.shape))
        if not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text)
    )
    return (missing, shown) if missing else None


def _required(shape: Shape) -> Iterator[str]:
    """Find the keys that must be there."""
    for field in shape.fields:
        if field.required:
            yield field.name
            yield from _required(field.shape)
    if shape.items is not None:
        yield from _required(shape.items)


def unmatched_example(prompts: Sequence[str], template: PositionalTemplate) -> str | None:
    """Return the first line of an example in a prompt in which the code would find no record."""
    reader = template.reader
    if reader is None or reader.kind != "regex":
        return None
    examples = [example for prompt in prompts for example in _examples(prompt)]
    if not examples:
        return None
    words = [e.text.lower() for e in plain_elements(template.elements) if e.kind == "words"]
    numbered = template.marker == "number"
    for example in examples:
        variants = {_PLACEHOLDER.sub(filler, example) for filler in ("text", "7", "yes", r"[text]")}
        try:
            if any(reader.read(text) for text in (*variants, example)):
                return None
        except TimeoutError:
            return None  # not known
    for example in examples:
        alike = numbered and re.search(r"^\s*\D{0,12}\d+\s*[.:)\-]", example, re.MULTILINE)
        if alike or (words and all(word in example.lower() for word in words)):
            return example.strip().splitlines()[0]
    return None


def _examples(prompt: str) -> Iterator[str]:
    """Find the marked lines behind a line that introduces a format or an example."""
    lines = prompt.splitlines()
    for index, line in enumerate(lines):
        if not _INTRODUCTION.search(line):
            continue
        block: list[str] = []
        for following in lines[index + 1 :]:
            if following.strip() and not _MARKED_LINE.match(following):
                break
            if not following.strip() and block:
                break
            if following.strip():
                block.append(following.rstrip())
        if block:
            yield "\n".join(block)


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


# The line of a prompt that says what form the answer has, for reports: does the code agree?

_FORM_WORDS = re.compile(
    r"\b(?:JSON|YAML|XML|CSV|SQL|markdown|code block|bullet\w*|numbered|comma[- ]separated)\b"
    r"|\b(?:one|each) (?:per|on (?:a|its)(?: own| new)?) line\b"
    r"|[\"'][A-Za-z_][\w-]*[\"']\s*:",
    re.IGNORECASE,
)
"""Words about the form of an answer, or a key in quotes."""
_EXAMPLE = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+\S")
"""A line that is an item of a list."""
_SENTENCE_END = re.compile(r"(?<=[\w}\])\"'][.!?])\s+(?=[A-Z])")
_MARKER_WORDS = {
    "number": re.compile(r"\bnumbered\b", re.IGNORECASE),
    "bullet": re.compile(r"\bbullet", re.IGNORECASE),
}
"""Marker of a template -> words by which a prompt asks for it."""
_MAX_CHARACTERS = 20_000
"""Of a prompt, that are looked at (ours): its form is said in its text, not in its data."""


class PromptLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a prompt about the form of the answer."""

    text: str
    file: str
    line: int
    agrees: bool | None
    """``None`` where it does not tell."""


def prompt_line(site: Site, findings: Sequence[SiteFinding]) -> PromptLine | None:
    """Return the line that says most, in the prompt that stands last; ``None`` where
    none says any."""
    disagrees = any("prompt" in finding.name for finding in findings)
    for prompt in reversed(site.prompts):
        text = prompt.text[:_MAX_CHARACTERS]
        lines = [part for line in text.splitlines() for part in _SENTENCE_END.split(line)]
        saying = next((line for line in lines if _FORM_WORDS.search(line)), None) or next(
            (line for line in lines if _EXAMPLE.match(line)), None
        )
        if saying is not None:
            agrees = False if disagrees else _agrees(text, saying, site.requirements) or None
            return PromptLine(
                text=saying.strip(), file=prompt.file, line=prompt.line, agrees=agrees
            )
    return None


def _agrees(text: str, saying: str, requirements: Sequence[Requirement]) -> bool:
    """Return whether the prompt names every key that the code needs, names the mark that records
    begin with, or shows a record that the code reads."""
    for requirement in requirements:
        if isinstance(requirement, StructuredTemplate):
            keys = _keys(requirement.shape)
            named = all(re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) for key in keys)
            if keys and named and requirement.format.upper() in text.upper():
                return True
        if isinstance(requirement, PositionalTemplate) and requirement.reader is not None:
            mark = _MARKER_WORDS.get(requirement.marker)
            if mark is not None and mark.search(saying):
                return True
            shown = "\n".join(line for line in text.splitlines() if _EXAMPLE.match(line))
            if shown and _reads(requirement.reader, shown):
                return True
    return False


def _reads(reader: Reader, shown: str) -> bool:
    """Return whether a reader finds a record in a text."""
    try:
        return bool(reader.read(shown))
    except TimeoutError:
        return False  # not known


def _keys(shape: Shape) -> list[str]:
    """Return the keys that must be there."""
    keys = [field.name for field in shape.fields if field.required]
    for inner in [*(f.shape for f in shape.fields if f.required), shape.items]:
        keys += _keys(inner) if inner is not None else []
    return keys


# Suppressions in the source: ``# knitbone: ignore`` comments, beside the code that they judge.
#
# ``# knitbone: ignore`` on the line of a site silences its findings and switches its adaptation
# off; on the line of a consumer it silences the findings that name this line. With names in square
# brackets, ``# knitbone: ignore[silent-loss]``, it silences these findings only and switches
# nothing off. Text may follow. Only comments count, never strings that look like one.

_DIRECTIVE = re.compile(r"#\s*knitbone\s*:\s*(?P<verb>[\w-]*)\s*(?P<names>\[[^\]]*\]?)?")


class SuppressionDirective(msgspec.Struct, frozen=True, kw_only=True):
    """One comment that speaks to knitbone."""

    line: int
    names: tuple[str, ...] = ()
    """Findings that it silences; empty: all."""
    problem: str = ""
    """Why it silences nothing."""

    def covers(self, site: Site, finding: SiteFinding, *, file: str) -> bool:
        """Return whether it silences a finding of a site, standing in ``file``."""
        if self.problem or (self.names and finding_id(finding) not in self.names):
            return False
        return self.is_on(site, file=file) or (finding.file, finding.line) == (file, self.line)

    def is_on(self, site: Site, *, file: str) -> bool:
        """Return whether it stands on a line of the site."""
        return site.file == file and site.line <= self.line <= site.end_line

    def switches_off(self, site: Site, *, file: str) -> bool:
        """Return whether it says that the site is not to be adapted."""
        return not self.problem and not self.names and self.is_on(site, file=file)


def finding_id(finding: SiteFinding) -> str:
    """Return the name of a finding as it is written in comments and baselines: ``silent-loss``."""
    return _identifier(finding.name)


def _identifier(name: str) -> str:
    """Return a name in lower case with hyphens."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def read_directives(source: str) -> tuple[SuppressionDirective, ...]:
    """Return all comments of a module that begin with ``knitbone:``, those that are wrong among
    them.

    A module that cannot be tokenised has those that stand before the error.
    """
    return tuple(_directives(source))


def _directives(source: str) -> Iterator[SuppressionDirective]:
    """Find the directives in the comments of a module."""
    if "knitbone" not in source:
        return
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    try:
        for token in tokens:
            if token.type == tokenize.COMMENT:
                for match in _DIRECTIVE.finditer(token.string):
                    yield _directive(token.start[0], match)
    except (tokenize.TokenError, SyntaxError):
        return


def _directive(line: int, match: re.Match[str]) -> SuppressionDirective:
    """Return the directive of one comment."""
    verb, written = match["verb"], match["names"]
    if verb != "ignore":
        return SuppressionDirective(line=line, problem=f"{verb!r} is no directive; known: 'ignore'")
    if written is None:
        return SuppressionDirective(line=line)
    names = tuple(_identifier(name) for name in written.strip("[]").split(",") if name.strip())
    if not written.endswith("]") or not names:
        return SuppressionDirective(
            line=line, problem=f"'ignore{written}' names no finding in [...]"
        )
    return SuppressionDirective(line=line, names=names)


def is_suppressed(site: Site, source: str) -> bool:
    """Return whether a bare ``# knitbone: ignore`` stands on the site: it is not adapted then.

    Args:
        source: text of the module that holds the site.
    """
    return any(d.switches_off(site, file=site.file) for d in read_directives(source))


# ``knitbone.baseline.json``: findings that a team has seen and accepted, by fingerprint.
#
# A fingerprint names one finding of one consumer of one site, whatever line they stand on; new
# findings show, old ones stay silent, and entries that no longer occur are reported.

FILE_NAME = "knitbone.baseline.json"


class Accepted(AcceptedFinding, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accepted finding; all but the fingerprint is for people."""

    finding: str
    file: str
    function: str
    about: str


def site_id(site: Site, number: int, root: Path) -> str:
    """Return a name of a site that line shifts do not change.

    Args:
        number: which of the sites with the same file, function and origin (``number_sites``).
        root: what paths are relative to.
    """
    return _digest(_identity(site, number, root))


def _identity(site: Site, number: int, root: Path) -> list[str]:
    """Return what a site is known by."""
    file = os.path.relpath(site.file, root)
    return [Path(file).as_posix(), site.function, site.origin, str(number)]


def fingerprints(site: Site, number: int, root: Path) -> list[tuple[SiteFinding, str]]:
    """Return the findings of a site with their fingerprints; arguments as for ``site_id``."""
    found: list[tuple[SiteFinding, str]] = []
    seen: dict[str, int] = {}
    for finding in findings_of(site):
        consumer = next(
            (
                requirement.evidence.expression
                for requirement in site.requirements
                if (requirement.evidence.file, requirement.evidence.line)
                == (finding.file, finding.line)
            ),
            "",
        )
        parts = [*_identity(site, number, root), finding_id(finding), consumer]
        key = _digest(parts)
        seen[key] = seen.get(key, 0) + 1
        # Equal consumers in one function are told apart by their order.
        found.append((finding, _digest([*parts, str(seen[key])])))
    return found


def _digest(parts: Sequence[str]) -> str:
    """Return a short hash of some texts."""
    text = json.dumps(parts)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_baseline(path: Path) -> tuple[Accepted, ...]:
    """Return the accepted findings.

    Raises:
        InputFormatError: the file cannot be read, or is not a baseline of this version.
    """
    return read_accepted(
        path,
        Accepted,
        again="knitbone check --write-baseline",
        copy="knitbone check --json",
    )


def save_baseline(path: Path, accepted: Iterable[Accepted]) -> None:
    """Write a baseline, the same bytes for the same findings.

    Raises:
        InputFormatError: it cannot be written there.
    """
    entries = sorted(accepted, key=lambda a: (a.file, a.function, a.finding, a.fingerprint))
    write_accepted(path, entries)


# Review of sites and findings: what is left once file, comments and baseline had their say.

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least to the most severe."""


class JudgedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and whether somebody has judged it."""

    finding: SiteFinding
    fingerprint: str
    """Stable over line shifts."""
    silenced: Literal["", "comment", "baseline"] = ""

    @property
    def id(self) -> str:
        """Return the name of the rule: ``silent-loss``."""
        return finding_id(self.finding)


class ReviewedSite(msgspec.Struct, frozen=True, kw_only=True):
    """A site with its findings, as the file and the comments leave it."""

    site: Site
    id: str
    findings: tuple[JudgedFinding, ...] = ()
    switched_off: Literal["", "comment", "file"] = ""
    acting: tuple[ScenarioRequirement, ...] = ()
    """The scenario requirements that are looked at under the configuration."""
    off: tuple[ScenarioName, ...] = ()
    """Those that it leaves out."""

    @property
    def remaining(self) -> tuple[JudgedFinding, ...]:
        """Return the findings that nobody has judged."""
        return tuple(judged for judged in self.findings if not judged.silenced)


class ReviewNote(msgspec.Struct, frozen=True, kw_only=True):
    """A problem with the comments, the baseline or the file itself."""

    kind: Literal["unused-suppression", "wrong-suppression", "gone-from-baseline", "stale-site"]
    file: str
    line: int
    text: str


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """All sites as they were reviewed."""

    root: Path
    sites: tuple[ReviewedSite, ...]
    notes: tuple[ReviewNote, ...] = ()

    @property
    def remaining(self) -> tuple[JudgedFinding, ...]:
        """Return the findings that nobody has judged."""
        return tuple(judged for reviewed in self.sites for judged in reviewed.remaining)


def review(
    sites: Sequence[Site],
    *,
    root: Path,
    read: Collection[str],
    known: Iterable[str] = (),
    file: RequirementsFile | None = None,
    baseline: Sequence[Accepted] = (),
    config: AdaptConfig | None = None,
) -> Review:
    """Let the file, the comments and the baseline have their say, in this order.

    Args:
        sites: what the analysis found.
        root: what fingerprints are relative to.
        read: the files that were asked for; comments and entries about others are not judged.
        known: names of findings that a comment may name, besides those that occur.
        config: the settings that hold at run time; the defaults where there are none.
    """
    settings = config or AdaptConfig()
    applied = apply_requirements(sites, file)
    ignored = {id(site) for site in applied.ignored}
    holding = iter(applied.sites)
    comments = _Comments()
    accepted = {entry.fingerprint for entry in baseline}
    reviewed: list[ReviewedSite] = []
    for site, number in number_sites(sites):
        name = site_id(site, number, root)
        if id(site) in ignored:
            reviewed.append(ReviewedSite(site=site, id=name, switched_off="file"))
            continue
        now = next(holding)
        judged = tuple(
            _judge(now, finding, fingerprint, comments, accepted)
            for finding, fingerprint in fingerprints(now, number, root)
        )
        off = "comment" if comments.switch_off(now) else ""
        acting = [r for r in now.acting(settings) if isinstance(r, ScenarioRequirement)]
        reviewed.append(
            ReviewedSite(
                site=now, id=name, findings=judged, switched_off=off,
                acting=tuple(acting), off=now.left_out(settings),
            )
        )  # fmt: skip
    found = [judged for each in reviewed for judged in each.findings]
    occurring = {judged.fingerprint for judged in found}
    notes = [
        *comments.notes(read, {*known, *(judged.id for judged in found)}),
        *_notes_on_baseline([e for e in baseline if e.fingerprint not in occurring], root, read),
        *_notes_on_stale(applied.missing, read),
    ]
    return Review(root=root, sites=tuple(reviewed), notes=tuple(notes))


def accept(reviewed: Review) -> list[Accepted]:
    """Return the baseline of a review: every finding that no comment silences."""
    return [
        Accepted(
            fingerprint=judged.fingerprint,
            finding=judged.id,
            file=Path(os.path.relpath(each.site.file, reviewed.root)).as_posix(),
            function=each.site.function,
            about=judged.finding.text,
        )
        for each in reviewed.sites
        for judged in each.findings
        if judged.silenced != "comment"
    ]


def _judge(
    site: Site, finding: SiteFinding, fingerprint: str, comments: _Comments, accepted: set[str]
) -> JudgedFinding:
    """Return a finding with what silences it."""
    silenced = "baseline" if fingerprint in accepted else ""
    if comments.silence(site, finding):
        silenced = "comment"
    return JudgedFinding(finding=finding, fingerprint=fingerprint, silenced=silenced)


class _Comments:
    """The directives of the files, and which of them had something to silence."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[SuppressionDirective, ...]] = {}
        self._used: set[tuple[str, SuppressionDirective]] = set()

    def silence(self, site: Site, finding: SiteFinding) -> bool:
        """Return whether a comment silences a finding."""
        covering = {
            (file, directive)
            for file in (site.file, finding.file)
            for directive in self._of(file)
            if directive.covers(site, finding, file=file)
        }
        self._used |= covering
        return bool(covering)

    def switch_off(self, site: Site) -> bool:
        """Return whether a comment switches a site off."""
        off = {
            (site.file, directive)
            for directive in self._of(site.file)
            if directive.switches_off(site, file=site.file)
        }
        self._used |= off
        return bool(off)

    def notes(self, read: Collection[str], known: Collection[str]) -> Iterator[ReviewNote]:
        """Find comments that are wrong, or had nothing to silence."""
        for file in sorted(read):
            for directive in self._of(file):
                wrong = directive.problem or _unknown_names(directive, known)
                if wrong:
                    yield ReviewNote(
                        kind="wrong-suppression", file=file, line=directive.line, text=wrong
                    )
                elif (file, directive) not in self._used:
                    yield ReviewNote(
                        kind="unused-suppression",
                        file=file,
                        line=directive.line,
                        text=f"nothing here to ignore: {', '.join(directive.names) or 'no site'}",
                    )

    def _of(self, file: str) -> tuple[SuppressionDirective, ...]:
        """Return the directives of a file."""
        if file not in self._read:
            try:
                with tokenize.open(file) as source:
                    self._read[file] = read_directives(source.read())
            except (OSError, SyntaxError, UnicodeDecodeError):
                # The analysis reports files that cannot be read.
                self._read[file] = ()
        return self._read[file]


def _unknown_names(directive: SuppressionDirective, known: Collection[str]) -> str:
    """Return a problem where a comment names a finding that there is not."""
    for name in directive.names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            return f"{name!r} is the name of no finding{hint}"
    return ""


def _notes_on_baseline(
    entries: Iterable[Accepted], root: Path, read: Collection[str]
) -> Iterator[ReviewNote]:
    """Find entries of the baseline that no longer occur."""
    for entry in entries:
        file = os.path.normpath(f"{root}/{entry.file}")
        if file in read or not Path(file).exists():
            text = f"{entry.finding} {entry.fingerprint} in {entry.function} no longer occurs"
            yield ReviewNote(kind="gone-from-baseline", file=file, line=0, text=text)


def _notes_on_stale(places: Iterable[FileSite], read: Collection[str]) -> Iterator[ReviewNote]:
    """Find sites of the file that are no longer in the code."""
    for place in places:
        if place.file in read or not Path(place.file).exists():
            text = f"{place.function}: {place.origin} is in the requirements file, not in the code"
            yield ReviewNote(kind="stale-site", file=place.file, line=0, text=text)


# The order in which findings are worth a look: what a maintainer would act on comes first.
#
# What goes wrong with every answer, or does damage, comes before what is lost without a word, and
# that before an error, which shows by itself. One line of code that many sites lead to is one
# entry.

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
_ORDER = (
    "prompt-and-parser-disagree",
    "key-not-in-the-prompt",
    "prompt-and-pattern-disagree",
    "sql-executed-unchecked",
    "splitter-of-size-1",
    "overlap-not-below-size",
    "first-line-only",
    "output-executed-as-it-is",
    "silent-loss",
    "relevance-threshold-0",
    "may-raise",
)
"""Names of findings, the one to act on first at the head."""


class RankedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of code with a finding, and how many sites lead to it."""

    judged: JudgedFinding
    rank: int
    sites: int


def rank_of(judged: JudgedFinding, confidence: Confidence) -> int:
    """Return how much a finding is worth a look, 0 to 100: by severity, then by its name, then by
    how sure it is."""
    name = judged.id
    place = _ORDER.index(name) if name in _ORDER else len(_ORDER)
    levels = len(_SEVERITIES) * (len(_ORDER) + 1) * len(_CONFIDENCES)
    level = _SEVERITIES.index(judged.finding.severity) * (len(_ORDER) + 1) + place
    level = level * len(_CONFIDENCES) + _CONFIDENCES.index(confidence)
    return round(100 * (levels - 1 - level) / (levels - 1))


def ranked_findings(sites: Iterable[ReviewedSite]) -> list[RankedFinding]:
    """Return the findings that nobody has judged, what to act on first at the head; of each line of
    code the first one, since who mends that sees the others."""
    found: dict[tuple[str, int], RankedFinding] = {}
    led: dict[tuple[str, int], set[str]] = {}
    for each in sites:
        for judged in each.remaining:
            place = (judged.finding.file or each.site.file, judged.finding.line or each.site.line)
            led.setdefault(place, set()).add(each.id)
            known = found.get(place)
            rank = rank_of(judged, each.site.confidence)
            if known is None or rank > known.rank:
                found[place] = RankedFinding(judged=judged, rank=rank, sites=1)
    order = sorted(found, key=lambda place: (-found[place].rank, place))
    return [msgspec.structs.replace(found[place], sites=len(led[place])) for place in order]
