"""Files that knitbone reads, damaged: each reader gives what the file says, or a message."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from knitbone.adaptation.requirements import findings as site_baseline
from knitbone.adaptation.requirements.file import load_requirements
from knitbone.config import load_config
from knitbone.fuzzing import baseline as tool_baseline
from knitbone.fuzzing.generate.examples import read_examples
from knitbone.fuzzing.journal import JournalEntry, Journals, header_of
from knitbone.fuzzing.records import CallOutcome, StackFrame, ToolUnderTest
from knitbone.fuzzing.replays import read_replay
from knitbone.models.cassette import CASSETTE_VERSION, Recorded
from knitbone.models.chat import ChatRequest, Completion
from knitbone.record.events import ChatMessage, Run, Usage, encode_json
from knitbone.record.sqlite_store import SqliteStore
from knitbone.report.run_lines import lost_line, run_lines, totals
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_file
from knitbone.tethering.interchange.importers.exported import exported as exporting
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone_evals.damage.mutations import damaged_bytes, damaged_json, spelled

RUNS: dict[str, Any] = json.loads(
    gzip.decompress((Path(__file__).parent / "runs.json.gz").read_bytes())
)
"""One small file of each format, as the libraries write them."""
TOOL = ToolUnderTest(name="t", target="m:t", documentation="Does.", schema={"type": "object"})
HEADER = header_of(TOOL, seed=1, calls=9, settings={"memory_mb": 5})
ENTRIES = [
    JournalEntry(key=f"{number:016x}", elapsed=number / 7, outcome=outcome)
    for number, outcome in enumerate(
        (
            CallOutcome(status="ok", text="fine", length=4),
            CallOutcome(status="raised", exception="ValueError", message="no",
                    frame=StackFrame(file="/a.py", line=3, source="x = 1", function="t")),
            CallOutcome(status="ok", text="another answer", length=14),
            CallOutcome(status="ok", trace={"events": [f"event {n}" for n in range(400)]}),
        )
    )
]  # fmt: skip
OWN = [RUNS["knitbone"], RUNS["knitbone"] | {"id": "another"}]
"""Two runs as knitbone exports them."""
TOML = """[tool.knitbone.adapt]
mode = "repair"
budget_ms = 50
[tool.knitbone.record]
store = ".knitbone/runs.sqlite"
max_text = 5000
redact = ["a+b"]
[tool.knitbone.record.prices."some-model"]
input_usd_per_million = 1.25
output_usd_per_million = 10
[tool.knitbone.fuzz]
calls = 100
"""
TOML_HOSTILE = ("nan", "inf", "-1", "9" * 400, "1e999", '""', "[]", "{}", "true", '"\\u0000"',
                "1979-05-27", '[["a"]]', "'''x'''", "[" * 5_000 + "]" * 5_000)  # fmt: skip
REQUIREMENTS = """schema = 1

