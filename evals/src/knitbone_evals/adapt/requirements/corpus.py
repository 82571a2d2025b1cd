"""Where the labelled sources lie: packages are installed into a cache, samples are in the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from knitbone_evals.adapt.requirements.labels import AppLabels
from knitbone_evals.paths import REPOSITORY

__all__ = [
    "DEFAULT_CORPUS", "SAMPLES", "CorpusError", "analysed_files", "count_lines", "install",
    "scope_files",
]  # fmt: skip

SAMPLES = REPOSITORY / "tests" / "samples" / "requirements"
DEFAULT_CORPUS = REPOSITORY / ".cache" / "requirements_corpus"


class CorpusError(Exception):
    """A package could not be installed; the message holds what pip said."""


def install(labels: AppLabels, corpus: Path) -> Path:
    """The folder that the labels' paths are relative to; installs the package if it is not there.

    Without its dependencies, and whatever Python it asks for: nothing of it is ever run.

    Raises:
        CorpusError: pip failed.
    """
    if labels.sample:
        return SAMPLES / labels.sample
    folder = corpus / f"{labels.package}-{labels.version}"
    if folder.is_dir():
        return folder
    corpus.mkdir(parents=True, exist_ok=True)
    # Renamed when complete, so that an interrupted installation is never taken for a whole one.
    fresh = Path(tempfile.mkdtemp(dir=corpus, prefix=".installing-"))
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--ignore-requires-python", "--no-compile", "--target", str(fresh)),
        f"{labels.package}=={labels.version}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(fresh)
        raise CorpusError(f"cannot install {labels.package} {labels.version}: {done.stderr[-800:]}")
    try:
        fresh.rename(folder)
    except OSError:
        shutil.rmtree(fresh)
        if not folder.is_dir():  # another run was quicker, or this is something else
            raise
    return folder


def scope_files(labels: AppLabels, root: Path) -> list[Path]:
    """The Python files that are labelled, sorted."""
    found = {file for pattern in labels.scope for file in root.glob(pattern)}
    return sorted(file for file in found if file.is_file() and file.suffix == ".py")


def analysed_files(labels: AppLabels, root: Path) -> list[Path]:
    """The files in scope, and those out of it that bring an output which is consumed in scope."""
    named = {root / site.rpartition(":")[0] for each in labels.consumer for site in each.sites}
    return sorted(named.union(scope_files(labels, root)))


def count_lines(files: list[Path]) -> int:
    """Physical lines, blank ones and comments included."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
