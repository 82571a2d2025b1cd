"""Merge of analysis and requirements file: what holds, what to write, what has drifted.

Sites are matched by file, function and origin, then by expression, then by their order: lines may
shift, and a prompt inside the expression may change. Entries are matched by the hash of what the
analysis had written, then by the consuming expression.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.adaptation.requirements.descriptions import describe
from knitbone.adaptation.requirements.file import (
    Entry,
    FileSite,
    RequirementsFile,
    comments_in,
    dump_entry,
    entries_of,
    find_requirements,
    kind_of,
    load_requirements,
)
from knitbone.adaptation.requirements.sites import Site

__all__ = [
    "RequirementChange",
    "apply_requirements",
    "diff_requirements",
    "merge_requirements",
    "number_sites",
    "requirements_for",
]


class AppliedRequirements(msgspec.Struct, frozen=True, kw_only=True):
    """The requirements that hold once the file has had its say."""

    sites: tuple[Site, ...]
    """With the requirements that hold, in the order given; ignored ones are left out."""
    ignored: tuple[Site, ...] = ()
    missing: tuple[FileSite, ...] = ()
    """Entries whose site was not found."""


class RequirementChange(msgspec.Struct, frozen=True, kw_only=True):
    """One difference between the file and the analysis."""

    kind: Literal["added", "removed", "changed", "overtaken", "gone", "back"]
    """``overtaken``: the code changed under an entry that a person had edited; ``gone`` and
    ``back``: the whole site."""
    site: FileSite
    """Where; with the line of the analysis where there is one."""
    line: int
    file: str = ""
    """The requirement of the file, in words."""
    code: str = ""
    """The requirement of the code, in words."""


_Pair = tuple["Entry | None", "Entry | None"]
"""An entry of the file and one of the analysis, of which one may be missing."""


def number_sites(sites: Iterable[Site]) -> list[tuple[Site, int]]:
    """Return each site with its number among those of the same file, function and origin."""
    counts: dict[tuple[str, str, str], int] = {}
    numbered: list[tuple[Site, int]] = []
    for site in sites:
        key = (site.file, site.function, site.origin)
        counts[key] = counts.get(key, 0) + 1
        numbered.append((site, counts[key]))
    return numbered


def _match_sites(
    sites: Iterable[Site], written: Iterable[FileSite]
) -> tuple[list[tuple[Site, int, FileSite | None]], list[FileSite]]:
    """Return each site with its number and its place in the file, and the places left over."""
    left: dict[tuple[str, str, str], list[FileSite]] = {}
    for place in written:
        left.setdefault((place.file, place.function, place.origin), []).append(place)
    numbered = number_sites(sites)
    found: dict[int, FileSite] = {}
    tests: tuple[Callable[[Site, int, FileSite], bool], ...] = (
        lambda site, number, f: (site.expression, number) == (f.expression, f.ordinal),
        lambda site, _, f: site.expression == f.expression,
        lambda _, number, f: number == f.ordinal,
        lambda _site, _number, _f: True,
    )
    for fits in tests:
        for index, (site, number) in enumerate(numbered):
            places = left.get((site.file, site.function, site.origin), [])
            place = next((place for place in places if fits(site, number, place)), None)
            if index not in found and place is not None:
                found[index] = place
                places.remove(place)
    matched = [(site, number, found.get(i)) for i, (site, number) in enumerate(numbered)]
    return matched, [place for places in left.values() for place in places]


def apply_requirements(sites: Iterable[Site], file: RequirementsFile | None) -> AppliedRequirements:
    """Let the file win: a site that it names has the requirements that stand there."""
    if file is None:
        return AppliedRequirements(sites=tuple(sites))
    matched, missing = _match_sites(sites, file.sites)
    kept: list[Site] = []
    ignored: list[Site] = []
    for site, _, place in matched:
        if place is None:
            kept.append(site)
        elif place.ignore:
            ignored.append(site)
        else:
            holding = {"requirements": place.requirements, "declared": place.declared}
            kept.append(msgspec.structs.replace(site, **holding))
    return AppliedRequirements(sites=tuple(kept), ignored=tuple(ignored), missing=tuple(missing))


def requirements_for(sites: Iterable[Site], project_root: Path) -> tuple[Site, ...]:
    """Return the sites with the requirements of the project's file, where it has one; for the run
    time.

    Args:
        project_root: a folder of the project; the nearest file there or above it counts.

    Raises:
        InputFormatError: there is a file and it cannot be used.
    """
    path = find_requirements(project_root)
    if path is None:
        return tuple(sites)
    state = path.stat()
    return apply_requirements(sites, _load(path, state.st_mtime_ns, state.st_size)).sites


@lru_cache(maxsize=8)
def _load(path: Path, _changed: int, _size: int) -> RequirementsFile:
    """Return a file, from memory as long as it is not changed."""
    return load_requirements(path)


def merge_requirements(
    sites: Sequence[Site], file: RequirementsFile | None, path: Path, *, read: Collection[str]
) -> RequirementsFile:
    """Return the file to write: the analysis, and whatever a person has had a say in as it was.

    Args:
        file: what is there now.
        path: where it is going to be.
        read: the files that the analysis read; sites of other files stay as they are.
    """
    root = path.parent.resolve()
    places: list[tuple[tuple[str, int, int], FileSite]] = []
    matched, missing = _match_sites(sites, file.sites if file else ())
    for site, number, place in matched:
        old = place or FileSite(file=site.file, function=site.function, origin=site.origin)
        new = msgspec.structs.replace(
            old,
            expression=site.expression,
            ordinal=number,
            stale=False,
            entries=tuple(_merge_entries(old.entries, entries_of(site.requirements, root))),
        )
        if new.entries or new.ignore or new.note:
            places.append(((site.file, site.line, site.column), new))
    for place in missing:
        gone = place.stale or place.file in read or not os.path.exists(place.file)  # noqa: PTH110
        kept = msgspec.structs.replace(place, stale=gone)
        places.append(((place.file, 2**31, place.line), kept))
    places.sort(key=lambda item: (os.path.relpath(item[0][0], root), *item[0][1:]))
    head = file.head if file else ""
    return RequirementsFile(path=path, sites=tuple(place for _, place in places), head=head)


def _merge_entries(written: Sequence[Entry], fresh: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries of one site to write."""
    for old, new in _pair(written, fresh):
        if old is None and new is not None:
            yield new
        elif old is not None and old.is_kept:
            yield _acknowledge(old, new) if new else old
        elif old is not None and new is not None:
            table = new.table
            if "observed" in old.table and old.content == new.content:
                table = {**table, "observed": old.table["observed"]}
            if old.table == table:
                yield old
            else:
                text = dump_entry(table, comments_in(old.text))
                yield msgspec.structs.replace(new, table=table, text=text)


