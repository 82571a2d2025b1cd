"""Fetch a package's source distribution and build the environment that its suite runs in."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from knitbone_evals.paths import REPOSITORY

HERE = Path(__file__).parent


class Suite(NamedTuple):
    """One entry of ``suites.toml``."""

    name: str
    version: str
    sha256: str
    """Of the source distribution."""
    package: str
    """The import name that is instrumented."""
    python: str
    pytest: tuple[str, ...]
    """Arguments of pytest."""
    deselected: dict[str, str]
    """Node ids of tests that fail bare, each with the reason."""
    environment: dict[str, str]
    """Variables that the suite needs."""


class Place(NamedTuple):
    """A suite that is ready to run."""

    source: Path
    """The unpacked source distribution, in which the suite runs."""
    binaries: Path
    """Folder of the environment's programs."""
    scratch: Path


def read_suites(file: Path = HERE / "suites.toml") -> dict[str, Suite]:
    """The declared suites by the name of their distribution."""
    body = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        name: Suite(
            name=name,
            version=fields["version"],
            sha256=fields["sha256"],
            package=fields["package"],
            python=body["python"],
            pytest=tuple(fields["pytest"]),
            deselected=fields.get("deselected", {}),
            environment=fields.get("environment", {}),
        )
        for name, fields in body["suites"].items()
    }


def prepare(suite: Suite, cache: Path) -> Place:
    """Install what the suite's lock names, and this checkout of knitbone, and unpack the source.

    Raises:
        SystemExit: the source distribution is not the one that was declared.
        subprocess.CalledProcessError: the package index, or a build, failed.
    """
    folder = cache / f"{suite.name}-{suite.version}"
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "environment" / "bin" / "python"
    lock = HERE / "locks" / f"{suite.name}.txt"
    if not python.exists():
        _run("venv", "--python", suite.python, str(folder / "environment"))
    _run("pip", "sync", "--python", str(python), str(lock))
    # Its dependencies are in the lock, at versions that suit the package under test.
    _run("pip", "install", "--python", str(python), "--no-deps", "--editable", str(REPOSITORY))
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    return Place(_source(suite, folder), python.parent, scratch)


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", "--quiet", *arguments], check=True)


def _source(suite: Suite, folder: Path) -> Path:
    """The unpacked source distribution; one that was unpacked before is used again."""
    archives = folder / "archive"
    if not list(archives.glob("*.tar.gz")):
        subprocess.run(
            [
                *(sys.executable, "-m", "uv", "--quiet", "tool", "run"),
                *("--python", suite.python, "pip", "download", "--quiet", "--no-deps"),
                *("--no-binary", suite.name, "--dest", str(archives)),
                f"{suite.name}=={suite.version}",
            ],
            check=True,
        )
    (archive,) = archives.glob("*.tar.gz")
    if (digest := hashlib.sha256(archive.read_bytes()).hexdigest()) != suite.sha256:
        sys.exit(f"{archive} has the SHA-256 {digest}; suites.toml declares {suite.sha256}.")
    unpacked = folder / "source"
    if not unpacked.exists():
        draft = folder / "source.draft"
        with tarfile.open(archive) as content:
            content.extractall(draft, filter="data")
        draft.rename(unpacked)
    (source,) = unpacked.iterdir()
    return source
