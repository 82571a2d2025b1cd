"""Labels against what the analysis found in one application.

The rules are those of the package's docstring (``__main__``); this module holds them as code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import networkx as nx

from knitbone.adaptation.testing import Confidence, Requirement, Unknown
from knitbone_evals.adapt.requirements.facts import Facts, agree, facts_of, merged
from knitbone_evals.adapt.requirements.labels import AppLabels, ConsumerLabel

__all__ = ["AnalysedSite", "Extracted", "Judged", "Score", "SiteFound", "extract", "score"]

_CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")
_KIND_OF_SITE = {"source": "chat"}
"""A function that the user marked is labelled as what it stands for: a model."""

_SETTINGS = frozenset({"chunk", "context"})
"""Kinds whose facts are settings, which stand apart from the call that uses them."""


class AnalysedSite(Protocol):
    """What is read of a site of the analysis."""

    @property
    def kind(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def origin_file(self) -> str: ...
    @property
    def origin_line(self) -> int: ...
    @property
    def origin_end_line(self) -> int: ...
    @property
    def other_origins(self) -> Sequence[tuple[str, int, int]]: ...
    @property
    def requirements(self) -> tuple[Requirement, ...]: ...


class SiteFound(NamedTuple):
    """A producing call that the analysis reports."""

    file: str
    line: int
    end_line: int
    kind: str


class Extracted(NamedTuple):
    """A requirement that the analysis reports, merged with its duplicates."""

    file: str
    line: int
    facts: Facts
    confidence: Confidence
    site: str
    """``file:line`` of a site that it belongs to."""


class Judged(NamedTuple):
    """One label or one reported thing, and whether it has a counterpart."""

    kind: str
    right: bool
    shown: str
    """``file:line`` and what it is, for a person."""
    confidence: str = ""


class Score(NamedTuple):
    """One application: labels judged (recall), and reports judged (precision)."""

    name: str
    split: str
    site_labels: list[Judged]
    sites_found: list[Judged]
    requirement_labels: list[Judged]
    requirements_found: list[Judged]


def extract(
    sites: Iterable[AnalysedSite], root: Path, scope: Sequence[Path]
) -> tuple[list[SiteFound], list[Extracted]]:
    """The distinct sites and requirements that lie in scope, in the order of the source."""
    inside = {file.relative_to(root).as_posix() for file in scope}
    found: set[SiteFound] = set()
    requirements: list[Extracted] = []
    for site in sites:
        origin = _relative(site.origin_file, root)
        kind = _KIND_OF_SITE.get(site.kind, site.kind)
        calls = ((site.origin_file, site.origin_line, site.origin_end_line), *site.other_origins)
        for call_file, line, end_line in calls:
            if _relative(call_file, root) in inside:
                found.add(SiteFound(_relative(call_file, root), line, end_line, kind))
        for requirement in site.requirements:
            if isinstance(requirement, Unknown):
                continue
            file = _relative(requirement.evidence.file, root)
            facts = facts_of(requirement)
            if facts is None or file not in inside:
                continue
            requirements.append(
                Extracted(
                    file, requirement.evidence.line, facts, requirement.confidence,
                    f"{origin}:{site.origin_line}",
                )
            )  # fmt: skip
    return sorted(found), _merge(requirements)


def _relative(file: str, root: Path) -> str:
    path, root = Path(file).resolve(), root.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _merge(requirements: Iterable[Extracted]) -> list[Extracted]:
    """Requirements on one line that say the same, or complete each other, are one."""
    kept: list[Extracted] = []
    for new in sorted(requirements, key=lambda each: (each.file, each.line, each.facts.kind)):
        for index, old in enumerate(kept):
            if (old.file, old.line) != (new.file, new.line):
                continue
            facts = merged(old.facts, new.facts)
            if facts is not None:
                confidence = max(old.confidence, new.confidence, key=_CONFIDENCES.index)
                kept[index] = old._replace(facts=facts, confidence=confidence)
                break
        else:
            kept.append(new)
    return kept


def score(labels: AppLabels, sites: list[SiteFound], requirements: list[Extracted]) -> Score:
    """Every label and every report, judged; one label matches at most one report."""
    site_pairs = _pairs(
        len(labels.site),
        len(sites),
        lambda label, found: _same_site(labels, label, sites[found]),
    )
    pairs = _pairs(
        len(labels.consumer),
        len(requirements),
        lambda label, found: _same_requirement(labels.consumer[label], requirements[found]),
    )
    near = [any(_same_place(label, each) for label in labels.consumer) for each in requirements]
    open_sites = {index for index, each in enumerate(labels.site) if each.debatable}
    open_labels = {index for index, each in enumerate(labels.consumer) if each.debatable}
    return Score(
        name=labels.name,
        split=labels.split,
        site_labels=[
            Judged(each.kind, index in site_pairs, f"{each.location} {each.kind} site")
            for index, each in enumerate(labels.site)
            if index not in open_sites
        ],
        sites_found=[
            Judged(
                each.kind,
                index in site_pairs.values(),
                f"{each.file}:{each.line} {each.kind} site",
            )
            for index, each in enumerate(sites)
            if not any(_same_site(labels, label, each) for label in open_sites)
        ],
        requirement_labels=[
            Judged(each.kind, index in pairs, f"{each.file}:{each.line} {each.kind} {each.facts}")
            for index, each in enumerate(labels.consumer)
            if index not in open_labels
        ],
        requirements_found=[
            Judged(
                each.facts.kind,
                index in pairs.values(),
                f"{each.file}:{each.line} {_shown(each)}"
                + (", at a label of other facts" if near[index] else ", at no label"),
                each.confidence,
            )
            for index, each in enumerate(requirements)
            if (
                index in pairs.values()
                and not any(pairs.get(label) == index for label in open_labels)
            )
            or (
                index not in pairs.values()
                and not any(_same_place(labels.consumer[label], each) for label in open_labels)
            )
        ],
    )


def _pairs(labels: int, found: int, same: Callable[[int, int], bool]) -> dict[int, int]:
    """As many pairs as can be made, each label and each report in one at most."""
    graph: nx.Graph[tuple[str, int]] = nx.Graph()
    top = [("label", index) for index in range(labels)]
    graph.add_nodes_from(top)
    graph.add_edges_from(
        (("label", one), ("found", other))
        for one in range(labels)
        for other in range(found)
        if same(one, other)
    )
    matching = nx.bipartite.hopcroft_karp_matching(graph, top)
    return {node[1]: mate[1] for node, mate in matching.items() if node[0] == "label"}


def _same_site(labels: AppLabels, index: int, found: SiteFound) -> bool:
    label = labels.site[index]
    return (
        label.file == found.file
        and label.kind == found.kind
        and found.line <= label.line <= found.end_line
    )


def _same_place(label: ConsumerLabel, found: Extracted) -> bool:
    if label.kind != found.facts.kind:
        return False
    if label.file == found.file and label.line <= found.line <= label.last_line:
        return True
    return label.kind in _SETTINGS and f"{found.file}:{found.line}" in label.sites


def _same_requirement(label: ConsumerLabel, found: Extracted) -> bool:
    return _same_place(label, found) and agree(label.stated, found.facts)


def _shown(found: Extracted) -> str:
    facts = {
        name: sorted(map(_plain, values), key=str)
        for name, values in found.facts.accepted.items()
        if values
    }
    if found.facts.keys is not None:
        facts["keys"] = [
            ".".join(segment.name + "[]" * segment.arrays for segment in path if any(segment))
            + "".join(f":{kind}" for kind in kinds)
            for path, kinds in found.facts.keys.types.items()
        ]
    return f"{found.facts.kind} {facts} ({found.confidence})"


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value
