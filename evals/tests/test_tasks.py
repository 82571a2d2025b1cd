"""The list of tasks: each is there, and its README holds it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from knitbone_evals.__main__ import main, table
from knitbone_evals.tasks import TASKS

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_module_of_a_task_is_there(task):
    found = importlib.util.find_spec(f"knitbone_evals.{task.name}")
    assert found is not None
    assert task.name == task.name.lower()


def test_the_readme_holds_the_table():
    assert table() in README.read_text(encoding="utf-8")


def test_an_unknown_task_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        main(["run", "nonsense"])
    assert "adapt.values" in capsys.readouterr().err
