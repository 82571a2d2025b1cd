"""Counting what proposals break may end early; it must not change what is found."""

import math
import random

import pytest
from test_solve_inverse import A, B, branch, op, part

from knitbone.fuzzing.solve import search
from knitbone.fuzzing.solve.evaluate import Point

_DIGITS = op("each", A, op("int", op("hole")))
_PARTS = op(".str.split", A, "-")
CONDITIONS = [
    op("operator.truth", op("re.fullmatch", r"[\d-]{3,9}", A)),
    op("operator.gt", op("len", A), 4),
    op("operator.lt", op("len", A), 8),
    op("in", "-", A),
    op("operator.eq", op("operator.mod", op("sum", _DIGITS), 7), 3),
    op("operator.gt", op("int", part(_PARTS, 0)), 10),
    op("operator.eq", op("len", _PARTS), 2),
    op("operator.lt", B, op("len", A)),
    op("operator.ge", B, 2),
    op("operator.eq", op("operator.mod", B, 3), 1),
]


def _cases():
    rng = random.Random(5)
    for _ in range(60):
        inputs = {"a": rng.choice(["12-34", "7", "123456", "1-2-3"]), "b": rng.randrange(9)}
        chosen = rng.sample(CONDITIONS, rng.randint(2, 6))
        point = Point(inputs)
        way = [branch(term, point.holds(branch(term))) for term in chosen[:-1]]
        goal = branch(chosen[-1], not point.holds(branch(chosen[-1])))
        yield way, goal, inputs


@pytest.mark.parametrize("seed", range(3))
def test_an_early_end_changes_no_result(monkeypatch, seed):
    def solved():
        return [search.solve(*case, random.Random(seed)) for case in _cases()]

    early = solved()
    first_broken, of = search._first_broken, search._Distances.of

    def counted(demands, point, length, limit):
        first, cost = first_broken(demands, point, length, math.inf)
        return first, cost

    def measured(self, inputs, limit):
        self._known.clear()
        return of(self, inputs, math.inf)

    monkeypatch.setattr(search, "_first_broken", counted)
    monkeypatch.setattr(search._Distances, "of", measured)
    assert solved() == early
    assert sum(made is None for made in early) < 40
    assert any(made is None for made in early)
