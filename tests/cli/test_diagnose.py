from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner

import knitbone
from knitbone import samples
from knitbone.cli.app import group
from knitbone.errors import KnitboneError
from knitbone.record.events import ChatMessage, ErrorInfo, ModelCall, Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply
from knitbone.tethering.interchange.importers import import_file

RUNS = Path(next(iter(samples.__path__))) / "runs"
KEYS = {
    "run", "source", "task", "outcome", "outcome_reason", "outcome_set_by", "lost",
    "units", "turning_point",
    "ranking", "region", "region_groups", "action", "category", "root_cause", "reason", "signals",
    "recovery_hints", "affected", "changed", "planes", "missing_planes", "evidence", "analysis",
    "warnings", "headline", "claim", "on_record", "unusual",
    "conversations",
}  # fmt: skip


def diagnose(*arguments, stdin=None):
    return CliRunner().invoke(group, ["diagnose", *map(str, arguments)], input=stdin)


def records(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_json_gives_one_object_for_every_run():
    result = diagnose(RUNS / "bank_runs.json", "--json")
    found = records(result)
    assert result.exit_code == 0
    assert len(found) == 12
    source = json.loads((RUNS / "bank_runs.json").read_text())
    for number, (record, run) in enumerate(zip(found, source, strict=True)):
        assert set(record) == KEYS
        assert record["source"]["record"] == number
        assert record["source"]["identity"] == {"task_id": run["task_id"], "trial": 0}
        assert record["outcome"] == ("succeeded" if run["reward"] else "failed")
        assert record["turning_point"] is None or not run["reward"]
        assert (record["turning_point"] is None) == (record["claim"] is None)
        assert record["headline"]
        actions = [k for k, m in enumerate(run["messages"]) if m["role"] == "assistant"]
        assert sorted(record["ranking"]) == actions
        assert set(record["region"]) <= set(actions)


def test_people_see_failed_runs_with_step_reason_and_hint():
    result = diagnose(RUNS / "bank_runs.json")
    assert result.exit_code == 0
    assert "12 runs: 9 failed, 3 succeeded, 0 unknown; 9 shown" in result.stdout
    assert "Left at   step 12   deposit_check(account_id=…, check_id=…)" in result.stdout
    assert "calls deposit_check without check_amount, which step 8 had returned" in result.stdout
    assert "Touched   steps 14, 16, 18, 20, 22, 24 and 26 build on it" in result.stdout
    assert "state changed at 24 close_account, 26 send_letter" in result.stdout
    assert result.stdout.count("Next time") >= 8
    assert "nothing on record says at which step" in result.stdout
    assert "\x1b" not in result.stdout
    assert "12 shown" in diagnose(RUNS / "bank_runs.json", "--all").stdout
    assert "2 shown (--limit 2)" in diagnose(RUNS / "bank_runs.json", "--limit", "2").stdout


def test_a_folder_passes_over_a_text_about_the_data_with_a_note(tmp_path):
    (tmp_path / "bank_runs.json").write_bytes((RUNS / "bank_runs.json").read_bytes())
    (tmp_path / "LICENSE").write_text("free")
    result = diagnose(tmp_path, "--json")
    assert result.exit_code == 0
    assert len(records(result)) == 12
    assert "LICENSE passed over: a licence or a text about the data" in result.stderr


def test_standard_input_is_read():
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (record,) = records(diagnose("-", "--json", stdin=json.dumps(messages)))
    assert (record["ranking"], record["outcome"]) == ([1], "unknown")
    assert record["headline"] == "Nothing on record says that something went wrong."


def run_main(monkeypatch, capsys, *arguments):
    from knitbone.cli import app

    monkeypatch.setattr("sys.argv", ["knitbone", "diagnose", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        app.main()
    return stop.value.code, capsys.readouterr()


def test_one_bad_file_is_reported_at_the_end_with_exit_code_2(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_text('{"messages": [')
    (tmp_path / "b.json").write_text('[{"role": "assistant", "content": "hello"}]')
    (tmp_path / "c.csv").write_text("a,b\n1,2\n")
    code, shown = run_main(monkeypatch, capsys, tmp_path)
    assert code == 2
    assert "step 0" in shown.out
    assert "a.json ends in the middle of a value" in shown.err
    assert "c.csv is not JSON" in shown.err


def test_errors_are_json_where_json_is_asked_for(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    code, shown = run_main(monkeypatch, capsys, tmp_path / "a.json", "--json")
    error = json.loads(shown.err)["error"]
    assert code == 2
    assert error["type"] == "InputFormatError"
    assert error["next_step"]
    assert shown.out == ""


def test_a_stored_run_is_diagnosed_by_its_identifier(tmp_path):
    run = import_file(RUNS / "bank_runs.json")[0].run
    store = SqliteStore(tmp_path / "runs.sqlite")
    store.put(run)
    store.close()
    (record,) = records(diagnose(run.id[:10], "--store", tmp_path / "runs.sqlite", "--json"))
    assert (record["run"], record["turning_point"]) == (run.id, 12)


def test_the_words_of_the_verdict_are_shown(tmp_path):
    with knitbone.trace(task="cancel the order", store=tmp_path / "runs.sqlite") as traced:
        traced.message("Cancel it, please.")
        traced.outcome(success=False, reason="the order is \x1b[31mstill <b>pending</b>")
    named = ("--store", tmp_path / "runs.sqlite", "--html", tmp_path / "page.html")
    shown = diagnose(*named).stdout
    assert "Verdict   the order is \\x1b[31mstill <b>pending</b>\n" in shown
    assert shown.count(traced.id[:12]) == 1  # without a name the identifier is the heading
    page = (tmp_path / "page.html").read_text()
    assert "still &lt;b&gt;pending&lt;/b&gt;" in page
    (record,) = records(diagnose(*named, "--json"))
    assert record["outcome_reason"] == "the order is \x1b[31mstill <b>pending</b>"


def test_hostile_texts_do_not_reach_the_terminal():
    messages = [
        {"role": "user", "content": "\x1b[31mred\x07"},
        {"role": "assistant", "content": "\x1b]0;title\x07 \u202e go"},
        {"role": "assistant", "content": "x", "tool_calls": [
            {"function": {"name": "a\x1b[2J", "arguments": '{"\\u001b[1m": 1}'}}]},
        {"role": "tool", "content": "Error: \x1b[31m"},
    ]  # fmt: skip
    shown = diagnose("-", stdin=json.dumps(messages)).stdout
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_nothing_named_is_the_newest_recorded_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KnitboneError, match=r"No run is recorded in \.knitbone/runs\.sqlite"):
        CliRunner().invoke(group, ["diagnose"], catch_exceptions=False)
    for task in ("water the plants", "feed the cat"):
        with knitbone.trace(task=task) as run:
            run.message(task, role="user")
            run.outcome(success=True)
    newest = diagnose()
    assert newest.exit_code == 0
    assert "feed the cat" in newest.stdout
    assert "water the plants" not in newest.stdout


def test_the_packet_is_not_silently_left_out():
    result = diagnose(RUNS / "bank_runs.json", "--packet")
    assert result.exit_code == 2
    assert "give --json, too" in result.output


def test_planes_stay_apart_in_json():
    record = records(diagnose(RUNS / "bank_runs.json", "--record", "0", "--json"))[0]
    planes = {plane["plane"]: plane for plane in record["planes"]}
    assert {"run-local", "rules"} <= set(planes)
    assert planes["run-local"]["top"]
    assert set(planes["run-local"]["region"]) <= set(record["region"])
    assert {item["plane"] for item in record["evidence"]["planes"]} == set(planes)
    assert record["changed"][0] == {"step": 24, "tool": "close_account"}
    assert record["analysis"]["state"] == "not configured"


def test_records_are_chosen_by_number():
    found = records(diagnose(RUNS / "bank_runs.json", "--record", "2", "--record", "4", "--json"))
    assert [record["source"]["record"] for record in found] == [2, 4]


def test_the_packet_comes_with_json_where_it_is_asked_for():
    (record,) = records(diagnose(RUNS / "bank_runs.json", "--record", "0", "--json", "--packet"))
    assert record["packet"]["schema"] == "knitbone.packet/1"
    assert record["packet"]["candidates"][0]["step"] == 12


@pytest.mark.parametrize("suffix", ["json", "graphml", "dot", "svg"])
def test_the_graph_of_a_run_is_written(tmp_path, suffix):
    target = tmp_path / f"g.{suffix}"
    result = diagnose(RUNS / "bank_runs.json", "--record", "0", "--graph", target)
    assert result.exit_code == 0
    assert "deposit_check" in target.read_text()
    assert f"Wrote {target}" in result.stderr


def test_graphs_of_several_runs_are_numbered(tmp_path):
    diagnose(RUNS / "bank_runs.json", "--limit", "3", "--graph", tmp_path / "g.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g-0.svg", "g-1.svg", "g-2.svg"]


def test_an_unknown_graph_format_is_refused_before_anything_is_read(tmp_path):
    result = diagnose(RUNS / "bank_runs.json", "--graph", tmp_path / "g.png")
    assert result.exit_code == 2
    assert ".svg" in result.stderr
    assert result.stdout == ""


def test_a_page_is_written_beside_what_is_shown(tmp_path):
    result = diagnose(RUNS / "bank_runs.json", "--html", tmp_path / "d.html")
    page = (tmp_path / "d.html").read_text()
    assert "9 shown" in result.stdout
    assert page.count("<svg") == 9


def test_exit_code_1_is_for_failed_runs_where_asked_for():
    assert diagnose(RUNS / "bank_runs.json", "--exit-code").exit_code == 1
    steps = json.dumps({"messages": [{"role": "assistant", "content": "hi"}], "success": True})
    assert diagnose("-", "--exit-code", stdin=steps).exit_code == 0


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A store at its default place, with two runs."""
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(tmp_path / ".knitbone" / "runs.sqlite")
    runs = [item.run for item in import_file(RUNS / "bank_runs.json")[:2]]
    for run in runs:
        store.put(run)
    store.close()
    return runs


def test_a_store_is_read_whole_as_a_file_or_by_its_option(stored, tmp_path):
    path = tmp_path / ".knitbone" / "runs.sqlite"
    for arguments in ((path,), ("--store", path), (path.parent,)):
        result = diagnose(*arguments, "--json")
        assert {record["run"] for record in records(result)} == {run.id for run in stored}


def test_an_identifier_that_was_printed_can_be_pasted(stored):
    (record,) = records(diagnose(stored[0].id[:12], "--json"))
    assert record["run"] == stored[0].id


def test_an_identifier_that_is_unknown_is_an_error(stored, monkeypatch, capsys):
    code, shown = run_main(monkeypatch, capsys, "beefbeef")
    assert code == 2
    assert "beefbeef" in shown.err


def test_an_unknown_identifier_does_not_lose_the_others(stored, monkeypatch, capsys):
    code, shown = run_main(
        monkeypatch, capsys, stored[0].id, "beefbeef", "cafecafe", stored[1].id, "--json"
    )
    assert code == 2
    assert [json.loads(line)["run"] for line in shown.out.splitlines()] == [r.id for r in stored]
    assert "beefbeef" in shown.err
    assert "cafecafe" in shown.err


def test_identifiers_and_files_can_be_named_together(stored, monkeypatch, capsys):
    code, shown = run_main(
        monkeypatch, capsys, stored[0].id, "nonsuch", RUNS / "bank_runs.json", "--json"
    )
    assert code == 2
    assert len(shown.out.splitlines()) == 13
    assert "nonsuch" in shown.err


def test_a_model_call_that_failed_is_not_shown_as_words(tmp_path):
    error = ErrorInfo(type="openai.RateLimitError", message="slow down")
    asked = ChatMessage(role="user", content="hi")
    store = SqliteStore(tmp_path / "runs.sqlite")
    store.put(Run(id="0a", events=(ModelCall(id="1", input=(asked,), error=error),)))
    store.put(Run(id="0b", events=(ModelCall(id="1", output=ChatMessage(role="assistant")),)))
    store.close()
    shown = diagnose(tmp_path / "runs.sqlite").stdout
    assert "agent gets no answer: its model call fails" in shown
    assert "agent says nothing" in shown


def test_a_file_of_another_program_is_no_store(tmp_path, monkeypatch, capsys):
    (tmp_path / "x.sqlite").write_bytes(b"SQLite format 3\x00" + b"junk" * 50)
    code, shown = run_main(monkeypatch, capsys, tmp_path / "x.sqlite")
    assert code == 2
    assert "x.sqlite" in shown.err


def test_a_store_that_is_not_there_is_said_and_not_made(tmp_path, monkeypatch, capsys):
    code, shown = run_main(monkeypatch, capsys, "--store", tmp_path / "typo.sqlite")
    assert code == 2
    assert "typo.sqlite" in shown.err
    assert list(tmp_path.iterdir()) == []


def test_what_chooses_among_files_is_refused_beside_a_store(stored, tmp_path):
    path = tmp_path / ".knitbone" / "runs.sqlite"
    for option in (("--record", "0"), ("--format", "otlp")):
        assert diagnose("--store", path, *option).exit_code == 2


def test_a_pipe_is_read_from_its_beginning(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = (RUNS / "bank_runs.json").read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    result = diagnose(pipe, "--json")
    writer.join(10)
    assert len(records(result)) == 12


def test_a_damaged_store_does_not_lose_the_files_behind_it(tmp_path, monkeypatch, capsys):
    store = SqliteStore(tmp_path / "a.sqlite")
    run = import_file(RUNS / "bank_runs.json")[0].run
    for number in range(20):
        store.put(msgspec.structs.replace(run, id=f"{number:032x}"))
    store.close()
    content = bytearray((tmp_path / "a.sqlite").read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle:] = b"U" * (len(content) - middle)
    (tmp_path / "a.sqlite").write_bytes(content)
    (tmp_path / "b.json").write_bytes((RUNS / "bank_runs.json").read_bytes())
    code, shown = run_main(monkeypatch, capsys, tmp_path, "--json")
    assert code == 2
    assert "a.sqlite" in shown.err
    assert sum("b.json" in line for line in shown.out.splitlines()) == 12


ANSWER = {
    "path": [22, 12], "turning_point": 12, "category": "missing argument",
    "root_cause": "The agent posted the check without its amount.",
    "quotes": [{"step": 12, "text": "missing 1 required positional argument"}],
    "recovery_hints": ["Name the amount of the check."],
}  # fmt: skip


@pytest.fixture
def configured(monkeypatch):
    def configure(server, name="judge-1"):
        monkeypatch.setenv("KNITBONE_ANALYST_NAME", name)
        monkeypatch.setenv("KNITBONE_ANALYST_BASE_URL", server.base_url)
        monkeypatch.setenv("KNITBONE_ANALYST_MAX_RETRIES", "0")

    return configure


def test_a_configured_analyst_is_asked_and_named(configured):
    with ModelServer(json.dumps(ANSWER)) as server:
        configured(server)
        shown = diagnose(RUNS / "bank_runs.json", "--record", "0").stdout
        assert len(server.requests) == 1
        diagnose(RUNS / "bank_runs.json", "--record", "0", "--no-model")
        assert len(server.requests) == 1
    assert "Why       The agent posted the check without its amount. On record: step 12" in shown
    assert "Analyst   named by judge-1, path back 22 <- 12" in shown
    assert "step 12 says: “missing 1 required positional argument”" in shown


def test_an_analyst_that_is_refused_or_fails_is_said(configured):
    wrong = json.dumps(ANSWER | {"turning_point": 77})
    for reply, words in (
        (wrong, "the answer of judge-1 was refused: the run has no step 77"),
        (Reply(status=500, error="burning"), "judge-1 gave no answer"),
    ):
        with ModelServer(reply) as server:
            configured(server)
            shown = diagnose(RUNS / "bank_runs.json", "--record", "0").stdout
        assert words in shown
        assert "The graph alone decides." in shown
        assert "Left at   step 12" in shown


def test_an_analyst_that_is_the_agent_is_said_once(configured, monkeypatch):
    monkeypatch.setenv("KNITBONE_AGENT_NAME", "judge-1")
    with ModelServer(json.dumps(ANSWER)) as server:
        configured(server)
        result = diagnose(RUNS / "bank_runs.json", "--limit", "2")
    assert result.stderr.count("judges runs of its own model") == 1


def test_a_picture_of_a_hostile_run_is_wellformed(tmp_path):
    said = "</svg><script>alert(1)</script>\x00\x1b"
    messages = [{"role": "assistant", "content": said}, {"role": "assistant", "content": said}]
    diagnose("-", "--graph", tmp_path / "g.svg", stdin=json.dumps(messages))
    assert "script" not in {e.tag.rpartition("}")[2] for e in ET.parse(tmp_path / "g.svg").iter()}


def test_a_record_that_is_not_there_is_an_error():
    result = diagnose(RUNS / "bank_runs.json", "--record", "12")
    assert result.exit_code == 2
    assert "holds records 0 to 11; none of them was named" in result.stderr
