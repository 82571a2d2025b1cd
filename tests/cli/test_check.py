"""``knitbone check`` on small applications, as a person and as a machine reads it."""
# ruff: noqa: E501 - sources of applications and answers of models as they are

import json
import textwrap

import pytest
from click.testing import CliRunner

from knitbone.cli.check import command

APP = r'''
import json, re
from openai import OpenAI
import knitbone
client = OpenAI()
ROW = re.compile(r"^\s*(\d+)\.\s+(.+)$")

def ask(prompt):
    response = client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
    return response.choices[0].message.content

def parse(text):
    tasks = []
    for line in text.splitlines():
        m = ROW.match(line)
        if m:
            tasks.append(m.group(2))
    return tasks

@knitbone.adapt
def plan(goal):
    return parse(ask(goal))

def score(goal):
    return json.loads(ask(goal))["score"]

print(re.findall(r"^- (.+)$", ask("x"), re.M))
'''  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "plan.py").write_text(APP)
    return tmp_path


def check(*arguments, code=0):
    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert result.exit_code == code
    return result.output


def test_a_site_is_shown_with_consumer_requirement_evidence_and_finding(folder):
    output = check("app")
    assert (
        textwrap.dedent("""\
        app/plan.py:22  ask(goal) -> client.chat.completions.create
          consumed at app/plan.py:15  ROW.match(line)  with re.compile(r"^\\s*(\\d+)\\.\\s+(.+)$")
          expects     one record a line: <number> "." <text>              [positional, high]
          if violated the line is dropped without an error                    ! silent loss
        """)
        in output
    )
    assert "3 sites, 2 requirements, 1 unknown, 2 findings in 1 file." in output


def test_what_is_unknown_or_cannot_be_adapted_says_why(folder):
    output = check("app/plan.py")
    assert "expects     unknown: read by json.loads; structured templates" in output
    assert "not adapted at run time: no requirement of it is known" in output
    assert "it stands at the top level of its module, not in a function" in output


def test_json_is_one_object_a_line(folder):
    records = [json.loads(line) for line in check("app", "--json").splitlines()]
    sites = [record for record in records if record["kind"] == "site"]
    assert len(sites) == 3
    first = sites[0]
    assert first["line"] == 22
    assert first["function"] == "plan"
    (requirement,) = first["requirements"]
    assert requirement["expects"] == 'one record a line: <number> "." <text>'
    assert requirement["confidence"] == "high"
    assert requirement["evidence"]["line"] == 15
    assert first["findings"] == ["if violated the line is dropped without an error"]
    (entry,) = [record for record in records if record["kind"] == "entry"]
    assert (entry["function"], entry["sites"]) == ("plan", 1)


def test_a_syntax_error_is_reported_and_the_other_files_are_read(folder):
    (folder / "app" / "broken.py").write_text("def f(:\n")
    (folder / "app" / "binary.py").write_bytes(b"\xff\xfe\x00")
    output = check("app")
    assert "app/broken.py  cannot be read: line 1: " in output
    assert "app/binary.py  cannot be read: " in output
    assert "app/plan.py:22" in output


def test_the_application_is_never_imported(folder):
    (folder / "app" / "danger.py").write_text("raise SystemExit('imported')\n")
    assert "app/plan.py:22" in check("app")


def test_a_module_is_found_by_its_dotted_name(folder):
    assert "app/plan.py:22" in check("app.plan")


def test_an_entry_that_reaches_nothing_and_an_answer_that_nobody_reads_are_named(folder):
    (folder / "chat.py").write_text(
        "import knitbone\nfrom openai import OpenAI\n\n@knitbone.adapt\ndef chat(q):\n"
        "    r = OpenAI().responses.create(model='m', input=q)\n    print(r.output_text)\n"
    )
    output = check("chat.py")
    assert "chat.py:6  OpenAI().responses.create: no code that reads its answer was found" in output
    assert "chat.py:4  @knitbone.adapt on chat: reaches no answer with a known" in output


def test_escapes_in_the_source_do_not_reach_the_terminal(folder):
    (folder / "evil.py").write_text(
        "import re, knitbone\n@knitbone.source\ndef ask(q): ...\n"
        "def f(): re.findall(r'^\\d+\\. (.*)$', ask('\x1b[31m\u202e'), re.M)\n"
    )
    output = check("evil.py")
    assert "\x1b" not in output
    assert "\\x1b[31m\\u202e" in output


def test_a_wrong_path_says_what_to_name(folder):
    result = CliRunner().invoke(command, ["nowhere.py"])
    assert "is no file, folder or module" in str(result.exception)
