"""The label files: one TOML file an application, checked as it is read.

A *site* is a call that brings an output of a model, a retriever or a text splitter. A *consumer*
is an expression of the application that reads such an output and thereby requires a form of it;
its facts say which form, as far as the code demands it. In the files of ``scope`` every site and
every consumer is labelled. Labels are written by reading the source, before the analysis runs on
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from knitbone_evals.adapt.requirements.keys import parse_keys

__all__ = [
    "FACTS", "LABELS", "AppLabels", "ConsumerLabel", "LabelError", "SiteLabel", "Split", "problems",
    "read_labels",
]  # fmt: skip

LABELS = Path(__file__).parent / "labels"
Split = Literal["sample", "development", "held-out", "fresh"]


class LabelError(Exception):
    """A label file cannot be read; the message names the file, the place and what is wrong."""


class _Facts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a label states; a fact that it leaves out is ``None`` and is not compared."""


class PositionalFacts(_Facts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    identifiers: tuple[str, ...] | None = None
    """The fixed texts in order; ``#`` stands for a number."""
    repeated: bool | None = None
    one_of: tuple[str, ...] | None = None
    value: Literal["integer", "number", "date", "boolean"] | None = None
    separator: str | None = None


class StructuredFacts(_Facts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["json", "jsonl", "yaml", "xml", "csv", "toml", "python-literal"] | None = None
    keys: tuple[str, ...] | None = None
    """Paths such as ``items[].qty:integer`` or ``note?``; see ``keys``."""


class FencedFacts(_Facts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    languages: tuple[str, ...] | None = None


class SyntaxFacts(_Facts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    language: str | None = None
    dialect: str | None = None


class ChunkFacts(_Facts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    size: int | None = None
    overlap: int | None = None
    separators: tuple[str, ...] | None = None
    length: str | None = None


class ContextFacts(_Facts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    k: int | None = None
    threshold: float | None = None
    joiner: str | None = None


FACTS: dict[str, type[_Facts]] = {
    "positional": PositionalFacts,
    "structured": StructuredFacts,
    "fenced": FencedFacts,
    "syntax": SyntaxFacts,
    "chunk": ChunkFacts,
    "context": ContextFacts,
}
"""The facts that a label of each kind may state."""


class SiteLabel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that brings an output."""

    file: str
    line: int
    kind: Literal["chat", "retriever", "splitter"]
    note: str = ""

    @property
    def debatable(self) -> bool:
        """Whether the label could be argued either way: it counts on neither side."""
        return "debatable" in self.note.lower()

    @property
    def location(self) -> str:
        """``file:line``, as consumers name it."""
        return f"{self.file}:{self.line}"


class ConsumerLabel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A requirement, and the lines of code that it is read from."""

    sites: tuple[str, ...]
    file: str
    line: int
    end_line: int | None = None
    kind: Literal["positional", "structured", "fenced", "syntax", "chunk", "context"]
    facts: dict[str, Any]
    alternative: str = ""
    """Consumers of an application with the same mark are tried in turn."""
    note: str = ""

    @property
    def debatable(self) -> bool:
        """Whether the label could be argued either way: it counts on neither side."""
        return "debatable" in self.note.lower()

    @property
    def last_line(self) -> int:
        """The last line that belongs to it."""
        return self.line if self.end_line is None else self.end_line

    @property
    def stated(self) -> dict[str, Any]:
        """The facts that the label states, checked.

        Raises:
            msgspec.ValidationError: a fact is not known of this kind, or is of a wrong type.
        """
        facts = msgspec.convert(self.facts, FACTS[self.kind])
        return {name: value for name in self.facts if (value := getattr(facts, name)) is not None}


class AppLabels(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that is labelled of one application."""

    split: Split
    scope: tuple[str, ...]
    """Globs, relative to the installed folder or to the sample's own."""
    package: str = ""
    version: str = ""
    sample: str = ""
    site: tuple[SiteLabel, ...] = ()
    consumer: tuple[ConsumerLabel, ...] = ()

    @property
    def name(self) -> str:
        """What ``--app`` calls it."""
        return self.sample or self.package


def read_labels(path: Path) -> AppLabels:
    """The labels of one file.

    Raises:
        LabelError: the file is no TOML, or not of this form.
    """
    try:
        labels = msgspec.toml.decode(path.read_bytes(), type=AppLabels)
        for consumer in labels.consumer:
            consumer.stated  # noqa: B018 - read for its check
            parse_keys(consumer.facts.get("keys", ()))
    except (msgspec.DecodeError, ValueError) as error:
        raise LabelError(f"{path.name}: {error}") from error
    if bool(labels.sample) == bool(labels.package and labels.version):
        raise LabelError(f"{path.name}: needs either sample, or package and version")
    if bool(labels.sample) != (labels.split == "sample"):
        raise LabelError(f"{path.name}: the split of samples, and of nothing else, is 'sample'")
    return labels


def problems(labels: AppLabels, root: Path, scope: list[Path]) -> Iterator[str]:
    """What is wrong with labels that are well formed, one line each: places that are not there."""
    if not scope:
        yield f"{labels.name}: no file in scope under {root}"
    lengths = {
        file.relative_to(root).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in scope
    }
    for label in (*labels.site, *labels.consumer):
        last = label.line if isinstance(label, SiteLabel) else label.last_line
        place = f"{labels.name}: {label.file}:{label.line}"
        if label.file not in lengths:
            yield f"{place}: the file is not in scope"
        elif not 1 <= label.line <= last <= lengths[label.file]:
            yield f"{place}-{last}: not lines of a file of {lengths[label.file]} lines"
    known = {site.location for site in labels.site}
    for consumer in labels.consumer:
        for site in consumer.sites:
            file = site.rpartition(":")[0]
            # An output may come from a file out of scope, where no site is labelled.
            if site not in known and (file in lengths or not (root / file).is_file()):
                yield f"{labels.name}: {consumer.file}:{consumer.line}: no site {site} is labelled"
    keys = [(site.file, site.line, site.kind) for site in labels.site]
    for repeated in {key for key in keys if keys.count(key) > 1}:
        yield f"{labels.name}: the site {repeated} is labelled twice"
