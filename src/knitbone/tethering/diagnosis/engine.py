"""Run diagnosis, top to bottom: run -> conversations -> units -> graph -> evidence planes ->
suspicion -> packet -> analyst, or the facts alone -> diagnosis.

Heavy libraries load at the first diagnosis, not when this module is imported.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from knitbone.config import ModelConfig, TetherConfig
from knitbone.errors import InputFormatError, KnitboneError, StoreError, import_extra
from knitbone.models.chat import ChatModel
from knitbone.models.factory import warn_if_self_judging
from knitbone.record.events import Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.analyse import Diagnosis, analyse
from knitbone.tethering.diagnosis.analyst import ValidatedAnswer, ask_analyst, judged_models
from knitbone.tethering.diagnosis.case import Case, outcome_of
from knitbone.tethering.diagnosis.packet import EvidencePacket, build_packet
from knitbone.tethering.diagnosis.reader_instructions import addressed_texts
from knitbone.tethering.diagnosis.records import Attribution
from knitbone.tethering.diagnosis.region import shown_region
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.registry import LabelsOnlyError, files_of, import_file

__all__ = [
    "DiagnoseEvent",
    "Examined",
    "FileFailed",
    "FileImported",
    "FileSkipped",
    "RunDiagnosed",
    "diagnose",
    "diagnose_paths",
    "diagnose_stored",
    "examine",
]

_SQLITE = b"SQLite format 3\x00"
"""The first bytes of a run store."""


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """A diagnosis, and what it was made from, for reports that show both."""

    case: Case
    packet: EvidencePacket
    diagnosis: Diagnosis


class FileSkipped(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a folder that holds no runs, and is not meant to."""

    path: str
    reason: str


class FileFailed(msgspec.Struct, frozen=True, kw_only=True):
    """A file that should hold runs, or a run of a store, which cannot be read as such."""

    path: str
    """The file, or the run's identifier as it was given."""
    error: KnitboneError


class FileImported(msgspec.Struct, frozen=True, kw_only=True):
    """A file was read; its runs are diagnosed next."""

    path: str
    format: str
    runs: int
    failed: int | None
    """Known to have failed; ``None`` where that is known only once a run is read."""
    unsure: str = ""
    """What the file leaves open of whether it holds all that it should."""


class RunDiagnosed(msgspec.Struct, frozen=True, kw_only=True):
    """One run, and what was found."""

    examined: Examined

    @property
    def run(self) -> Run:
        return self.examined.case.run

    @property
    def diagnosis(self) -> Diagnosis:
        return self.examined.diagnosis


DiagnoseEvent = FileSkipped | FileFailed | FileImported | RunDiagnosed


class RunHandle(Protocol):
    """What has a run in a store, as ``with knitbone.trace() as run`` gives it."""

    def recorded(self) -> Run:
        """The run."""
        ...


def diagnose(
    run: Run | RunHandle,
    *,
    config: TetherConfig | None = None,
    analyst: ChatModel | None = None,
    claim: bool = False,
) -> Diagnosis:
    """Find the decision that broke a run.

    Without an analyst it is deterministic and nothing leaves the machine: the same run and
    configuration give the same diagnosis. The ranking of the steps is always there. A turning
    point is claimed where a fact on record proves it, and only of a run known to have failed.

    Source: AgentTether §III.B.2 and §III.C.

    Args:
        run: of a store, of a file, or what ``knitbone.trace`` gave.
        claim: claim one also of a run whose outcome is unknown or good, where a fact proves it.
        analyst: a model that reads the evidence packet. An answer of it that does not validate
            is refused, and the graph algorithm's diagnosis says so (``Diagnosis.analysis``).

    Raises:
        KnitboneError: ``run`` is no run, or nothing was recorded of it.
        MissingExtraError: networkx is not installed.
    """
    if not isinstance(run, Run):
        if not hasattr(run, "recorded"):
            raise KnitboneError(
                f"knitbone.diagnose was given {run!r:.100} ({type(run).__name__}), no run.",
                next_step="Give a run of a store, or what knitbone.trace() gives.",
            )
        run = run.recorded()
    return examine(run, config=config, analyst=analyst, claim=claim).diagnosis


def examine(
    run: Run,
    *,
    config: TetherConfig | None = None,
    analyst: ChatModel | None = None,
    claim: bool = False,
) -> Examined:
    """``diagnose``, with the graph, the evidence and the packet that the diagnosis rests on."""
    for library in ("networkx", "numpy"):
        import_extra(library, extra="tether", purpose="Run diagnosis")
    # Loaded here: the graph brings networkx, the detector numpy.
    from knitbone.tethering.diagnosis.run_evidence import evidence_of_run  # noqa: PLC0415

    config = config or TetherConfig()
    reading = evidence_of_run(run)
    case = Case(
        run=run,
        graph=reading.graph,
        scores=reading.scores,
        evidence=reading.evidence,
        shown=reading.shown,
        region=shown_region(reading.scores),
        violations=reading.violations,
        addressed=addressed_texts(reading.graph.units),
        missing_planes=reading.missing_planes,
        conversations=reading.conversations,
    )
    packet = build_packet(case, characters=config.packet_characters)
    verdict, analysis = _asked(analyst, case, packet)
    diagnosis = analyse(case, verdict=verdict, analysis=analysis, claim=claim)
    return Examined(case=case, packet=packet, diagnosis=diagnosis)


