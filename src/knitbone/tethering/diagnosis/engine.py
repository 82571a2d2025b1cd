"""Run diagnosis, top to bottom: run -> conversations -> units -> graph -> evidence planes ->
suspicion -> packet -> analyst, or the facts alone -> diagnosis.

Heavy libraries load at the first diagnosis, not when this module is imported.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import msgspec

from knitbone.config import ModelConfig, TetherConfig
from knitbone.errors import InputFormatError, KnitboneError, StoreError, import_extra
from knitbone.models.chat import ChatModel
from knitbone.models.factory import warn_if_self_judging
from knitbone.record.events import Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.addressed import addressed_texts
from knitbone.tethering.diagnosis.analyse import Diagnosis, analyse
from knitbone.tethering.diagnosis.analyst import ValidatedAnswer, ask_analyst, judged_models
from knitbone.tethering.diagnosis.case import Case, outcome_of
from knitbone.tethering.diagnosis.conversations import (
    Conversation,
    conversations_of,
    families_of,
    part_of,
)
from knitbone.tethering.diagnosis.detect.conduct import score_conduct
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.detect.local import score_units
from knitbone.tethering.diagnosis.features import features_of
from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph, Dependency, build_graph
from knitbone.tethering.diagnosis.packet import EvidencePacket, build_packet
from knitbone.tethering.diagnosis.records import Attribution
from knitbone.tethering.diagnosis.region import shown_region
from knitbone.tethering.diagnosis.rules import RuleReport, Violation, score_run
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.suspicion import by_plane, suspicions
from knitbone.tethering.diagnosis.units import TransitionUnit, build_units
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.registry import LabelsOnlyError, files_of, import_file

__all__ = [
    "DiagnoseEvent",
    "Examined",
    "FileFailed",
    "FileImported",
    "FileSkipped",
    "Planes",
    "RunDiagnosed",
    "RunEvidence",
    "diagnose",
    "diagnose_paths",
    "diagnose_stored",
    "evidence_of_run",
    "examine",
    "read_planes",
]


# All planes of evidence of one run (AgentTether §III.C.2), each by its own detector.
#
# The offline detector learned what successful runs look like from agents that act through tools
# (evals/docs/offline_detector.md). Of a conversation without tool calls it knows nothing, and its
# surprise there is noise (evals/docs/localization.md has both figures); it is asked about runs with
# tool calls only.
#
# Loads networkx and, for runs with tool calls, onnxruntime; import it on first use only.

_HOPS = 1
"""AgentTether §IV.A: one-hop graph context."""
_WITHOUT_RUNTIME = (
    'the offline detector needs onnxruntime, which is not installed: pip install "knitbone[tether]"'
)


class Planes(msgspec.Struct, frozen=True, kw_only=True):
    """What the detectors say; nothing is merged here."""

    evidence: tuple[PlaneEvidence, ...]
    """One record a unit and plane, the planes one after the other, run-local first."""
    rules: RuleReport
    missing: tuple[str, ...] = ()
    """Planes that could not be read, each with the reason and what to do."""


def read_planes(
    run: Run,
    graph: CriticalTransitionGraph,
    *,
    shown: Shown | None = None,
) -> Planes:
    """The evidence of every plane that knows runs of this kind.

    Args:
        shown: what the recording had shown up to each step, where ``run`` is a part of it.

    Raises:
        MissingExtraError: the run carries tool schemas, and jsonschema is not installed.
        ModelError: the offline detector's model is damaged.
    """
    local = score_units(features_of(graph, hops=_HOPS))
    offline: list[PlaneEvidence] = []
    missing: tuple[str, ...] = ()
    if not any(unit.calls for unit in graph.units):
        pass  # not a kind of run that it knows
    elif find_spec("onnxruntime") is None:
        missing = (_WITHOUT_RUNTIME,)
    else:
        # Loaded here: it brings onnxruntime and the model.
        from knitbone.tethering.diagnosis.detect.offline import score_run as score_offline  # noqa: PLC0415

        offline = score_offline(graph)
    rules = score_run(run, graph.units, shown=shown)
    evidence = (*local, *offline, *rules.evidence, *score_conduct(graph.units))
    return Planes(evidence=evidence, rules=rules, missing=missing)


# What graph and detectors make of a run, in parts that have nothing to do with each other.
#
# Conversations that one began in another hang together: they are one part, with one graph. What
# runs beside it or after it is another part: four agents that are asked the same and say the same
# are no loop, and a step is unusual only among those of its own part.


class RunEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What graph and detectors make of a run."""

    graph: CriticalTransitionGraph
    scores: tuple[float, ...]
    evidence: tuple[PlaneEvidence, ...]
    violations: tuple[Violation, ...]
    missing_planes: tuple[str, ...]
    conversations: tuple[Conversation, ...]
    shown: Shown
    """What the run had shown up to each step, in whatever conversation."""


def evidence_of_run(run: Run) -> RunEvidence:
    """The graph, the scores and the evidence of a run, part by part and put together.

    Loads networkx and, for runs with tool calls, onnxruntime.
    """
    conversations = conversations_of(run)
    families = families_of(conversations)
    shown = Shown(run)
    readings = [_read(run, family, shown, alone=len(families) == 1) for family in families]
    if len(readings) == 1:
        return msgspec.structs.replace(readings[0], conversations=conversations)
    return _joined(readings, conversations, shown)