def _acknowledge(old: Entry, new: Entry) -> Entry:
    """Return an edited entry, marked as one that has seen what the code says now."""
    if not old.generated or old.generated == new.generated:
        return old
    text = re.sub(
        rf"(?m)^(\s*generated\s*=\s*)(['\"]){re.escape(old.generated)}\2",
        rf'\g<1>"{new.generated}"',
        old.text,
    )
    table = {**old.table, "generated": new.generated}
    return msgspec.structs.replace(old, table=table, text=text, generated=new.generated)


def _pair(written: Sequence[Entry], fresh: Sequence[Entry]) -> list[_Pair]:
    """Return the entries that belong together, in the order of the code; what only the file has, at
    the end."""
    found: dict[int, Entry] = {}
    left = list(written)
    tests: tuple[Callable[[Entry, Entry], bool], ...] = (
        lambda new, old: old.generated == new.generated and _consumer(old) == _consumer(new),
        lambda new, old: old.generated == new.generated,
        lambda new, old: old.content == new.content,
        lambda new, old: old.source == "code" and _consumer(old) == _consumer(new),
        lambda new, old: (
            old.source == "code" and _consumer(old)[1:] == _consumer(new)[1:] and old.is_kept
        ),
        lambda new, old: old.source == "code" and _consumer(old)[0] == _consumer(new)[0],
    )
    for fits in tests:
        for index, new in enumerate(fresh):
            old = next((old for old in left if fits(new, old)), None)
            if index not in found and old is not None:
                found[index] = old
                left.remove(old)
    pairs: list[_Pair] = [(found.get(index), new) for index, new in enumerate(fresh)]
    return pairs + [(old, None) for old in left]


def _consumer(entry: Entry) -> tuple[str, str, str]:
    """Return the consumer that an entry is about."""
    first = entry.requirements[0]
    return kind_of(first), first.evidence.file, first.evidence.expression


def diff_requirements(
    sites: Sequence[Site], file: RequirementsFile, *, read: Collection[str]
) -> list[RequirementChange]:
    """Return what has drifted since the file was written, in the order of the code.

    Lines that shifted, edits of a person and sites that are ignored are no drift.
    """
    root = file.path.parent.resolve()
    matched, missing = _match_sites(sites, file.sites)
    changes: list[RequirementChange] = []
    for site, number, place in matched:
        here = FileSite(
            file=site.file, function=site.function, origin=site.origin,
            expression=site.expression, ordinal=number,
        )  # fmt: skip
        if place is not None and place.ignore:
            continue
        if place is not None and place.stale:
            changes.append(RequirementChange(kind="back", site=here, line=site.line))
        fresh = entries_of(site.requirements, root)
        for old, new in _pair(place.entries if place else (), fresh):
            changes += _compare(old, new, here, site.line)
    changes += [
        RequirementChange(
            kind="gone", site=place, line=0, file="; ".join(map(_words, place.entries))
        )
        for place in missing
        if not place.stale and (place.file in read or not os.path.exists(place.file))  # noqa: PTH110
    ]
    return changes


def _compare(
    old: Entry | None, new: Entry | None, site: FileSite, line: int
) -> Iterator[RequirementChange]:
    """Find the difference between an entry of the file and one of the analysis."""
    if old is None and new is not None:
        yield RequirementChange(kind="added", site=site, line=line, code=_words(new))
    elif old is not None and new is None:
        if not old.is_kept:
            yield RequirementChange(kind="removed", site=site, line=line, file=_words(old))
        elif old.source == "code":
            yield RequirementChange(kind="overtaken", site=site, line=line, file=_words(old))
    elif old is not None and new is not None and _differs(old, new):
        kind = "overtaken" if old.is_kept else "changed"
        yield RequirementChange(kind=kind, site=site, line=line, file=_words(old), code=_words(new))


def _differs(old: Entry, new: Entry) -> bool:
    """Return whether the analysis says something else now."""
    return new.generated not in (old.generated, old.content)


def _words(entry: Entry) -> str:
    """Return an entry in words."""
    return "; ".join(describe(requirement) for requirement in entry.requirements)
