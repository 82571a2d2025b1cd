"""The Hypothesis baseline: what it draws, what it counts as one error, and how it is scored."""

import asyncio
import importlib
import time

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from pydantic import BaseModel, Field

from knitbone_evals.fuzz import library
from knitbone_evals.fuzz.calling import Failure, load, observe, own_modules, returned_error
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.reports import Found, Report, Task
from knitbone_evals.fuzz.running import reports
from knitbone_evals.fuzz.scoring import score
from knitbone_evals.fuzz.strategies import arguments_of
from knitbone_evals.fuzz.worker import run

OWN = (__file__,)
SPLIT_BILL = "knitbone_evals.fuzz.planted.measures:split_bill"
BORROW = "knitbone_evals.fuzz.planted.records:borrow_book"


def report_of(target, *failures):
    found = tuple(Found(failure, 3 + place, "{}") for place, failure in enumerate(failures))
    return Report(target=target, calls=9, rejected=0, seconds=0.0, findings=found)


class Leaf(BaseModel):
    size: int = Field(ge=2, le=5)
    code: str = Field(pattern="^[A-C]{3}")


class Tree(BaseModel):
    leaves: list[Leaf] = Field(min_length=1, max_length=3)
    left: "Tree | None" = None


def plant(tree: Tree, deep: bool, name: str = "oak") -> str:
    return f"{name} {deep} {len(tree.leaves)}"


def test_a_strategy_keeps_to_types_and_schemas():
    names = set()

    @settings(
        max_examples=50,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(arguments_of(plant))
    def check(arguments):
        got = observe(plant, arguments, timeout=5, own=OWN)
        assert not got.rejected
        assert got.failure is None
        names.add("name" in arguments)

    check()
    assert names == {True, False}


def test_a_langchain_tool_is_drawn_from_its_schema():
    strategy = arguments_of(load("knitbone_evals.fuzz.planted.house:reserve_table"))
    drawn = find(strategy, lambda arguments: arguments["guests"] > 1)
    assert drawn["table"] in ("window", "stove", "terrace")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Error: no file 'a'", "Error: no file 'b'", True),
        ("Error: line 3 of 10", "Error: line 14 of 15", True),
        ("Error: byte 0xa3 is bad", "Error: byte 0xff is bad", True),
        ("Error: first_path is bad", "Error: second_path is bad", False),
        ("KeyError('a')", "it was a KeyError: b", True),
        ("KeyError('a')", "TypeError('a')", False),
        ("Error: no file", "Error: no folder", False),
        ("Error: tables {'a'} not found", "Error: tables {'b\"', \"c'd\"} not found", True),
        ('{"error": "no file"}', '{"error": "no file", "path": "a"}', True),
    ],
)
def test_returned_errors_are_told_apart_by_their_words(one, other, same):
    first, second = returned_error(one, {}), returned_error(other, {})
    assert (first.key == second.key) is same


def test_what_is_given_back_is_no_error():
    assert returned_error("Hello Traceback", {"name": "traceback"}) is None
    assert returned_error("all is well", {}) is None
    assert returned_error({"error": 1}, {}) is None
    assert returned_error("Error: e", {"name": "e"}) is not None


def test_arguments_that_a_text_gives_back_do_not_make_it_another_error():
    texts = ("q", "é", "0'©", "", "some/long/path.txt")
    keys = {returned_error(f"Error: no such file: {text}", {"path": text}).key for text in texts}
    assert keys == {"error no such file"}


def test_a_raised_error_is_known_by_its_type_and_its_place():
    def tool(text):
        return {}[text]

    failures = [observe(tool, {"text": text}, timeout=1, own=OWN).failure for text in "ab"]
    assert failures[0].key == failures[1].key
    assert failures[0].function == "tool"
    assert failures[0].exceptions[:2] == ("KeyError", "LookupError")


def test_the_end_of_the_process_is_a_failure_and_not_the_end_of_ours():
    def tool():
        raise SystemExit("no password")

    assert observe(tool, {}, timeout=1, own=OWN).failure.exceptions[0] == "SystemExit"


def test_a_hang_is_ended_in_a_loop_in_a_sleep_and_in_a_deadlock():
    def loop():
        while True:
            pass

    async def deadlock():
        lock = asyncio.Lock()
        async with lock, lock:
            pass

    for tool in (loop, deadlock, lambda: time.sleep(5)):
        assert observe(tool, {}, timeout=0.05, own=OWN).failure.kind == "hang"


def test_arguments_that_a_schema_refuses_are_no_failure():
    tool = load("knitbone_evals.fuzz.planted.house:reserve_table")
    got = observe(tool, {"table": "roof", "guests": 2}, timeout=1, own=own_modules(tool))
    assert got.rejected
    assert got.failure is None


def test_a_seed_gives_the_same_findings():
    task = Task(SPLIT_BILL, calls=60, seed=3)
    first, second = run(task), run(task)
    assert first.calls == 60
    assert [(found.call, found.failure) for found in first.findings] == [
        (found.call, found.failure) for found in second.findings
    ]
    assert score(registry.by_target()[SPLIT_BILL], first).found_at is not None


def test_a_score_tells_the_fault_from_refusals_and_from_other_failures():
    zero = Failure("raised", ("ZeroDivisionError", "ArithmeticError"), "split_bill", key="zero")
    refusal = Failure("raised", ("ValueError",), "_finite", key="refusal")
    stray = Failure("raised", ("TypeError",), "split_bill", key="stray")
    tool = registry.by_target()[SPLIT_BILL]
    scored = score(tool, report_of(SPLIT_BILL, refusal, stray, zero))
    assert scored.found_at == 5
    assert scored.announced == 1
    assert [text.split(":")[0] for text in scored.false] == ["raised TypeError"]
    assert score(registry.by_target()[BORROW], report_of(BORROW, zero)).found_at is None


def test_workers_report_and_a_worker_that_dies_is_said_to():
    tasks = [Task(SPLIT_BILL, calls=5), Task("no.such:tool", calls=5)]
    good, bad = reports("baseline", tasks, processes=2)
    assert good.problem == ""
    assert good.calls == 5
    assert "No module named 'no'" in bad.problem


def test_a_worker_keeps_what_describes_the_faults_out_of_its_process():
    """Hypothesis would take the witnesses from there."""
    worker = importlib.import_module("knitbone_evals.fuzz.worker")
    library_free = {
        "knitbone_evals.fuzz.planted.registry",
        "knitbone_evals.fuzz.planted.specification",
    }
    for name in ("worker", "trial", "reports", "calling", "strategies", "library", "service"):
        with open(worker.__file__.replace("worker", name), encoding="utf-8") as file:
            text = file.read()
        assert not any(f"import {module}" in text for module in library_free)
        assert "knitbone_evals.fuzz.planted" not in text


def test_every_library_tool_has_a_name_of_its_own():
    targets = library.targets()
    assert len(set(targets)) == len(targets) == 23


def test_a_missing_library_is_named_with_what_to_install(monkeypatch):
    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(library.importlib, "import_module", missing)
    with pytest.raises(library.LibraryMissingError, match=r"library_requirements\.txt"):
        library.sleep()