def _read(run: Run, family: Sequence[Conversation], shown: Shown, *, alone: bool) -> RunEvidence:
    numbers = [number for conversation in family for number in conversation.events]
    part = run if alone else part_of(run, numbers)
    units = build_units(run) if alone and len(family) == 1 else _units(run, family)
    graph = build_graph(units)
    planes = read_planes(part, graph, shown=shown)
    scores = suspicions(units, planes.evidence)
    return RunEvidence(
        graph=graph, scores=tuple(scores), evidence=planes.evidence,
        violations=planes.rules.violations, missing_planes=planes.missing, conversations=(),
        shown=shown,
    )  # fmt: skip


def _units(run: Run, family: Sequence[Conversation]) -> tuple[TransitionUnit, ...]:
    """The units of conversations that hang together, in the order of the run."""
    order = {event.id: number for number, event in enumerate(run.events)}
    root = family[0].number
    begun = {conversation.parent for conversation in family}
    found: list[TransitionUnit] = []
    for conversation in family:
        for unit in build_units(part_of(run, conversation.events)):
            role = unit.role
            if role == "agent" and len(family) > 1:
                role = "orchestrator" if conversation.number in begun else "worker"
            found.append(
                msgspec.structs.replace(
                    unit, conversation=conversation.number, family=root, role=role
                )
            )
    found.sort(key=lambda unit: order[unit.event])
    return tuple(msgspec.structs.replace(unit, ordinal=k) for k, unit in enumerate(found))


def _joined(
    readings: Sequence[RunEvidence], conversations: tuple[Conversation, ...], shown: Shown
) -> RunEvidence:
    """Several parts as one, their units in the order of the run. A part's chances count by its
    share of the steps: in a conversation of one step that step is the first, whatever it did."""
    placed = sorted(
        ((unit.index, part, unit.ordinal) for part, reading in enumerate(readings)
         for unit in reading.graph.units),
    )  # fmt: skip
    places = {(part, own): ordinal for ordinal, (_, part, own) in enumerate(placed)}
    units = tuple(
        msgspec.structs.replace(readings[part].graph.units[own], ordinal=ordinal)
        for ordinal, (_, part, own) in enumerate(placed)
    )
    scores = [0.0] * len(units)
    dependencies: list[Dependency] = []
    evidence: list[PlaneEvidence] = []
    violations: list[Violation] = []
    for part, reading in enumerate(readings):
        share = len(reading.scores) / max(len(units), 1)
        for own, score in enumerate(reading.scores):
            certain = float(int(score))  # suspicion.py adds a whole number for a loop: no chance
            scores[places[part, own]] = certain + (score - certain) * share
        for edges in reading.graph.dependencies_into.values():
            dependencies += [
                msgspec.structs.replace(
                    edge, source=places[part, edge.source], target=places[part, edge.target]
                )
                for edge in edges
            ]
        for item in reading.evidence:
            evidence.append(msgspec.structs.replace(item, ordinal=places[part, item.ordinal]))
        for broken in reading.violations:
            moved = places[part, broken.ordinal]
            violations.append(msgspec.structs.replace(broken, ordinal=moved))
    missing = dict.fromkeys(note for reading in readings for note in reading.missing_planes)
    return RunEvidence(
        graph=CriticalTransitionGraph(units, dependencies), scores=tuple(scores),
        evidence=tuple(_ranked(evidence, len(units))),
        violations=tuple(sorted(violations, key=lambda violation: violation.ordinal)),
        missing_planes=tuple(missing), conversations=conversations, shown=shown,
    )  # fmt: skip


def _ranked(evidence: Sequence[PlaneEvidence], units: int) -> list[PlaneEvidence]:
    """Each plane's records in the order of the units, ranked over the whole run. Of a part of which
    a plane knows nothing, it has nothing against any unit."""
    found: list[PlaneEvidence] = []
    for plane, known in by_plane(evidence).items():
        least = min(0.0, *(record.score for record in known))
        told = {record.ordinal: record for record in known}
        records = [
            told.get(k) or PlaneEvidence(plane=plane, ordinal=k, score=least, rank=1)
            for k in range(units)
        ]
        places = ranks([record.score for record in records])
        found += [
            msgspec.structs.replace(record, rank=rank)
            for record, rank in zip(records, places, strict=True)
        ]
    return found


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
    point is claimed where facts on record speak for it, and only of a run known to have failed.

    Source: AgentTether §III.B.2 and §III.C.

    Args:
        run: of a store, of a file, or what ``knitbone.trace`` gave.
        claim: claim one also of a run whose outcome is unknown or good, where a fact speaks for it
            that successful runs hardly ever show.
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
        source_format: a key of ``importers.FORMATS``, or ``auto``.
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
            number = 0
            for item in _runs_of(file, source_format, named=named):
                if not isinstance(item, Run):
                    yield item
                    continue
                if records is None or number in records:
                    yield _diagnosed(item, config, analyst, claim)
                number += 1
        if not found:
            error = InputFormatError(
                f"{path} is a folder without files.", next_step="Give the folder of the runs."
            )
            yield FileFailed(path=str(path), error=error)


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
