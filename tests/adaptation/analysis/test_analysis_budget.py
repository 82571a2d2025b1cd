"""What an analysis costs is linear in the size of a module, and ends with its budget."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from benchmarks.analysis_shapes import ENTRY, SHAPES, Shape
from knitbone.adaptation import report
from knitbone.adaptation.analysis.budget import Budget, OverBudget
from knitbone.adaptation.runtime.instrument.cache import UnitPlan, cached_plan
from knitbone.adaptation.runtime.instrument.transform import (
    compile_module,
    narrowed_to,
    parse_module,
)
from knitbone.adaptation.testing import analyse_text, plan_of_unit


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_work_of_an_analysis_grows_with_the_module(shape: Shape, tmp_path: Path) -> None:
    work: list[int] = []
    for factor in (1, 2, 4):
        budget = Budget()
        source = shape.source(shape.small * factor)
        analysis = analyse_text(source, tmp_path / "app.py", budget=budget)
        assert analysis.sites
        assert not analysis.errors
        work.append(budget.looked_at)
    assert work[1] < shape.bound * work[0]
    assert work[2] < 2.7 * work[1]


FUNCTIONS = next(shape for shape in SHAPES if shape.name == "functions")


def _seconds(step: float) -> Callable[[], float]:
    ticks: Iterator[int] = itertools.count()
    return lambda: next(ticks) * step


def test_an_analysis_ends_with_its_budget(tmp_path: Path) -> None:
    source = FUNCTIONS.source(2_000)
    budget = Budget(10.0, clock=_seconds(1.0))
    with pytest.raises(OverBudget, match=r"not done after 10 s of CPU time \(704 expressions\)"):
        analyse_text(source, tmp_path / "app.py", budget=budget)
    assert budget.looked_at == 11 * 64


def test_on_a_busy_machine_an_analysis_ends_by_the_clock_on_the_wall(tmp_path: Path) -> None:
    source = FUNCTIONS.source(2_000)
    budget = Budget(10.0, clock=lambda: 0.0, wall=_seconds(7.0))
    with pytest.raises(OverBudget, match="not done after 60 s on a busy machine") as broken:
        analyse_text(source, tmp_path / "app.py", budget=budget)
    assert broken.value.busy


def test_a_plan_that_the_machine_was_too_busy_for_is_not_kept(tmp_path: Path) -> None:
    plan = UnitPlan(sites=(), edges={}, functions={}, errors={"app.py": "busy"}, passing=True)
    unit = str(tmp_path / "app.py")
    assert not cached_plan(unit, [], lambda: plan)[1]
    assert not cached_plan(unit, [], lambda: msgspec.structs.replace(plan, passing=False))[1]
    assert cached_plan(unit, [], lambda: plan)[1]


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(seconds: float | None = None) -> Budget:
        return Budget(seconds, clock=_seconds(1.0))

    monkeypatch.setattr("knitbone.adaptation.analysis.Budget", counted)


@pytest.mark.usefixtures("slow_clock")
def test_a_function_whose_module_takes_too_long_runs_as_it_is_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "app_over_budget.py"
    path.write_text(FUNCTIONS.source(2_000) + ENTRY, encoding="utf-8")
    module = ModuleType("app_over_budget")
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    exec(code, vars(module))
    module.ask = str
    assert module.entry("a,b") == ["a", "b"]
    reason = report().untouched["app_over_budget.entry"]
    assert "not done after 10 s of CPU time" in reason
    assert "analysis_s in [tool.knitbone.adapt]" in reason


@pytest.mark.usefixtures("slow_clock")
def test_a_launched_program_that_takes_too_long_says_so_once(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    path.write_text(FUNCTIONS.source(4_000), encoding="utf-8")
    plan = plan_of_unit([path], seconds=1.0)
    assert plan.sites == ()
    assert "not done after 6 s" in report().untouched[str(path.resolve())]


def test_what_is_compiled_for_one_function_does_not_grow_with_its_module() -> None:
    body = "".join(f"class C{i}:\n    def m(self):\n        return {i}\n" for i in range(300))
    source = f"from __future__ import annotations\n{body}"
    part = narrowed_to(parse_module(source, "app.py"), 1 + 300)
    assert len(part.body) == 2
    (klass,) = (c for c in compile_module(part, "app.py").co_consts if hasattr(c, "co_consts"))
    (method,) = (c for c in klass.co_consts if hasattr(c, "co_consts"))
    assert method.co_firstlineno == 300
