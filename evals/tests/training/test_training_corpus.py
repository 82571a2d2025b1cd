"""The corpus of the offline detector, over a small simulator in place of the real ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.training.corruption import KINDS, corrupt
from knitbone_evals.training.plans import PlannedCall, SimulatedReply, SolvedTask, Turn, replay
from knitbone_evals.training.prepare import prepare, read_corpus, split_of
from knitbone_evals.training.variation import successful_runs


class Inn:
    """Guests, and rooms that are booked for them."""

    def __init__(self):
        self.guests = {"Ada": "G-4711", "Bob": "G-4712"}
        self.rooms = {}

    def call(self, tool, arguments):
        try:
            return SimulatedReply(text=json.dumps(getattr(self, tool)(**arguments)))
        except (KeyError, TypeError, ValueError) as error:
            return SimulatedReply(text=f"Error: {error}", error=str(error))

    def state(self):
        return json.dumps(self.rooms)

    def reads(self):
        return ["list_rooms"]

    def list_rooms(self):
        return {"rooms": list(self.rooms)}

    def get_guest(self, name):
        return {"code": self.guests[name]}

    def book_room(self, code, nights):
        if code not in self.guests.values() or int(nights) < 1:
            raise ValueError(f"unknown guest {code}")
        self.rooms[code] = nights
        return {"booked": code}

    def cancel_room(self, code):
        del self.rooms[code]
        return {"cancelled": code}


def planned(key, tool, **arguments):
    return PlannedCall(key=key, tool=tool, arguments=arguments)


def task(number=0):
    turns = (
        Turn(
            message="Book a room for Ada, 3 nights; look up Bob as well.",
            calls=(
                planned("0.0", "get_guest", name="Ada"),
                planned("0.1", "get_guest", name="Bob"),
                planned("0.2", "book_room", code="G-4711", nights=3),
            ),
        ),
        Turn(message="Cancel it again.", calls=(planned("1.0", "cancel_room", code="G-4711"),)),
    )
    return SolvedTask(id=f"inn/{number}", source="inn", domains=("inn",), turns=turns, start=Inn)


def test_a_replay_is_a_run_with_the_simulators_answers():
    made = replay(task(), task().turns, identity="r", seed=1)
    units = build_units(made.run)
    assert [unit.tool for unit in units] == [
        "get_guest", "get_guest", "book_room", None, "cancel_room", None,
    ]  # fmt: skip
    assert units[0].calls[0].result == '{"code": "G-4711"}'
    assert made.run.outcome.success
    assert made == replay(task(), task().turns, identity="r", seed=1)


def test_variants_succeed_as_the_reference_does():
    runs = list(successful_runs(task(), count=20, seed=3))
    reference = runs[0][1]
    assert len(runs) > 5
    assert {made.state for _, made in runs} == {reference.state}
    added = [key for _, made in runs for key in made.answers if key.startswith("+")]
    assert any(key.startswith("+look") for key in added)
    for _, made in runs:
        for key, found in made.answers.items():
            assert (found.error is not None) == key.startswith("+retry")


def test_a_reference_that_fails_teaches_nothing():
    turns = (Turn(message="x", calls=(planned("0.0", "get_guest", name="Nobody"),)),)
    broken = SolvedTask(id="inn/1", source="inn", domains=("inn",), turns=turns, start=Inn)
    assert list(successful_runs(broken, count=3, seed=1)) == []


def corrupted(kind, seed=1):
    turns, twin = next(iter(successful_runs(task(), count=0, seed=1)))
    return twin, corrupt(task(), turns, twin, kind, pool={}, seed=seed)


def test_a_wrong_argument_is_the_call_that_carries_it():
    twin, made = corrupted("wrong argument")
    was = {unit.event: unit.calls for unit in build_units(twin.run)}
    units = build_units(made.replay.run)
    (fault,) = [unit for unit in units if unit.event == made.event]
    assert [call.arguments for call in fault.calls] != [c.arguments for c in was[fault.event]]
    others = [unit.calls[0].arguments for unit in units if unit.calls and unit is not fault]
    assert all(arguments in [c[0].arguments for c in was.values() if c] for arguments in others)


def test_a_dropped_step_is_found_at_its_first_harm():
    found = set()
    for seed in range(12):
        twin, made = corrupted("dropped step", seed)
        (missing,) = set(twin.answers) - set(made.replay.answers)
        (fault,) = [u for u in build_units(made.replay.run) if u.event == made.event]
        found.add(missing)
        if missing == "0.0":  # brought the code that the booking passes
            assert fault.tool == "book_room"
        if missing == "0.2":
            assert fault.tool == "cancel_room"
            assert fault.status == "error"
        if missing == "1.0":
            assert fault.tool is None
    assert {"0.2", "1.0"} <= found
    assert "0.1" not in found  # nobody needed it


def test_a_repeated_call_is_the_second_one():
    _, made = corrupted("repeated call")
    calls = [(u.event, u.calls[0].signature) for u in build_units(made.replay.run) if u.calls]
    (place,) = [k for k, (event, _) in enumerate(calls) if event == made.event]
    assert calls[place][1] in [signature for _, signature in calls[:place]]


def test_only_an_order_that_matters_counts_as_swapped():
    for seed in range(8):
        _, made = corrupted("swapped order", seed)
        if made is not None:  # the two reads may change places
            (fault,) = [u for u in build_units(made.replay.run) if u.event == made.event]
            assert fault.tool == "book_room"


@pytest.mark.parametrize("kind", KINDS)
def test_corruption_is_reproducible(kind):
    assert corrupted(kind) == corrupted(kind)


def test_tasks_are_split_and_never_runs(tmp_path):
    tasks = [task(number) for number in range(40)]
    prepare(tasks, tmp_path / "a", seed=5)
    prepare(tasks, tmp_path / "b", seed=5)
    for name in ("successful.jsonl", "corrupted.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    successful, faulty = read_corpus(tmp_path / "a")
    parts = {}
    for record in successful:
        parts.setdefault(record.task, set()).add(record.split)
    assert all(len(found) == 1 for found in parts.values())
    assert {split for found in parts.values() for split in found} == {
        "train", "validation", "test",
    }  # fmt: skip
    assert {record.split for record in faulty} == {"validation", "test"}
    assert {split_of(one, 5)[2] for one in tasks} >= {"train"}


SHOWN_SETS = """
import sys
from knitbone_evals.training.prepare import with_fixed_hashes
with_fixed_hashes("shows_sets")
print(sys.argv[1:], {"business", "economy", "first"})
"""


def test_sets_are_shown_in_the_same_order_in_every_process(tmp_path):
    (tmp_path / "shows_sets.py").write_text(SHOWN_SETS, encoding="utf-8")
    shown = set()
    for seed in ("1", "2", "3", "random"):
        command = [sys.executable, "-m", "shows_sets", "folder", "--seed", "4"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        shown.add(done.stdout)
    (only,) = shown
    assert only.startswith("['folder', '--seed', '4'] {")
