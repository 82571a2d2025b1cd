"""Formats of other packages: the entry point, and what is wrong with one. Files of benchmarks are
refused by their name.

The packages are folders with real metadata, found as installed ones are.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_logs import SEATS, chat_record, write
from recorded_spans import ANTHROPIC, GENAI_SPANS, RESPONSES, traces

from knitbone.cli.app import group
from knitbone.errors import InputFormatError
from knitbone.record.events import encode_json
from knitbone.tethering.diagnosis.engine import FileImported, FileSkipped, diagnose_paths
from knitbone.tethering.interchange.importers import FORMATS, import_bytes, registry

EXAMPLE = Path(__file__).parents[3] / "docs" / "reference" / "interchange.md"
READER = """
from knitbone.tethering.interchange.importers import messages

def recognises(value):
    return isinstance(value, dict) and "flight_log" in value

def read(value, path):
    yield from messages.read({"messages": value["flight_log"], "success": value["ok"]}, path)
"""
FLIGHT = {"flight_log": SEATS, "ok": False}
_NUMBERS = itertools.count()


@contextmanager
def installed(*packages):
    """Nothing but these packages gives formats: each a name, a format and the source of a module,
    or the entry point's own text."""
    path, modules = list(sys.path), set(sys.modules)
    patch = pytest.MonkeyPatch()
    with tempfile.TemporaryDirectory() as folder:
        for distribution, name, source in packages:
            module = f"_run_format_{next(_NUMBERS)}"
            Path(folder, f"{module}.py").write_text(source, encoding="utf-8")
            info = Path(folder, f"{distribution}-1.2.dist-info")
            info.mkdir()
            (info / "METADATA").write_text(f"Name: {distribution}\nVersion: 1.2\n")
            (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = {module}\n")
        found = registry.entry_points
        # The evaluation of knitbone may be installed beside it: here it is not.
        patch.setattr(
            registry,
            "entry_points",
            lambda *, group: [
                point for point in found(group=group) if point.dist.name != "knitbone-evals"
            ],
        )
        sys.path.insert(0, folder)
        registry._load.cache_clear()
        try:
            yield
        finally:
            patch.undo()
            sys.path[:] = path
            registry._load.cache_clear()
            for module in set(sys.modules) - modules:
                if module.startswith("_run_format_"):
                    del sys.modules[module]


def load(value, source_format="auto"):
    return import_bytes(json.dumps(value).encode(), path="runs.json", source_format=source_format)


def refused(value, source_format="auto"):
    with pytest.raises(InputFormatError) as caught:
        load(value, source_format)
    return caught.value


def test_an_installed_package_adds_a_format_by_its_entry_point():
    with installed(("flights", "flight-log", READER)):
        for source_format in ("auto", "flight-log"):
            (item,) = load(FLIGHT, source_format)
            assert item.run.origin.format == "flight-log"
            assert item.run.outcome.success is False
            assert len(item.run.events) == len(SEATS) + 1
    assert "no run format that is known here" in refused(FLIGHT).message


def test_the_example_of_the_documentation_is_a_format():
    text = EXAMPLE.read_text(encoding="utf-8").split("## Formats of your own")[1]
    source = text.split("```python")[1].split("```")[0]
    entry = text.split("```toml")[1].split("```")[0]
    assert f'[project.entry-points."{registry.GROUP}"]' in entry
    with installed(("flights", entry.split("\n")[2].split(" = ")[0], source)):
        (item,) = load(FLIGHT)
        assert item.run.origin.format == "flight-log"


def test_the_command_takes_the_name_of_an_installed_format(tmp_path):
    file = write(tmp_path / "flight.json", FLIGHT)
    with installed(("flights", "flight-log", READER)):
        done = CliRunner().invoke(group, ["diagnose", str(file), "--format", "flight-log"])
        assert done.exit_code == 0
        assert "flight.json   5 steps, failed" in done.output
        wrong = CliRunner().invoke(group, ["diagnose", str(file), "--format", "flight"])
    assert wrong.exit_code == 2
    assert "There is no run format 'flight'" in wrong.output
    assert "messages, flight-log" in wrong.output


def test_a_format_that_is_built_in_is_read_by_its_own_reader_whoever_else_claims_it():
    greedy = READER.replace('isinstance(value, dict) and "flight_log" in value', "True")
    with installed(("flights", "flight-log", greedy)):
        for value in (ANTHROPIC, RESPONSES, traces(*GENAI_SPANS)):
            assert load(value)[0].run.origin.format != "flight-log"
        assert load(chat_record(), "messages")[0].run.origin.format == "messages"


def test_a_file_that_two_packages_claim_is_refused_with_both_names():
    with installed(("flights", "flight-log", READER), ("planes", "plane-log", READER)):
        error = refused(FLIGHT)
        assert error.message == "runs.json is claimed by several formats: flight-log, plane-log."
        assert load(FLIGHT, "plane-log")[0].run.origin.format == "plane-log"


def test_calls_that_an_installed_format_loses_are_seen():
    lossy = READER.replace(
        'value["flight_log"]', 'value["flight_log"][:2] + value["flight_log"][-2:]'
    )
    with installed(("flights", "flight-log", lossy)):
        assert "would be lost" in refused(FLIGHT).message


def test_labels_are_stored_beside_the_run_and_never_enter_it(tmp_path):
    labelled = """
from msgspec.structs import replace
from knitbone.record.events import Annotation
from knitbone.tethering.interchange.importers import messages
def recognises(value): return "flight_log" in value
def read(value, path):
    for item in messages.read({"messages": value["flight_log"]}, path):
        body = {"step": "GOLDSTEP"}
        yield replace(item, labels=(Annotation(id="l", run=item.run.id, kind="label", body=body),))
"""
    file, store = write(tmp_path / "flight.json", FLIGHT), str(tmp_path / "runs.sqlite")
    with installed(("flights", "flight-log", labelled)):
        done = CliRunner().invoke(group, ["runs", "import", str(file), "--store", store, "--json"])
    run = json.loads(done.stdout)["run"]
    shown = CliRunner().invoke(group, ["runs", "show", run, "--store", store, "--json"])
    record = json.loads(shown.stdout)
    assert record.pop("annotations")[0]["body"] == {"step": "GOLDSTEP"}
    assert "GOLD" not in json.dumps(record)


def test_a_file_of_labels_is_passed_over_in_a_folder(tmp_path):
    labels = """
from knitbone.tethering.interchange.importers import LabelsOnlyError
def recognises(value): return "wind" in value
def read(value, path): raise LabelsOnlyError(f"{path} holds labels.")
"""
    write(tmp_path / "a.json", SEATS)
    write(tmp_path / "b.json", {"wind": 3})
    with installed(("flights", "flight-log", labels)):
        files = [e for e in diagnose_paths([tmp_path]) if isinstance(e, FileImported | FileSkipped)]
    assert [type(event) for event in files] == [FileImported, FileSkipped]


_FAILURE = st.sampled_from(
    [
        "1 / 0",
        "raise SystemExit(3)",
        "import no_such_module",
        "raise RuntimeError('\\x1b[2J')",
        "((",
    ]
)
_BROKEN = st.one_of(
    _FAILURE.map(lambda line: (f"{line}\n", "import")),
    st.sampled_from(["recognises = None", "read = 3", "del read", "del recognises"]).map(
        lambda line: (f"{READER}\n{line}\n", "shape")
    ),
    _FAILURE.filter(lambda line: "Exit" not in line and line != "((").map(
        lambda line: (f"{READER}\ndef recognises(value):\n    {line}\n", "recognises")
    ),
    _FAILURE.filter(lambda line: "Exit" not in line and line != "((").map(
        lambda line: (f"{READER}\ndef read(value, path):\n    {line}\n", "read")
    ),
    st.sampled_from(["[3]", "None", "[{}]", "7", "iter([None])"]).map(
        lambda given: (f"{READER}\ndef read(value, path):\n    return {given}\n", "read")
    ),
)
OTHERS = (SEATS, chat_record(), ANTHROPIC, RESPONSES, traces(*GENAI_SPANS))


@settings(max_examples=60, deadline=None)
@given(_BROKEN, st.sampled_from(OTHERS))
def test_a_broken_package_is_named_and_breaks_no_other_format(broken, other):
    source, where = broken
    with installed():
        expected = encode_json([item.run for item in load(other)])
    with installed(("flights", "flight-log", source), ("planes", "plane-log", READER.replace(
        "flight_log", "plane_log"))):  # fmt: skip
        assert encode_json([item.run for item in load(other)]) == expected
        assert load({"plane_log": SEATS, "ok": True})[0].run.origin.format == "plane-log"
        errors = [refused(FLIGHT)]
        if where != "recognises":  # who names a format does not ask it
            errors.append(refused(FLIGHT, "flight-log"))
        for error in errors:
            assert "the run format 'flight-log' of flights 1.2" in error.message.replace(
                "The", "the"
            )
            assert error.next_step
            assert "\x1b" not in str(error)


def test_what_may_be_of_a_format_that_cannot_be_asked_is_read_as_messages_with_a_note():
    with installed(("flights", "flight-log", "1 / 0")):
        (item,) = load(chat_record())
    assert "'flight-log' of flights 1.2 cannot be loaded" in item.unsure
    assert "ZeroDivisionError: division by zero" in item.unsure


@pytest.mark.parametrize("name", [*FORMATS, "auto"])
def test_a_package_cannot_take_the_name_of_a_format_that_is_built_in(name):
    with installed(("flights", name, READER)):
        assert "has a name that is taken: the format is built in" in refused({"wind": 3}).message


def test_of_two_packages_with_one_name_neither_is_used():
    with installed(("flights", "flight-log", READER), ("planes", "flight-log", READER)):
        error = refused(FLIGHT, "flight-log")
    assert "flights 1.2" in error.message
    assert "planes 1.2" in error.message


BENCHMARK_FILES = {
    "results of τ-bench": [{"task_id": 3, "reward": 0.0, "traj": SEATS, "trial": 0}],
    "results of τ²-bench": {"simulations": [], "tasks": [], "info": {}},
    "runs or labels of AgentRx": [
        {"role": "human", "content": "When?"}, {"role": "Orchestrator (thought)", "content": "Plan"}
    ],
    "a log of Who&When": {
        "question": "How many?", "history": [{"role": "user", "name": "A", "content": "Hi"}],
    },
}  # fmt: skip


@pytest.mark.parametrize("what", BENCHMARK_FILES)
def test_a_file_of_a_benchmark_is_refused_by_its_name_and_what_reads_it(what):
    with installed():
        error = refused(BENCHMARK_FILES[what])
    assert error.message == f"runs.json looks like {what}, which knitbone alone does not read."
    assert "pip install ./evals" in error.next_step


def test_the_name_of_a_benchmark_says_what_reads_it():
    with installed():
        error = refused(BENCHMARK_FILES["results of τ-bench"], "tau-bench")
    assert error.message == "The format 'tau-bench' is not installed."
    assert "knitbone-evals" in error.next_step
