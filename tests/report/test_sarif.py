"""The SARIF log has what the 2.1.0 schema and code scanning ask for."""

import inspect
import json
import re
from pathlib import Path

import pytest
from sarif_support import problems

from knitbone.adaptation.testing import accept, analyse_files, review
from knitbone.report.check_rules import RULES
from knitbone.report.sarif import sarif_log

APP = """\
import json, knitbone

@knitbone.source
def ask(q): ...

def score(q):
    return json.loads(ask(q))["score"]
"""


def log_of(folder, source, **more):
    (folder / "my app").mkdir(exist_ok=True)
    file = folder / "my app" / "a.py"
    file.write_text(source)
    sites = analyse_files([file]).sites
    reviewed = review(sites, root=folder, read={str(file)}, **more)
    return reviewed, json.loads(json.dumps(sarif_log(reviewed)))


def test_the_log_has_the_structure_of_the_schema(tmp_path):
    _, log = log_of(tmp_path, APP)
    assert problems(log, "log") == []
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    (result,) = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "may-raise"
    assert result["level"] == "warning"
    assert all(re.fullmatch(r"[A-Z]\w*", rule["name"]) for rule in rules)
    assert all(rule["help"]["text"] for rule in rules)
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "my%20app/a.py", "uriBaseId": "PROJECT"}
    assert physical["region"] == {"startLine": 7}


def test_the_structure_test_sees_what_is_wrong():
    assert problems({"runs": {}}, "log") == ["$.version is missing", "$.runs is no list"]
    assert problems({"text": 3, "x": 1}, "text") == ["$.text is not str", "$.x is unknown"]


def test_fingerprints_do_not_change_when_lines_shift(tmp_path):
    _, before = log_of(tmp_path, APP)
    _, after = log_of(tmp_path, "import os\n\n" + APP)
    (first,), (second,) = (log["runs"][0]["results"] for log in (before, after))
    assert first["partialFingerprints"] == second["partialFingerprints"]
    assert first["locations"] != second["locations"]


def test_what_is_silenced_is_marked_as_suppressed(tmp_path):
    reviewed, _ = log_of(tmp_path, APP)
    _, log = log_of(tmp_path, APP, baseline=accept(reviewed))
    assert problems(log, "log") == []
    assert log["runs"][0]["results"][0]["suppressions"][0]["kind"] == "external"
    _, log = log_of(tmp_path, APP.replace('["score"]', '["score"]  # knitbone: ignore'))
    assert log["runs"][0]["results"][0]["suppressions"][0]["kind"] == "inSource"


def test_a_file_outside_the_project_has_an_absolute_address(tmp_path):
    (tmp_path / "root").mkdir()
    file = tmp_path / "a b.py"
    file.write_text(APP)
    reviewed = review(analyse_files([file]).sites, root=tmp_path / "root", read=set())
    result = sarif_log(reviewed)["runs"][0]["results"][0]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": f"file://{tmp_path}/a%20b.py"}


def test_every_finding_has_a_rule():
    source = Path(inspect.getfile(review)).read_text(encoding="utf-8")
    calls = re.findall(r"_finding\(\s*\w+(?:\[0\])?,\s*\"([^\"]+)\"", source)
    assert len(calls) >= 8
    missing = {re.sub(r"[\s_]+", "-", name.lower()) for name in calls} - set(RULES)
    assert missing == set()


@pytest.mark.parametrize("name", sorted(RULES))
def test_rules_are_sentences_without_their_full_stop_and_help_is_one(name):
    rule = RULES[name]
    assert not rule.title.endswith(".")
    assert rule.help.endswith(".")
