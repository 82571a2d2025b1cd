"""Texts on which a rewriting for consistency does harm: ``python -m
knitbone_evals.adapt.prose.corpus FOLDER`` fetches what is not kept here.

Two sorts. ``generated.jsonl`` is kept: logs, tables, transcripts, verse, checklists and the like
from hand-written grammars, some traditional songs, a few lines in other languages; all CC0.
``slices.jsonl`` names pieces of public documents (manuals in eleven languages, licences, plays,
fortunes, change logs, code, tables) by package, file, place and SHA-256: they are under licences of
their own, so they are cut out of the packages that ``packages.jsonl`` pins. No text is normalised.
Chosen by somebody who had not read the detectors; no text says what is expected, since all of
them are right as they are.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from knitbone_evals.lines import lines_of

__all__ = ["Text", "answers", "fetch", "generated", "public"]

HERE = Path(__file__).parent


class Text(NamedTuple):
    """One text of a kind, as it stands in its source."""

    id: str
    kind: str
    text: str


def generated() -> list[Text]:
    """The texts that are kept here."""
    return [Text(row["id"], row["kind"], row["text"]) for row in _rows(HERE / "generated.jsonl")]


def public(folder: Path) -> list[Text]:
    """The texts of public documents, from the packages in a folder.

    Raises:
        FileNotFoundError: a package is not there.
        ValueError: a text is not the one that was chosen.
    """
    wanted: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(HERE / "slices.jsonl"):
        wanted[row["package"]].append(row)
    files = {f"{row['from']}:{row['name']}": row["file"] for row in _rows(HERE / "packages.jsonl")}
    found: list[Text] = []
    for package, rows in wanted.items():
        members = dict(_members(folder / files[package], {row["member"] for row in rows}))
        for row in rows:
            text = members[row["member"]][row["start"] : row["start"] + row["length"]]
            if hashlib.sha256(text.encode()).hexdigest() != row["sha256"]:
                raise ValueError(f"{row['id']} of {package} is another text.")
            found.append(Text(row["id"], row["kind"], text))
    return found


def answers(data: Path) -> list[Text]:
    """The real answers of ``llm_outputs``; the kind is the model."""
    return [
        Text(f"{file.stem}-{number}", file.stem, row["output"])
        for file in sorted((data / "llm_outputs").glob("*.jsonl"))
        for number, row in enumerate(_rows(file), 1)
    ]


def fetch(folder: Path) -> None:
    """Fetch the packages that are not in the folder yet (about 150 MB; apt and pip).

    Raises:
        subprocess.CalledProcessError: a package cannot be had.
        ValueError: one is not the pinned one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for row in _rows(HERE / "packages.jsonl"):
        file = folder / row["file"]
        if not file.exists():
            pinned = f"{row['name']}={'' if row['from'] == 'debian' else '='}{row['version']}"
            subprocess.run([*_command(row), pinned], cwd=folder, check=True)
        if hashlib.sha256(file.read_bytes()).hexdigest() != row["sha256"]:
            raise ValueError(f"{file} is not the pinned package.")


def _command(row: dict[str, Any]) -> list[str]:
    if row["from"] == "debian":
        return ["apt-get", "download"]
    kind = ("--only-binary", ":all:") if row["file"].endswith(".whl") else ("--no-binary", ":all:")
    return [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind]


def _members(file: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """Name and text of some files of a package."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            yield from ((name, _text(name, archive.read(name))) for name in names)
        return
    if file.suffix == ".deb":
        command = ["dpkg-deb", "--fsys-tarfile", str(file)]
        data = subprocess.run(command, check=True, capture_output=True).stdout
    else:
        data = gzip.decompress(file.read_bytes())
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            held = archive.extractfile(member) if name in names else None
            if held is not None:
                yield name, _text(name, held.read())


def _text(name: str, data: bytes) -> str:
    return (gzip.decompress(data) if name.endswith((".gz", ".dz")) else data).decode("utf-8")


def _rows(file: Path) -> Iterable[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(file)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    fetch(parser.parse_args().folder)
