"""The plug-ins of scenario requirements: one protocol, and imported only where asked for."""

import os
import subprocess
import sys
from typing import get_args

import pytest

from knitbone.adaptation.repair.scenarios import SCENARIOS, all_heuristics
from knitbone.adaptation.testing import Evidence, ScenarioName, ScenarioRequirement

PROGRAM = """
import json
import sys

import knitbone


@knitbone.source
def ask(question):
    return '```json\\n{"city": "Oslo", "population": "700000",}\\n```'


@knitbone.source
def next_call():
    return {"name": "add", "arguments": {"a": 1}}


def add(a):
    return a


TOOLS = {"add": add}


@knitbone.adapt
def read():
    return json.loads(ask("Which city?"))


@knitbone.adapt
def summary():
    text = ask("Tell me about the city.")
    print(text)
    return text


@knitbone.adapt
def act():
    call = next_call()
    return TOOLS[call["name"]](**call["arguments"])


assert read()["city"] == "Oslo"
summary()
assert act() == 1
found = sorted(n for n in sys.modules if n.startswith("knitbone.adaptation.scenario"))
print("loaded", *found)
"""


def loaded(tmp_path, scenario):
    """The modules of plug-ins that a process has imported when the program is done."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "KNITBONE_ADAPT_QUIET": "1"}
    environment |= {"KNITBONE_ADAPT_SCENARIO": scenario} if scenario else {}
    done = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]


def test_nothing_of_them_is_imported_at_default_settings(tmp_path):
    assert loaded(tmp_path, "") == []


def test_one_is_imported_where_it_is_asked_for_and_no_other(tmp_path):
    found = loaded(tmp_path, "succinct_content")
    packages = {name.split(".")[3] for name in found if name.count(".") > 2}
    assert "semantics" in packages
    assert packages.isdisjoint({"segmentation", "context", "lexical", "behaviour"})


@pytest.mark.parametrize("name", get_args(ScenarioName))
def test_each_scenario_has_a_plugin_that_keeps_the_protocol(name):
    family = SCENARIOS[name]
    plugin = family.load()
    assert plugin.__name__ == f"knitbone.adaptation.scenario.{family.package}"
    assert set(plugin.HEURISTICS) <= set(all_heuristics())
    evidence = Evidence(file="app.py", line=1, expression="print(answer)")
    requirement = ScenarioRequirement(name=name, evidence=evidence)
    plugin.load(requirement)
    assert (plugin.prepare(requirement) is None) == (family.subject == "calls")
