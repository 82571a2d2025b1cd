"""What an analysis costs is linear in the size of a module, and ends with its budget."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from knitbone.adaptation import report
from knitbone.adaptation.analysis import Budget, OverBudget, analyse_module
from knitbone.adaptation.instrument import plans
from knitbone.adaptation.instrument.transform import compile_module, narrowed, parse_module

HEAD = """\
import json
from openai import OpenAI
import knitbone


def ask(question):
    found = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}]
    )
    return json.loads(found.choices[0].message.content)["answer"]


"""


def _block(head: str, line: str, count: int) -> str:
    return f"def big(x):\n    text = ask(x)\n{head}" + "".join(
        line.replace("{i}", str(i)) for i in range(count)
    )


def _deep(opening: str, count: int) -> str:
    lines = "".join("    " * (i + 1) + opening.replace("{i}", str(i)) + "\n" for i in range(count))
    return f"def big(x):\n    text = ask(x)\n{lines}{'    ' * (count + 1)}text = text.strip()\n"


SHAPES: dict[str, tuple[int, Callable[[int], str]]] = {
    "functions": (100, lambda n: "".join(f"def f{i}(x):\n    return x + {i}\n" for i in range(n))),
    "classes": (
        50,
        lambda n: "".join(
            f"class C{i}:\n    def m(self, x):\n        self.v = x\n" for i in range(n)
        ),
    ),
    "lines": (200, lambda n: _block("", "    v{i} = x + {i}\n", n)),
    "branches": (100, lambda n: _block("", "    if x == {i}:\n        v{i} = text\n", n)),
    "match": (
        100,
        lambda n: _block("    match text:\n", '        case "k{i}":\n            return {i}\n', n),
    ),
    "call graph": (
        100,
        lambda n: (
            "def g0(x):\n    return ask(x)\n"
            + "".join(f"def g{i}(x):\n    return g{i - 1}(x)\n" for i in range(1, n))
        ),
    ),
    "mutual recursion": (
        10,
        lambda n: "".join(
            f"def g{i}(x):\n    return g{(i + 1) % n}(ask(x)) or g{(i * 7 + 3) % n}(x)\n"
            for i in range(n)
        ),
    ),
    "literal": (
        500,
        lambda n: "DATA = {" + ", ".join(f"'k{i}': {i}" for i in range(n)) + "}\n",
    ),
    "loops": (4, lambda n: _deep("for a{i} in x:", n)),
    "while": (4, lambda n: _deep("while x:", n)),
    "conditions": (8, lambda n: _deep("if x:", n)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_of_an_analysis_grows_with_the_module(shape: str, tmp_path: Path) -> None:
    size, body = SHAPES[shape]
    work: list[int] = []
    for factor in (1, 2, 4):
        budget = Budget()
        source = HEAD + body(size * factor)
        analysis = analyse_module(tmp_path / "app.py", source, budget=budget)
        assert analysis.sites
        assert not analysis.errors
        work.append(budget.looked_at)
    # Twice the size, twice the work; loops inside one another begin with what each doubles.
    bound = 10.0 if shape in ("loops", "while") else 2.7
    assert work[1] < bound * work[0]
    assert work[2] < 2.7 * work[1]


def _seconds(step: float) -> Callable[[], float]:
    ticks: Iterator[int] = itertools.count()
    return lambda: next(ticks) * step


def test_an_analysis_ends_with_its_budget(tmp_path: Path) -> None:
    source = HEAD + SHAPES["functions"][1](2_000)
    budget = Budget(10.0, clock=_seconds(1.0))
    with pytest.raises(OverBudget, match=r"not done after 10 s of CPU time \(704 expressions\)"):
        analyse_module(tmp_path / "app.py", source, budget=budget)
    assert budget.looked_at == 11 * 64


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(seconds: float | None = None) -> Budget:
        return Budget(seconds, clock=_seconds(1.0))

    monkeypatch.setattr("knitbone.adaptation.analysis.Budget", counted)


@pytest.mark.usefixtures("slow_clock")
def test_a_function_whose_module_takes_too_long_runs_as_it_is_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "app_over_budget.py"
    decorated = "@knitbone.adapt\ndef entry(x):\n    return x.split(',')\n"
    path.write_text(HEAD + SHAPES["functions"][1](2_000) + decorated, encoding="utf-8")
    module = ModuleType("app_over_budget")
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    exec(code, vars(module))
    assert module.entry("a,b") == ["a", "b"]
    reason = report().untouched["app_over_budget.entry"]
    assert "not done after 10 s of CPU time" in reason
    assert "analysis_s in [tool.knitbone.adapt]" in reason


@pytest.mark.usefixtures("slow_clock")
def test_a_launched_program_that_takes_too_long_says_so_once(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    path.write_text(HEAD + SHAPES["functions"][1](4_000), encoding="utf-8")
    plan = plans.plan_of_unit([path], seconds=1.0)
    assert plan.sites == ()
    assert "not done after 6 s" in report().untouched[str(path.resolve())]


def test_what_is_compiled_for_one_function_does_not_grow_with_its_module() -> None:
    body = "".join(f"class C{i}:\n    def m(self):\n        return {i}\n" for i in range(300))
    source = f"from __future__ import annotations\n{body}"
    part = narrowed(parse_module(source, "app.py"), 1 + 300)
    assert len(part.body) == 2
    (klass,) = (c for c in compile_module(part, "app.py").co_consts if hasattr(c, "co_consts"))
    (method,) = (c for c in klass.co_consts if hasattr(c, "co_consts"))
    assert method.co_firstlineno == 300
