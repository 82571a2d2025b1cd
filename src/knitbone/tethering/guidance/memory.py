"""What is known of a task from one attempt to the next (AgentTether §III.C.3, Repair Memory).

It lives in the run store, one note a directive: whether it was put right, how many attempts were
told it and how many followed it. It holds no words of a run: a run that is purged leaves nothing
there but names and hashes. A memory that cannot be read is said and left alone; attempts go on
without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from knitbone._logging import get_logger, log
from knitbone.common.thresholds import thresholds_for
from knitbone.errors import StoreError
from knitbone.models.vectors import Embedder
from knitbone.record.events import encode_json
from knitbone.record.identifiers import Clock, now_ns
from knitbone.record.memory_rows import MemoryRow
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.guidance.hashing import task_key
from knitbone.tethering.guidance.records import (
    Directive,
    DirectiveEvidence,
    Guidance,
    RepairEntry,
    RepairState,
)

__all__ = ["RepairMemory"]

_logger = get_logger(__name__)

VERSION = 1
"""Of a note's form; a later knitbone may write another."""
_PATIENCE_S = 2.0
"""Longest wait of an attempt for another process that writes to the store (ours)."""
_EVIDENCE = 8
"""Pieces of evidence kept of a directive, the newest (ours)."""


class _Note(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    entry: RepairEntry


class _Version(msgspec.Struct, frozen=True):
    version: int = 0


class RepairMemory:
    """The directives of each task and what became of them.

    Several processes may write at once: each change is one transaction, made on what is there.

    Args:
        store: the run store; ``None`` remembers nothing.
        clock: the time of a change, UTC nanoseconds.
    """

    def __init__(self, store: SqliteStore | None, *, clock: Clock = now_ns) -> None:
        self._store = store
        self._clock = clock
        self._problems: dict[str, None] = {}

    @classmethod
    def open(cls, path: str | Path, *, clock: Clock = now_ns) -> RepairMemory:
        """The memory in the store at ``path``; one that remembers nothing, and says why, where
        that store cannot be opened, since it is damaged, or a later knitbone's."""
        try:
            return cls(SqliteStore(path, patience_s=_PATIENCE_S), clock=clock)
        except StoreError as error:
            memory = cls(None, clock=clock)
            memory._say(str(error))
            return memory

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read or written, each once; it was also logged."""
        return tuple(self._problems)

    def close(self) -> None:
        """Release the store."""
        if self._store is not None:
            self._store.close()

    def entries(self, task: str | None = None) -> tuple[RepairEntry, ...]:
        """What is known of a task (its words, or its key), or of all tasks; nothing where the
        memory cannot be read."""
        if self._store is None:
            return ()
        try:
            rows = self._store.notes(None if task is None else task_key(task))
        except StoreError as error:
            self._say(str(error))
            return ()
        return tuple(filter(None, map(self._read, rows)))

    def tasks(self) -> tuple[str, ...]:
        """The keys of the tasks of which anything is known, readable or not."""
        if self._store is None:
            return ()
        try:
            return tuple(dict.fromkeys(row.task for row in self._store.notes()))
        except StoreError as error:
            self._say(str(error))
            return ()

    def similar(
        self,
        task: str,
        embedder: Embedder,
        *,
        key: str | None = None,
        threshold: float | None = None,
    ) -> tuple[RepairEntry, ...]:
        """What is known of other tasks whose words say nearly the same, the nearest first.

        Of a task of which no run is left in the store the words are not known.

        Args:
            task: in words.
            key: its own, which is left out; default: that of the words.
            threshold: smallest cosine; default: the embedder's for texts that say the same.

        Raises:
            ConfigError: no threshold is known of the embedder, and none was given.
        """
        least = thresholds_for(embedder.name).redundancy if threshold is None else threshold
        own = task_key(task) if key is None else key
        others = [entry for entry in self.entries() if entry.task != own]
        words = self._words_of(others)
        keys = [key for key in dict.fromkeys(entry.task for entry in others) if words.get(key)]
        if not keys:
            return ()
        rows = embedder.embed([task, *(words[key] for key in keys)])
        near = {key: float(rows[0] @ row) for key, row in zip(keys, rows[1:], strict=True)}
        found = [entry for entry in others if near.get(entry.task, -1.0) >= least]
        return tuple(sorted(found, key=lambda entry: -near[entry.task]))

    def task_words(self, entries: Iterable[RepairEntry]) -> dict[str, str]:
        """By task what was asked, as far as a run of it is still in the store."""
        return self._words_of(list(entries))

    def _words_of(self, entries: Sequence[RepairEntry]) -> dict[str, str]:
        if self._store is None or not entries:
            return {}
        try:
            tasks = {row.id: row.task for row in self._store.list()}
            words: dict[str, str] = {}
            for entry in entries:
                for run in (entry.last_run, entry.first_run):
                    if run in tasks and not words.get(entry.task):
                        words[entry.task] = tasks[run] or self._store.asked(run)
        except StoreError as error:
            self._say(str(error))
            return {}
        return words

    def shown(self, task: str, guidance: Guidance, run: str) -> None:
        """Remember that a run was told guidance. The same run twice counts once.

        What had been fixed and was needed again, for the run that failed shows it, regressed.

        Args:
            run: its identifier.
        """

        def change(known: dict[str, RepairEntry]) -> Iterable[RepairEntry]:
            for directive in guidance.directives:
                entry = known.get(directive.id) or _new(task_key(task), directive, guidance.run)
                if entry.shown and entry.last_run == run:
                    continue
                again = any(item.run == guidance.run for item in directive.evidence)
                yield msgspec.structs.replace(
                    entry,
                    directive=_remembered(directive, entry.directive.evidence),
                    state="regressed" if again and entry.state == "fixed" else entry.state,
                    shown=entry.shown + 1,
                    last_run=run,
                )

        self._change(task, change)

    def judged(
        self,
        task: str,
        guidance: Guidance,
        run: str,
        success: bool | None,
        followed: Mapping[str, bool],
    ) -> None:
        """Remember how a run that was told guidance ended. The same run twice counts once.

        Args:
            success: its verdict; with a success all of the task is put right.
            followed: by identifier of the directives whether the run did what they expect; of one
                that is not there it is not known.
        """

        def change(known: dict[str, RepairEntry]) -> Iterable[RepairEntry]:
            told = {directive.id: directive for directive in guidance.directives}
            for name in dict.fromkeys((*told, *known) if success else told):
                entry = known.get(name) or _new(task_key(task), told[name], guidance.run)
                if entry.judged_run == run:
                    continue
                did = followed.get(name) if name in told else None
                yield msgspec.structs.replace(
                    entry,
                    state=_state(entry, did, success=bool(success)),
                    followed=entry.followed + bool(did),
                    last_run=run if name in told else entry.last_run,
                    judged_run=run,
                )

        self._change(task, change)

    def forget(self, task: str, directive: str | None = None) -> int:
        """Remove a directive of a task, or all of them; how many there were.

        Raises:
            StoreError: the memory cannot be written.
        """
        return 0 if self._store is None else self._store.forget(task_key(task), directive)

    def _change(
        self, task: str, change: Callable[[dict[str, RepairEntry]], Iterable[RepairEntry]]
    ) -> None:
        """Write what ``change`` makes of the readable entries; a note of a later knitbone stays
        as it is."""
        if self._store is None:
            return
        now = self._clock()

        def changed(rows: Sequence[MemoryRow]) -> Mapping[str, bytes]:
            later = {row.name for row in rows if not row.damaged and _version(row.body) > VERSION}
            entries = {row.name: entry for row in rows if (entry := self._read(row)) is not None}
            return {
                entry.directive.id: encode_json(
                    _Note(version=VERSION, entry=msgspec.structs.replace(entry, updated_ns=now))
                )
                for entry in change(entries)
                if entry.directive.id not in later
            }

        try:
            self._store.change_notes(task_key(task), changed, updated_ns=now)
        except StoreError as error:
            self._say(str(error))

    def _read(self, row: MemoryRow) -> RepairEntry | None:
        if row.damaged:
            self._say(f"What was remembered of {row.task}, {row.name}, is not what was written.")
            return None
        version = _version(row.body)
        if version > VERSION:
            self._say(f"What is remembered of {row.task}, {row.name}, has version {version} of its"
                      f" form; this knitbone knows up to {VERSION}.")  # fmt: skip
            return None
        try:
            return msgspec.json.decode(row.body, type=_Note).entry
        except (msgspec.MsgspecError, ValueError) as error:
            self._say(f"What is remembered of {row.task}, {row.name}, cannot be read: {error}.")
            return None

    def _say(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems[problem] = None
            log(_logger, logging.WARNING, "repair memory not usable", reason=problem)


def _new(task: str, directive: Directive, run: str) -> RepairEntry:
    return RepairEntry(task=task, directive=_remembered(directive), first_run=run, last_run=run)


def _remembered(directive: Directive, before: Sequence[DirectiveEvidence] = ()) -> Directive:
    """A directive without words of the run: who purges a run finds none of them here."""
    bare = (msgspec.structs.replace(item, text="") for item in directive.evidence)
    evidence = tuple(dict.fromkeys((*before, *bare)))
    return msgspec.structs.replace(directive, evidence=evidence[-_EVIDENCE:])


def _state(entry: RepairEntry, followed: bool | None, *, success: bool) -> RepairState:
    if success or followed:
        return "fixed"
    if followed is None:
        return entry.state
    return "unresolved" if entry.state == "unresolved" else "regressed"


def _version(body: bytes) -> int:
    try:
        return msgspec.json.decode(body, type=_Version).version
    except (msgspec.MsgspecError, ValueError):
        return 0