def _asked(
    analyst: ChatModel | None, case: Case, packet: EvidencePacket
) -> tuple[ValidatedAnswer | None, Attribution]:
    """The analyst's verdict on a run that did not succeed, and what became of asking."""
    if analyst is None:
        return None, Attribution()
    if case.outcome == "succeeded" or case.peak is None:
        return None, Attribution(state="not asked", model=analyst.name)
    judge = ModelConfig(name=analyst.name)
    judged = [ModelConfig(name=name) for name in judged_models(case.run)]
    itself = [warn_if_self_judging(agent, judge, "analyst") for agent in judged]
    verdict, analysis = ask_analyst(analyst, packet, case)
    return verdict, msgspec.structs.replace(analysis, self_judging=any(itself))


def diagnose_paths(
    paths: Iterable[Path | str],
    *,
    source_format: str = "auto",
    config: TetherConfig | None = None,
    analyst: ChatModel | None = None,
    claim: bool = False,
    records: Container[int] | None = None,
) -> Iterator[DiagnoseEvent]:
    """Diagnose every run in files, folders and run stores, in order; ``-`` is standard input.

    A file that cannot be read is an event, not an exception: it does not lose the others.

    Args:
        source_format: the name of a format, or ``auto``.
        analyst, claim: as for ``diagnose``.
        records: only these runs of each file, counted from 0.
    """
    for path in paths:
        found = False
        for file, skipped in [(path, None)] if str(path) == "-" else files_of(Path(path)):
            found = True
            if skipped is not None:
                yield FileSkipped(path=str(file), reason=skipped)
                continue
            named = str(file) == str(path)
            number, shown = 0, 0
            for item in _runs_of(file, source_format, named=named):
                if not isinstance(item, Run):
                    yield item
                    continue
                if records is None or number in records:
                    yield _diagnosed(item, config, analyst, claim)
                    shown += 1
                number += 1
            if number and not shown:
                yield FileFailed(path=str(file), error=_no_record(file, number))
        if not found:
            error = InputFormatError(
                f"{path} is a folder without files.", next_step="Give the folder of the runs."
            )
            yield FileFailed(path=str(path), error=error)


def _no_record(file: Path | str, count: int) -> InputFormatError:
    held = "one record, 0" if count == 1 else f"records 0 to {count - 1}"
    return InputFormatError(
        f"{file} holds {held}; none of them was named.",
        next_step="Name one of these with --record.",
    )


def diagnose_stored(
    store: SqliteStore,
    runs: Iterable[str] = (),
    *,
    config: TetherConfig | None = None,
    analyst: ChatModel | None = None,
    claim: bool = False,
) -> Iterator[DiagnoseEvent]:
    """Diagnose runs of a store by the beginnings of their identifiers; without one all of them,
    the newest first.

    A run that is not there, of whose beginning there are several, or that cannot be read is a
    :class:`FileFailed`, not an exception: it does not lose the others.
    """
    for run_id in tuple(runs) or tuple(summary.id for summary in store.list()):
        found = _stored_run(store, run_id)
        yield _diagnosed(found, config, analyst, claim) if isinstance(found, Run) else found


def _stored_run(store: SqliteStore, run_id: str) -> Run | FileFailed:
    try:
        return store.get(run_id)
    except StoreError as error:
        return FileFailed(path=run_id, error=error)


def _diagnosed(
    run: Run, config: TetherConfig | None, analyst: ChatModel | None, claim: bool
) -> RunDiagnosed:
    return RunDiagnosed(examined=examine(run, config=config, analyst=analyst, claim=claim))


def _runs_of(
    file: Path | str, source_format: str, *, named: bool
) -> Iterator[FileSkipped | FileFailed | FileImported | Run]:
    """The runs in one file, or why there are none."""
    if _is_store(file):
        if Path(file).name.endswith(("-wal", "-shm")):
            return
        yield from _stored_runs(Path(file))
        return
    try:
        imported: list[ImportedRun] = import_file(file, source_format=source_format)
    except LabelsOnlyError as error:
        if named:
            yield FileFailed(path=str(file), error=error)
        else:
            yield FileSkipped(path=str(file), reason="ground-truth labels, no runs")
        return
    except InputFormatError as error:
        yield FileFailed(path=str(file), error=error)
        return
    origin = imported[0].run.origin
    yield FileImported(
        path=str(file),
        format=origin.format if origin else "knitbone",
        runs=len(imported),
        failed=sum(outcome_of(item.run) == "failed" for item in imported),
        unsure=imported[-1].unsure,
    )
    for item in imported:
        yield item.run


def _is_store(file: Path | str) -> bool:
    if str(file) == "-" or not Path(file).is_file():
        return False  # what is read from a pipe to look at it is gone
    try:
        with Path(file).open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # importing it says what is wrong with it


def _stored_runs(path: Path) -> Iterator[FileFailed | FileImported | Run]:
    """The runs of a store, the newest first; one is in memory at a time."""
    try:
        store = SqliteStore(path)
    except StoreError as error:
        yield FileFailed(path=str(path), error=error)
        return
    try:
        summaries = store.list()
        yield FileImported(path=str(path), format="run store", runs=len(summaries), failed=None)
        for summary in summaries:
            yield _stored_run(store, summary.id)
    except StoreError as error:
        yield FileFailed(path=str(path), error=error)
    finally:
        store.close()
