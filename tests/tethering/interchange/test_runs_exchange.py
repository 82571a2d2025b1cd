"""``knitbone runs import``, ``export`` and ``send``, as a user calls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from local_collector import Answer, Collector
from recorded_logs import SEATS, chat_record
from recorded_spans import GENAI_SPANS, traces

from knitbone.cli.app import group
from knitbone.errors import StoreError
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.interchange.importers import import_file


def knitbone(*arguments, cwd, code=0, **environment):
    done = subprocess.run(
        [sys.executable, "-c", "from knitbone.cli import main; main()", *arguments],
        capture_output=True, check=False, text=True, cwd=cwd, timeout=120,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bank.json").write_text(json.dumps([chat_record(), chat_record(4, 1.0)]))
    (tmp_path / "chat.json").write_text(json.dumps(SEATS))
    (tmp_path / "trace.json").write_text(json.dumps(traces(*GENAI_SPANS)))
    return tmp_path


def test_every_format_goes_into_the_store_and_out_over_otlp_to_the_same_diagnosis(folder):
    done = knitbone("runs", "import", "bank.json", "chat.json", "trace.json", cwd=folder)
    assert done.stdout.splitlines() == [
        "bank.json: 2 runs imported",
        "chat.json: 1 run imported",
        "trace.json: 1 run imported",
    ]
    exported = knitbone("runs", "export", "--format", "otlp", cwd=folder).stdout
    (folder / "out.jsonl").write_text(exported)
    before = {
        item.run.id: item.run
        for name in ("bank.json", "chat.json", "trace.json")
        for item in import_file(folder / name)
    }
    after = {item.run.id: item.run for item in import_file(folder / "out.jsonl")}
    assert len(after) == 4
    for run_id, run in after.items():
        assert diagnose(run) == diagnose(before[run_id])


def test_a_run_that_is_there_already_is_named_and_nothing_of_the_file_is_stored(folder):
    knitbone("runs", "import", "chat.json", cwd=folder)
    run = json.loads(knitbone("runs", "list", "--json", cwd=folder).stdout)["id"]
    exported = knitbone("runs", "export", cwd=folder).stdout
    record = json.loads(exported.replace(run, "new"))
    del record["checksum"]  # it is changed on purpose
    (folder / "two.jsonl").write_text(json.dumps(record) + "\n" + exported)
    done = knitbone("runs", "import", "two.jsonl", cwd=folder, code=2)
    assert f"{run} is already in the store" in done.stderr
    assert f"knitbone runs purge {run}" in done.stderr
    assert len(knitbone("runs", "list", "--json", cwd=folder).stdout.splitlines()) == 1


def test_a_run_that_stands_twice_in_a_file_is_named_and_nothing_of_the_file_is_stored(folder):
    knitbone("runs", "import", "chat.json", cwd=folder)
    exported = knitbone("runs", "export", cwd=folder).stdout
    (folder / "two.jsonl").write_text(exported * 2)
    done = knitbone("runs", "import", "two.jsonl", "--store", "new.sqlite", cwd=folder, code=2)
    assert "stands in it twice" in done.stderr
    assert knitbone("runs", "list", "--json", "--store", "new.sqlite", cwd=folder).stdout == ""


def test_a_store_that_fails_in_the_middle_keeps_nothing_of_the_file(folder, monkeypatch):
    store = SqliteStore(folder / "runs.sqlite")
    put, stored = SqliteStore.put, []

    def fails(self, run):
        if stored:
            raise StoreError("The disk is full.")
        stored.append(run.id)
        put(self, run)

    monkeypatch.setattr(SqliteStore, "put", fails)
    arguments = [
        "runs",
        "import",
        str(folder / "bank.json"),
        "--store",
        str(folder / "runs.sqlite"),
    ]
    assert isinstance(CliRunner().invoke(group, arguments).exception, StoreError)
    assert stored
    assert store.list() == []
    store.close()


def test_runs_are_sent_to_a_collector(folder):
    knitbone("runs", "import", "bank.json", cwd=folder)
    with Collector() as collector:
        done = knitbone("runs", "send", "--all", "--endpoint", collector.url, "--json", cwd=folder)
        sent = [json.loads(line) for line in done.stdout.splitlines()]
        assert [one["spans"] for one in sent] == [14, 14]
        knitbone("runs", "send", sent[0]["run"], cwd=folder,
                 OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
                 OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf", OTEL_SERVICE_NAME="inn")  # fmt: skip
        assert collector.requests[-1][1]["Content-Type"] == "application/x-protobuf"
    (resource,) = collector.taken[-1]["resourceSpans"]
    assert resource["resource"]["attributes"] == [
        {"key": "service.name", "value": {"stringValue": "inn"}}
    ]
    ids = [
        [span["spanId"] for span in taken["resourceSpans"][0]["scopeSpans"][0]["spans"]]
        for taken in collector.taken
    ]
    assert ids[-1] in ids[:-1]  # the same run, sent again, has the same identifiers


def test_what_a_collector_says_is_shown_safely_and_nothing_is_sent_by_accident(folder):
    knitbone("runs", "import", "chat.json", cwd=folder)
    with Collector(Answer(400, b"\x1b[31mno")) as collector:
        done = knitbone("runs", "send", "--all", "--endpoint", collector.url, cwd=folder, code=2)
        assert "HTTP 400" in done.stderr
        assert "\x1b" not in done.stderr
        done = knitbone("runs", "send", "--endpoint", collector.url, cwd=folder, code=2)
        assert "Name the runs to send, or give --all" in done.stderr
        assert len(collector.requests) == 1
