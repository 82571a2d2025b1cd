"""Run diagnosis, top to bottom: run -> units -> graph -> detect -> suspicion -> frontier ->
analyse.

Heavy libraries load at the first diagnosis, not when this module is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from knitbone.config import TetherConfig
from knitbone.core.events import Run
from knitbone.errors import InputFormatError, KnitboneError, import_extra
from knitbone.tethering.analyse import Diagnosis, analyse, outcome_of
from knitbone.tethering.features import features_of
from knitbone.tethering.frontier import expand
from knitbone.tethering.importers.reading import ImportedRun
from knitbone.tethering.importers.registry import LabelsOnlyError, files_of, import_file
from knitbone.tethering.rules import score_run as score_rules
from knitbone.tethering.suspicion import suspicions
from knitbone.tethering.units import build_units

__all__ = [
    "DiagnoseEvent",
    "FileFailed",
    "FileImported",
    "FileSkipped",
    "RunDiagnosed",
    "diagnose",
    "diagnose_paths",
]


class FileSkipped(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a folder that holds no runs, and is not meant to."""

    path: str
    reason: str


class FileFailed(msgspec.Struct, frozen=True, kw_only=True):
    """A file that should hold runs and cannot be read as such."""

    path: str
    error: KnitboneError


class FileImported(msgspec.Struct, frozen=True, kw_only=True):
    """A file was read; its runs are diagnosed next."""

    path: str
    format: str
    runs: int
    failed: int


class RunDiagnosed(msgspec.Struct, frozen=True, kw_only=True):
    """One run, and what was found."""

    run: Run
    diagnosis: Diagnosis


DiagnoseEvent = FileSkipped | FileFailed | FileImported | RunDiagnosed


def diagnose(run: Run, *, config: TetherConfig | None = None) -> Diagnosis:
    """Find the decision that broke a run, without a model.

    Deterministic: the same run and configuration give the same diagnosis. For a run known to
    have succeeded the ranking shows what was unusual, and there is no turning point.

    Source: AgentTether §III.B.2 and §III.C.

    Raises:
        MissingExtraError: networkx or scikit-learn is not installed.
    """
    for library in ("networkx", "numpy", "sklearn"):
        import_extra(library, extra="tether", purpose="Run diagnosis")
    # Loaded here: the graph brings networkx, the detector scikit-learn (seconds).
    from knitbone.tethering.detect.local import score_units  # noqa: PLC0415
    from knitbone.tethering.graph import build_graph  # noqa: PLC0415

    units = build_units(run)
    graph = build_graph(units)
    evidence = score_units(features_of(graph), config or TetherConfig())
    evidence += score_rules(run, units).evidence
    scores = suspicions(units, evidence)
    region = expand(graph, scores, evidence)
    return analyse(run, graph, scores, evidence, region)


def diagnose_paths(
    paths: Iterable[Path | str],
    *,
    source_format: str = "auto",
    config: TetherConfig | None = None,
) -> Iterator[DiagnoseEvent]:
    """Diagnose every run in files and folders, in order; ``-`` is standard input.

    A file that cannot be read is an event, not an exception: it does not lose the others.

    Args:
        source_format: a key of ``importers.FORMATS``, or ``auto``.
    """
    for path in paths:
        found = False
        for file, skipped in [(path, None)] if str(path) == "-" else files_of(Path(path)):
            found = True
            if skipped is not None:
                yield FileSkipped(path=str(file), reason=skipped)
                continue
            try:
                imported: list[ImportedRun] = import_file(file, source_format=source_format)
            except LabelsOnlyError as error:
                if str(file) == str(path):
                    yield FileFailed(path=str(file), error=error)
                else:
                    yield FileSkipped(path=str(file), reason="ground-truth labels, no runs")
                continue
            except InputFormatError as error:
                yield FileFailed(path=str(file), error=error)
                continue
            yield _imported(str(file), imported)
            for item in imported:
                yield RunDiagnosed(run=item.run, diagnosis=diagnose(item.run, config=config))
        if not found:
            error = InputFormatError(
                f"{path} is a folder without files.", next_step="Give the folder of the runs."
            )
            yield FileFailed(path=str(path), error=error)


def _imported(path: str, imported: list[ImportedRun]) -> FileImported:
    origin = imported[0].run.origin
    return FileImported(
        path=path,
        format=origin.format if origin else "knitbone",
        runs=len(imported),
        failed=sum(outcome_of(item.run) == "failed" for item in imported),
    )
