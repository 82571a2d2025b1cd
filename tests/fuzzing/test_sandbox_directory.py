"""The private directory is put back and deleted, whatever a tool has made of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from knitbone.fuzzing.sandbox.client import Sandbox
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


def test_a_tree_deeper_than_a_path_can_say_is_gone_in_the_next_call(
    private: Path, tmp_path: Path
) -> None:
    tool = tmp_path / "digging.py"
    tool.write_text(
        "import os\n\ndef dig(x: int) -> str:\n"
        "    left = os.listdir('.')\n"
        "    for _ in range(40):\n"
        "        os.mkdir('d' * 200)\n        os.chdir('d' * 200)\n"
        "    return str('d' * 200 in left)\n"
    )
    with Sandbox(f"{tool}:dig") as sandbox:
        for _ in range(2):
            outcome = sandbox.call(0, {"x": 1}, timeout_s=10.0)
            assert (outcome.status, outcome.text) == ("ok", "False")
