"""What looks wrong at a site: findings of the static analysis, as values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.sites import Site

__all__ = ["Finding", "Severity", "findings_of", "why_not_adapted"]


Severity = Literal["note", "warning", "error"]
"""``error``: it cannot work; ``warning``: it fails on answers that models do give; ``note``."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that looks wrong."""

    name: str
    text: str
    file: str
    line: int
    """1-based, where it shows: mostly the consumer."""
    severity: Severity = "warning"


def findings_of(site: Site) -> tuple[Finding, ...]:
    """The findings of a site, each once."""
    return tuple(dict.fromkeys(_findings(site)))


def _findings(site: Site) -> Iterator[Finding]:
    for requirement in site.requirements:
        if not isinstance(requirement, PositionalTemplate):
            continue
        reader = requirement.reader
        where: dict[str, Any] = {
            "file": requirement.evidence.file,
            "line": requirement.evidence.line,
        }
        unit = "line" if (reader and reader.splits_lines) or requirement.line_start else "record"
        if requirement.on_violation == "silent":
            yield Finding(
                name="silent loss",
                text=f"if violated the {unit} is dropped without an error",
                **where,
            )
        elif requirement.on_violation == "raises":
            yield Finding(
                name="may raise",
                text=f"if violated the {unit} raises an error",
                severity="note",
                **where,
            )
        all_matches = reader is not None and reader.method in ("findall", "finditer")
        if all_matches and not requirement.repeated:
            yield Finding(
                name="first line only",
                text='"^" without re.MULTILINE matches at the start of the text only',
                severity="error",
                **where,
            )


def why_not_adapted(site: Site) -> str | None:
    """Why the site cannot be instrumented, as far as the source tells; ``None`` where it can."""
    if not any(isinstance(requirement, PositionalTemplate) for requirement in site.requirements):
        return "no requirement of it is known"
    if site.function == "<module>":
        return "it stands at the top level of its module, not in a function"
    return None
