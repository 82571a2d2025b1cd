"""Results that differ for the same arguments, and differences that are none."""

from __future__ import annotations

import pytest
from hangs import no_hang

from knitbone.fuzzing import fuzz, replay
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.stability import Sample, differ, draws_lots, instability, masked


def ok(text: str) -> CallOutcome:
    return CallOutcome(status="ok", text=text, length=len(text))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("done in 0.0012 s", "done in 0.0031 s"),
        ("at 2024-05-01T10:11:12.123Z", "at 2024-05-01T10:11:13.456Z"),
        ("now 10:59:59 pm", "now 11:00:00 pm"),
        ("1 May 2024", "2 May 2024"),
        ('{"timestamp": 1714557600.12}', '{"timestamp": 1714557601.98}'),
        ('{"ts": 1714557600123}', '{"ts": 1714557601987}'),
        ("<Room object at 0x7f3a2b1c0d00>", "<Room object at 0x7f3a2b1c0e80>"),
        (
            "booked 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "booked 6fa459ea-ee8a-3ca4-894e-db77e160355e",
        ),
        ("key dGhpcyBpcyBhIHRlc3Q1", "key c29tZSBvdGhlciB0ZXh0OQ"),
        ("digest 9e107d9d372bb682", "digest e4d909c290d0fb1c"),
        ('{"elapsed_ms": 12, "ok": true}', '{"elapsed_ms": 9, "ok": true}'),
        ('{"id": "k3j5x9q1"}', '{"id": "p0o9i8u7"}'),
        ("pid 4711", "pid 4712"),
        ("saved as /tmp/tmpab12cd/x.txt", "saved as /tmp/tmpzz99yy/x.txt"),
    ],
)
def test_times_identifiers_and_addresses_may_differ(first: str, second: str) -> None:
    assert not differ(ok(first), ok(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("total 12", "total 13"),
        ("Oslo, Lima", "Lima, Oslo"),
        ("0.731", "0.114"),
        ("heads", "tails"),
        ('{"price": 10.5}', '{"price": 11.5}'),
        ("", "x"),
    ],
)
def test_other_differences_are_differences(first: str, second: str) -> None:
    assert differ(ok(first), ok(second))


def test_a_tool_is_unstable_where_two_fresh_calls_differ() -> None:
    verdict = instability({"coin": "euro"}, lambda _: ok("heads"), lambda _: ok("tails"))
    assert verdict is not None
    assert verdict.kind == "nondeterminism"
    other = instability({"coin": "pound"}, lambda _: ok("heads"), lambda _: ok("tails"))
    assert other is not None
    assert other.id == verdict.id, "one finding a tool"
    assert instability({"coin": "euro"}, lambda _: ok("heads"), lambda _: ok("heads")) is None


def test_a_call_that_fails_the_second_time_is_another_matter() -> None:
    assert instability({}, lambda _: ok("x"), lambda _: CallOutcome(status="hang")) is None


def test_the_sample_is_small_and_of_different_behaviours() -> None:
    sample = Sample()
    for number in range(1, 50):
        sample.saw(
            number, {"n": number}, ok(f"result {number % 2} of kind {'abcdefgh'[number % 8]}")
        )
    kept = list(sample.calls())
    assert len(kept) == 5
    assert [number for number, _ in kept] == [1, 2, 3, 4, 5]
    sample = Sample()
    for number in range(1, 50):
        sample.saw(number, {"n": number}, ok(f"result {number}"))
    assert len(list(sample.calls())) == 1


def test_a_path_that_is_another_each_time_is_no_sample() -> None:
    sample = Sample()
    sample.saw(1, {"label": ["${SANDBOX}/a"]}, ok("weighs 31 g"))
    assert not list(sample.calls())


@pytest.mark.parametrize("text", ["a", "1", "-", "a-", "1.", "/tmp", "0x", "id", "ab ", ":1", " "])
def test_a_long_text_of_anything_is_masked_at_once(text: str) -> None:
    with no_hang():
        masked(text * 100_000)


@pytest.mark.parametrize(
    ("documentation", "expected"),
    [
        ("Roll the dice.", True),
        ("Pick a random guest.", True),
        ("Shuffle the deck; the same seed gives the same order.", False),
        ("Rank the players.", False),
        ("Randomly chosen, but deterministic for one day.", False),
    ],
)
def test_documented_chance_is_no_finding(documentation: str, expected: bool) -> None:
    assert draws_lots(documentation) is expected


CHANCE = """
import random


def winner(names: list[str]) -> str:
    \"\"\"The winner among the names.\"\"\"
    return random.choice([*names, "Ann", "Bob", "Cid", "Dee", "Eve", "Fay"])


def first(names: list[str]) -> str:
    \"\"\"The first of the names.\"\"\"
    return list({*names, "Ann", "Bob", "Cid", "Dee", "Eve", "Fay"})[0]


def total(numbers: list[int]) -> int:
    \"\"\"The sum.\"\"\"
    return sum(numbers)
"""


@pytest.mark.parametrize(("name", "count"), [("winner", 1), ("first", 1), ("total", 0)])
def test_lots_and_the_order_of_sets_are_found_and_replay(tmp_path, monkeypatch, name, count):
    (tmp_path / "chance_tools.py").write_text(CHANCE)
    monkeypatch.chdir(tmp_path)
    target = f"chance_tools.py:{name}"
    found = [f for f in fuzz(target, calls=20).findings if f.kind == "nondeterminism"]
    assert len(found) == count
    for finding in found:
        assert replay(target, finding.arguments).failure is not None