[[site]]
file = "plan.py"
function = "ask"
origin = "openai"
"""


def _accepted(**fields: str) -> bytes:
    entry = {"fingerprint": "0123456789abcdef", **fields}
    return json.dumps({"schema": 1, "findings": [entry, entry]}, indent=2).encode()


def _cassette() -> bytes:
    request = ChatRequest(messages=(ChatMessage(role="user", content="hello"),))
    said = ChatMessage(role="assistant", content="hi")
    answer = Completion(message=said, finish_reason="stop", usage=Usage(), model="m")
    record = {"version": CASSETTE_VERSION, "key": "0" * 64, "model": "m",
              "request": msgspec.to_builtins(request),
              "completion": msgspec.to_builtins(answer)}  # fmt: skip
    return b"".join(json.dumps(record | {"key": f"{n:064x}"}).encode() + b"\n" for n in range(3))


def _journal(folder: Path) -> Path:
    with Journals(folder).open(HEADER) as opened:
        for entry in ENTRIES:
            opened.record(entry)
        return opened.path


def runs(path: Path, original: Any) -> list[str]:
    """A file of runs: what is imported survives the store, the export and the screen."""
    items = import_file(path)
    wrong: list[str] = []
    with closing(SqliteStore(":memory:")) as store:
        for item in {each.run.id: each for each in items}.values():
            wrong += _kept(store, item)
    del original
    return wrong


def _kept(store: SqliteStore, item: ImportedRun) -> list[str]:
    run = item.run
    store.put(run)
    for label in item.labels:
        store.annotate(label)
    wrong: list[str] = []
    if store.get(run.id) != run:
        wrong.append("altered: the store gives another run than was imported")
    if store.annotations(run.id) != list(item.labels):
        wrong.append("altered: the store gives other labels than were imported")
    if msgspec.json.decode(encode_json(run), type=Run) != run:
        wrong.append("altered: the export is another run than was imported")
    _ = [*run_lines(run), lost_line(run), totals(run)]
    build_units(run)
    return wrong


def exported(path: Path, original: Any) -> list[str]:
    """What knitbone exported: what comes back is what was written, or a message."""
    del original
    wanted = {run["id"]: run for run in OWN}
    wrong: list[str] = []
    items = import_file(path)
    if len(items) < len(OWN) and not any(item.unsure for item in items):
        wrong.append("missing: an exported run, without a word")
    for item in items:
        found = json.loads(encode_json(item.run))
        known = wanted.get(item.run.id)
        if found != known:
            wrong.append("altered: an exported run comes back as another one")
    return wrong


def journal(path: Path, original: Any) -> list[str]:
    """A journal: each outcome as it was, or a message."""
    del original
    wrong: list[str] = []
    with Journals(path.parent, resume=True).open(HEADER) as opened:
        for entry in ENTRIES:
            answer = opened.answer(entry.key)
            if answer is None:
                break  # the calls from here on are made again
            if answer != entry:
                wrong.append("altered: a journaled outcome differs from what was written")
    return wrong


def _as_it_says(path: Path, entries: Any) -> list[str]:
    said = json.loads(path.read_bytes())["findings"]
    read = [msgspec.to_builtins(entry) for entry in entries]
    return [] if read == said else ["altered: a baseline is read as something else than it says"]


def cassette(path: Path, original: Any) -> list[str]:
    """A cassette: every record that it says."""
    del original
    read = Recorded(path, name="m")._entries  # pyright: ignore[reportPrivateUsage]
    said = {json.loads(line)["key"] for line in path.read_bytes().split(b"\n") if line.strip()}
    return [] if set(read) == said else ["missing: a record of the cassette"]


def _silent(read: Callable[[Path], object]) -> Callable[[Path, Any], list[str]]:
    def reads(path: Path, _: Any) -> list[str]:
        read(path)
        return []

    return reads


class Reader(msgspec.Struct):
    """A reader of files, with what it is given."""

    name: str
    file: str
    data: bytes
    read: Callable[[Path, Any], list[str]]
    value: Any = None
    """The file's content as a JSON value, where it is one."""

    def damaged(self, path: Path, rng: random.Random) -> str:
        """Write a damaged file; how it was damaged."""
        if self.value is not None and rng.random() < 0.7:
            made, how = damaged_json(self.value, rng)
            lines = isinstance(made, list) and self.file.endswith(".jsonl")
            data = b"".join(spelled(each) + b"\n" for each in made) if lines else spelled(made)
        elif self.file.endswith(".toml") and rng.random() < 0.7:
            data, how = _hostile_toml(self.data, rng), "values"
        else:
            data, how = damaged_bytes(self.data, rng)
        path.write_bytes(data)
        return how


def _hostile_toml(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.15:
        return rng.choice((b"tool = 5", b"[tool]\nknitbone = 5", b"[[tool]]", b"schema = {}",
                           b"[tool.knitbone]\nadapt = 5", b"site = 5", b"schema = 1\nsite = [5]",
                           b"[tool.knitbone.adapt.mode]\nx = 1"))  # fmt: skip
    lines = data.decode().split("\n")
    places = [number for number, line in enumerate(lines) if " = " in line]
    place = rng.choice(places)
    name = lines[place].partition(" = ")[0]
    lines[place] = f"{name} = {rng.choice(TOML_HOSTILE)}"
    return "\n".join(lines).encode()


def readers(folder: Path) -> list[Reader]:
    """Every reader of files, with a good file of each kind."""
    made = [Reader(f"runs: {name}", "runs.json", json.dumps(value).encode(), runs, value)
            for name, value in RUNS.items()]  # fmt: skip
    tool = _accepted(tool="m:t", kind="raised", exception="E", where="a",
                     message="no")  # fmt: skip
    site = _accepted(finding="f", file="a.py", function="g", about="b")
    lines = [json.loads(line) for line in _cassette().split(b"\n") if line]
    written = _journal(folder)
    examples = [{"a": 1, "b": "text"}, {"a": None, "b": [1.5]}]
    return [
        *made,
        Reader("export", "runs.jsonl", _exported(OWN), exported, None),
        Reader("journal", written.name, written.read_bytes(), journal),
        Reader("fuzz baseline", "baseline.json", tool, lambda path, _: _as_it_says(
            path, tool_baseline.load_baseline(path)), json.loads(tool)),
        Reader("check baseline", "baseline.json", site, lambda path, _: _as_it_says(
            path, site_baseline.load_baseline(path)), json.loads(site)),
        Reader("cassette", "cassette.jsonl", _cassette(), cassette, lines),
        Reader("configuration", "pyproject.toml", TOML.encode(), _silent(
            lambda path: load_config(directory=path.parent, environ={}))),
        Reader("requirements", "knitbone.requirements.toml", REQUIREMENTS.encode(), _silent(
            load_requirements)),
        Reader("examples", "examples.json", json.dumps(examples).encode(), _silent(
            read_examples), examples),
        Reader("replay", "replay.json", json.dumps(examples).encode(), _silent(
            lambda path: read_replay(f"@{path}")), examples),
    ]  # fmt: skip


def _exported(own: list[Any]) -> bytes:
    *others, last = [msgspec.convert(each, Run) for each in own]
    lines = [*map(exporting, others), exporting(last, runs=len(own))]
    return b"".join(line + b"\n" for line in lines)
