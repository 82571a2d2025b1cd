"""Merge of what was learned into the requirements file.

A person's edits win; what was learned before stays, unless the same consumer was seen again;
entries of the analysis that were seen say so in ``observed``.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from knitbone.adaptation.learning.comparison import LearnedRequirement, LearnedSite
from knitbone.adaptation.requirements.file import (
    Entry,
    FileSite,
    RequirementsFile,
    comments_in,
    dump_entry,
    entries_of,
    kind_of,
)
from knitbone.adaptation.requirements.merge import merge_requirements, number_sites
from knitbone.adaptation.requirements.sites import Site

__all__ = ["merge_learned"]

_Place = tuple[str, str, str, int]
"""File, function, origin and ordinal of a site."""


def merge_learned(
    sites: Sequence[Site],
    learned: Iterable[LearnedSite],
    file: RequirementsFile | None,
    path: Path,
    *,
    read: Collection[str],
) -> RequirementsFile:
    """Return the file to write.

    Args:
        sites: all sites of the analysis.
        file: what is there now.
        path: where it is going to be.
        read: the files that the analysis read.
    """
    base = merge_requirements(sites, file, path, read=read)
    root = path.parent.resolve()
    by_site = {id(one.site): one for one in learned}
    written = {_place(place): place for place in base.sites if not place.stale}
    order: list[tuple[tuple[str, int, int], FileSite]] = []
    for site, number in number_sites(sites):
        place = written.pop((site.file, site.function, site.origin, number), None)
        one = by_site.get(id(site))
        if one is not None and not (place and place.ignore):
            fresh = FileSite(
                file=site.file, function=site.function, origin=site.origin,
                expression=site.expression, ordinal=number,
            )  # fmt: skip
            place = _with_learned(place or fresh, one, root)
        if place is not None and (place.entries or place.ignore or place.note):
            order.append(((os.path.relpath(site.file, root), site.line, site.column), place))
    kept = {id(place) for _, place in order}
    rest = [p for p in base.sites if p.stale or (_place(p) in written and id(p) not in kept)]
    order += [((os.path.relpath(p.file, root), 2**31, p.line), p) for p in rest]
    order.sort(key=lambda item: item[0])
    return msgspec.structs.replace(base, sites=tuple(place for _, place in order))


def _place(site: FileSite) -> _Place:
    """Return what a site of the file is found by."""
    return site.file, site.function, site.origin, site.ordinal


def _with_learned(place: FileSite, one: LearnedSite, root: Path) -> FileSite:
    """Return a site of the file with what was learned of it."""
    entries = [_with_observation(entry, one.agreed) for entry in place.entries]
    for new in one.new:
        (fresh,) = entries_of([new.requirement], root, source="learn")
        fresh = _with_count(fresh, new)
        index = next((i for i, old in enumerate(entries) if _same_consumer(old, fresh)), None)
        if index is None:
            entries.append(fresh)
        elif entries[index].source == "learn" and not _is_edited(entries[index]):
            text = dump_entry(fresh.table, comments_in(entries[index].text))
            entries[index] = msgspec.structs.replace(fresh, text=text)
    return msgspec.structs.replace(place, entries=tuple(entries))


def _is_edited(entry: Entry) -> bool:
    """Return whether a person changed an entry."""
    return entry.ignore or entry.generated != entry.content


def _same_consumer(first: Entry, second: Entry) -> bool:
    """Return whether two entries are of one consumer."""
    one, other = first.requirements[0], second.requirements[0]
    return kind_of(one) == kind_of(other) and (
        (one.evidence.file, one.evidence.expression)
        == (other.evidence.file, other.evidence.expression)
    )


def _with_observation(entry: Entry, agreed: Sequence[LearnedRequirement]) -> Entry:
    """Return an entry of the analysis, with how often its consumer was seen."""
    found = next((a for a in agreed if a.requirement in entry.requirements), None)
    return entry if found is None or entry.source != "code" else _with_count(entry, found)


def _with_count(entry: Entry, learned: LearnedRequirement) -> Entry:
    """Return an entry with how often its consumer was seen."""
    table = {**entry.table, "observed": learned.words}
    text = dump_entry(table, comments_in(entry.text)) if entry.text else ""
    return msgspec.structs.replace(entry, table=table, text=text)
