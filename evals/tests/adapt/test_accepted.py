"""Programs of many styles, from the grammars of ``adapt/accepted``: what their own code
reads is not changed, and rehearsing it gives what running it gives."""

import importlib
import inspect
import random
import sys
from collections import Counter

import pytest

from knitbone.adaptation.consumers.rehearsal import Ending
from knitbone.adaptation.consumers.rehearsal.continuation import caller_of
from knitbone.adaptation.consumers.rehearsal.sources import root_of
from knitbone_evals.adapt.accepted.__main__ import GRAMMARS
from knitbone_evals.adapt.accepted.programs import Program, outcome_of
from knitbone_evals.adapt.accepted.search import search, wraps_literal

pytest.importorskip("pydantic")
pytest.importorskip("yaml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def consumers_of(grammar):
    return importlib.import_module(f"knitbone_evals.adapt.accepted.{grammar}.consumers").consumers


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_what_plain_code_reads_is_not_changed(grammar, folder):
    pairs = list(search(consumers_of(grammar), folder, rounds=1, answers=4, seed=29))
    assert len(pairs) > 200
    changed = [(p.consumer.name, p.answer, p.plain, p.adapted) for p in pairs if p.changed]
    assert changed == []


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_strict_raises_at_nothing_that_plain_code_reads(grammar, folder):
    found = search(consumers_of(grammar), folder, rounds=1, answers=2, seed=31, mode="strict")
    pairs = [pair for pair in found if not pair.handled]
    assert len(pairs) > 90
    assert [(p.consumer.name, p.answer, p.adapted) for p in pairs if p.changed] == []


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_rehearsal_gives_what_running_the_code_gives(grammar, folder):
    counts, wrong = Counter(), []
    for number, consumer in enumerate(consumers_of(grammar)(random.Random(7))):
        program = Program(consumer, folder, number, mode=None)
        draw = random.Random(number)
        for _ in range(3):
            answer = consumer.draw(draw)
            ending, plain = rehearsed(program, answer, folder)
            said = "" if ending is None else told(ending)
            counts["not followed" if ending is None else "followed"] += 1
            if said and said != (plain.raised.partition(":")[0] or plain.value):
                wrong.append((consumer.name, answer, said, plain))
    assert wrong == []
    assert counts["followed"] > 8 * counts["not followed"], counts


def rehearsed(program, answer, folder):
    """What the code makes of an answer in a rehearsal, which takes place within the run."""
    endings = []

    def ask(prompt):
        found = caller_of(inspect.currentframe(), root_of(str(folder / "model.py")))
        if found is not None and not endings:
            ending = found[0].rehearse(answer, found[1], lambda: None)
            # What waits for another function may not be followed to the end of ``handle``.
            whole = found[0].function.name == "handle" or ending is None
            endings.append(ending if whole else Ending("asked again"))
        return answer

    module = program.module
    module.ask = ask
    plain = outcome_of(module.handle)
    return (endings[0] if endings else None), plain


def told(ending):
    if ending.kind == "raised":
        return type(ending.value).__name__
    if ending.kind != "returned" or "<opaque>" in repr(ending.value):
        return ""
    return repr(ending.value)


@pytest.mark.parametrize(
    ("answer", "wraps"),
    [("Yes.", True), ("```\nYES\n```", True), (' "yes" ', True), ("**yes**", True),
     ("yes-", False), ("yes, if so", False), ("not yes", False)],
)  # fmt: skip
def test_only_what_surrounds_a_literal_is_left_out_of_the_count(answer, wraps):
    assert wraps_literal(answer, ("yes", "no")) is wraps
