"""The private directory is put back and deleted, whatever a tool has made of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from knitbone.fuzzing.sandbox.directory import Workplace


def test_folders_nested_deeper_than_python_recurses_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Workplace(str(tmp_path), None)
    before = place.paths()
    monkeypatch.chdir(place.work)
    for _ in range(1_500):
        os.mkdir("a")
        os.chdir("a")
    os.chdir(place.work)
    place.reset()
    assert sorted(os.listdir(place.work)) == sorted({name.split("/")[0] for name in before})
    place.remove()
    assert not Path(place.base).exists()
