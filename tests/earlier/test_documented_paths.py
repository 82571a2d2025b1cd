"""Module paths that documentation named once, and code that was written by it."""

import importlib
import subprocess
import sys

import pytest

MOVED = {
    "knitbone.core.events": ("knitbone.record.events", "ChatMessage"),
    "knitbone.tethering.engine": ("knitbone.tethering.diagnosis.engine", "examine"),
    "knitbone.tethering.detect.offline": (
        "knitbone.tethering.diagnosis.detect.offline",
        "score_run",
    ),
}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_path_gives_the_module_of_today(old):
    new, name = MOVED[old]
    package, _, last = old.rpartition(".")
    names: dict[str, object] = {}
    exec(f"from {old} import {name}\nfrom {package} import {last} as module", names)
    assert names[name] is getattr(importlib.import_module(new), name)
    assert names["module"] is importlib.import_module(new)


@pytest.mark.parametrize(
    "statement",
    [
        "from knitbone.fuzzing import Campaign, Finding, FuzzEvent, fuzz, replay",
        "from knitbone.fuzzing.agents import run_agent_sync",
        "from knitbone.fuzzing.examine import examine",
        "from knitbone.adaptation import report",
        "from knitbone.config import FuzzConfig",
        "from knitbone.testing import ModelServer",
    ],
)
def test_a_documented_import_works(statement):
    exec(statement, {})


def test_the_ranker_is_fitted_by_the_command_that_the_docs_name():
    command = [sys.executable, "-m", "knitbone.tethering.ranker", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "--labels" in done.stdout
