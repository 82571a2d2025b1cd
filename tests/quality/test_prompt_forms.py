"""Programs whose prompts show a form, and answers in other layouts: never wrong, mostly right."""

import importlib
import random
import sys
from collections import Counter

import pytest
from form_programs import answers, drawn_program, traps

import knitbone

DRAWN = 24
"""Programs that are drawn in one run of the tests."""
SHARE = 0.6
"""Of the answers that hold the values, those that the adapted code reads right, at least."""


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def load(source):
        name = f"shown_form_{len(names)}"
        names.append(name)
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        return importlib.import_module(name)

    yield load
    for name in names:
        sys.modules.pop(name, None)


def outcome(module, answer):
    module.ANSWER = answer
    try:
        return module.handle()
    except (ValueError, KeyError, IndexError) as error:
        return type(error)


@pytest.mark.parametrize("seed", range(3))
def test_values_in_another_layout_come_out_right_or_as_before(load, seed):
    counts = Counter()
    for number in range(DRAWN // 3):
        rng = random.Random(100 * seed + number)
        asked = drawn_program(rng)
        plain, adapted = load(asked.source), load(asked.source)
        knitbone.adapt(adapted.handle)  # in place
        right = outcome(plain, asked.form)
        assert not isinstance(right, type), asked
        for answer in answers(asked, rng):
            made = outcome(adapted, answer)
            assert made in (right, outcome(plain, answer)), (asked, answer)
            counts[made == right] += 1
        for answer in traps(asked, rng):
            made, left = outcome(adapted, answer), outcome(plain, answer)
            assert made == left or isinstance(made, type), (asked, answer)
    assert counts[True] >= SHARE * counts.total(), counts
