"""One secret goes into everything that knitbone reads, and comes out of nothing that it writes."""

from __future__ import annotations

import base64
import json
import logging
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

import knitbone
from knitbone import _logging
from knitbone.config import ModelConfig
from knitbone.models import Recorded, complete_sync
from knitbone.models.openai import openai_chat_model
from knitbone.record.events import ChatMessage
from knitbone.record.redaction import REDACTED, Redactor
from knitbone.testing import ModelServer

CANARY = "hF7-kQ2xW9_vB4nT8zR1"
SAID = f"I used DB_PASSWORD={CANARY} and got in"
FORMS = [CANARY, quote(CANARY, safe=""), base64.b64encode(SAID.encode()).decode()]

TOOL = f'''
def connect(host: str, port: int) -> str:
    """Connect to a database."""
    if port > 3:
        raise ValueError("cannot connect with DB_PASSWORD={CANARY}")
    if port < 0:
        return str(int("DB_PASSWORD={CANARY}"))
    return "connected, password: {CANARY}"
'''


def found(data: bytes) -> list[str]:
    return [form for form in FORMS if form.encode() in data]


def files_with_canary(folder: Path) -> list[str]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    assert paths
    return [str(path) for path in paths if found(path.read_bytes())]


def command(folder: Path, *arguments: str) -> bytes:
    """What a command printed."""
    done = subprocess.run(
        [sys.executable, "-m", "knitbone", *arguments], cwd=folder, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.stdout + done.stderr


@pytest.fixture
def log_of_messages(tmp_path):
    """A file of messages as somebody else recorded them, outside of where we write."""
    messages = [
        {"role": "user", "content": f"Log in. {SAID}"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {
                "name": "login", "arguments": json.dumps({"dbPassword": CANARY})}}]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"error": SAID})},
        {"role": "assistant", "content": f"Done: {base64.b64encode(SAID.encode()).decode()}"},
    ]  # fmt: skip
    path = tmp_path / "given" / "run.json"
    path.parent.mkdir()
    path.write_text(json.dumps(messages))
    return path


def test_a_traced_run_keeps_the_secret_to_itself(tmp_path):
    @knitbone.tool
    def login(password: str, note: str) -> list[str]:
        if note == "fail":
            raise ValueError(SAID)
        return [*(SAID[start : start + 3] for start in range(0, len(SAID), 3))]

    store = tmp_path / "made" / "runs.sqlite"
    with knitbone.trace(task=SAID, store=str(store)) as run:
        run.message(role="user", content=SAID)
        login(password=CANARY, note=base64.b64encode(SAID.encode()).decode())
        with pytest.raises(ValueError, match="DB_PASSWORD"):
            login(password=CANARY, note="fail")
        run.outcome(success=False, reason=SAID)
    assert files_with_canary(store.parent) == []
    shown = command(tmp_path, "runs", "export", "--store", str(store))
    assert not found(shown)
    assert REDACTED.encode() in shown


def test_an_imported_run_gives_no_output_with_the_secret(tmp_path, log_of_messages):
    work = tmp_path / "work"
    work.mkdir()
    given = str(log_of_messages)
    assert b"1 run" in command(work, "runs", "import", given)
    printed = [
        command(work, "runs", "list"), command(work, "runs", "list", "--json"),
        command(work, "runs", "export"), command(work, "runs", "export", "--format", "otlp"),
        command(work, "diagnose", given), command(work, "diagnose", given, "--json"),
        command(work, "diagnose", given, "--html", "page.html", "--graph", "graph.json"),
        command(work, "diagnose", ".knitbone/runs.sqlite", "--html", "stored.html"),
    ]  # fmt: skip
    assert [found(each) for each in printed] == [[]] * len(printed)
    assert (work / "page.html").exists()
    assert files_with_canary(work) == []


def test_a_campaign_keeps_no_secret_that_a_tool_says(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "tools.py").write_text(TOOL)
    target = f"{tmp_path / 'given' / 'tools.py'}:connect"
    reports = ["--html", "f.html", "--sarif", "f.sarif", "--junit", "f.xml", "--pytest", "saved"]
    shown = command(work, "fuzz", target, "--calls", "30", "--no-model", *reports)
    assert not found(shown)
    assert list((work / "saved").iterdir())
    assert files_with_canary(work) == []
    for port in (9, -1):
        again = command(work, "fuzz", target, "--replay", f'{{"host": "h", "port": {port}}}')
        assert b"ValueError" in again
        assert not found(again)


def test_a_cassette_holds_no_secret(tmp_path):
    path = tmp_path / "made" / "cassette.jsonl"
    with ModelServer([SAID]) as server:
        live = openai_chat_model(ModelConfig(name="m", base_url=server.base_url), environ={})
        answer = complete_sync(
            Recorded(path, record=live), [ChatMessage(role="user", content=SAID)]
        )
    assert answer.text == SAID
    assert files_with_canary(path.parent) == []


def test_the_log_and_errors_hold_no_secret(tmp_path, monkeypatch):
    monkeypatch.setattr(_logging, "_clean", _logging._unchanged)
    _logging.clean_lines(Redactor().text)
    record = logging.LogRecord("knitbone.x", logging.ERROR, "f", 1, "failed", (), None)
    record.fields = {"error": repr(ValueError(SAID))}
    line = _logging._JsonFormatter().format(record)
    assert "failed" in line
    assert not found(line.encode())
    (tmp_path / "knitbone.toml").write_text(
        f'[analyst]\napi_key = "{CANARY}"\n[adapt]\nmode = "x"\n'
    )
    (tmp_path / "r.json").write_text(f'"password={CANARY}"')
    for arguments in (["diagnose", "r.json"], ["diagnose", f"DB_PASSWORD={CANARY}", "--json"]):
        assert not found(command(tmp_path, *arguments))
