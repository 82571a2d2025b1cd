"""An interpreter's error that is returned is judged like the same error raised.

Every message is what Python says when it evaluates an expression (``interpreter_errors.py``), put
into every form in which tools return errors.
"""

from __future__ import annotations

import json
import re
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreter_errors import EXPRESSIONS, FORMS, raised_by_evaluating

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.records import CallOutcome, ExceptionOrigin
from knitbone.report.fuzz import news

ENVELOPES: dict[str, Callable[[Exception], str]] = {
    "bare": str,
    "error": lambda e: f"Error: {e}",
    "type and message": lambda e: f"{type(e).__name__}: {e}",
    "error and type": lambda e: f"Error: {type(e).__name__}: {e}",
    "what was done": lambda e: f"Error while processing the table: {e}",
    "failed to": lambda e: f"Failed to compute the result: {e}",
    "occurred": lambda e: f"An unexpected error occurred: {e}",
    "nested": lambda e: f"Error executing tool profile: Profiling failed: {e}",
    "repr": lambda e: f"Error: {e!r}",
    "cross": lambda e: f"\u274c Error: {e}",
    "full stop": lambda e: f"Error: {e}.",
    "traceback": lambda e: "".join(traceback.format_exception(e)),
    "json": lambda e: json.dumps({"success": False, "error": str(e)}),
    "json message": lambda e: json.dumps({"status": "error", "message": f"Error: {e}"}),
    "json details": lambda e: json.dumps(
        {"ok": False, "error": {"type": type(e).__name__, "message": str(e)}}
    ),
    "python": lambda e: str({"error": str(e)}),
    "list": lambda e: json.dumps([{"error": str(e)}]),
    "server": lambda e: json.dumps({"isError": True, "content": f"Error executing tool t: {e}"}),
    "server json": lambda e: json.dumps(
        {"isError": True, "content": json.dumps({"success": False, "error": str(e)})}
    ),
}

_AUTHORS_SAY_TOO = re.compile(
    r"[nk] must be a non-negative integer\Z|length should not be negative\Z|negative count\Z"
    r"|must have at least \w+ data points\Z|at least one of the inputs is constant\Z"
    r"|unknown encoding: |'[\w-]+' codec can't decode"
)
"""Words of Python's that an author may choose as well, or that tell a caller what is wrong with the
file that was named."""
_NAMES_A_VALUE = ("bare", "what was done", "failed to", "nested")
"""What is left of a ``KeyError`` there, an author says too: ``no such column: 'place'``."""


def evaluated(expression: str) -> Exception:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return raised_by_evaluating(expression)


def standing(outcome: CallOutcome, arguments: dict[str, Any]) -> str:
    verdict = judge(outcome, arguments, roots=())
    return "no error" if verdict is None else verdict.standing


def standing_of_raised(error: Exception, arguments: dict[str, Any]) -> str:
    kinds = type(error).__mro__
    bases = tuple(kind.__name__ for kind in kinds if kind not in (Exception, BaseException, object))
    name = type(error).__name__
    module = type(error).__module__
    outcome = CallOutcome(
        status="raised",
        exception=name if module == "builtins" else f"{module}.{name}",
        message=str(error),
        origin=ExceptionOrigin(by="operation", bases=bases),
    )
    return standing(outcome, arguments)


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_an_error_that_is_told_stands_like_the_same_error_raised(envelope: str) -> None:
    other: list[str] = []
    for expression in EXPRESSIONS:
        error, arguments = evaluated(expression), {"table": "7;2"}
        names_a_value = isinstance(error, KeyError) and envelope in _NAMES_A_VALUE
        if names_a_value or _AUTHORS_SAY_TOO.match(str(error)):
            continue
        text = ENVELOPES[envelope](error)
        told = standing(CallOutcome(status="ok", text=text), arguments)
        if told != standing_of_raised(error, arguments):
            other.append(f"{expression}: {text[-120:]}")
    assert other == []


@pytest.mark.parametrize("envelope", [name for name in ENVELOPES if "server" not in name])
def test_a_caller_who_is_told_of_a_form_is_refused(envelope: str) -> None:
    for expression in FORMS:
        text = ENVELOPES[envelope](evaluated(expression))
        assert standing(CallOutcome(status="ok", text=text), {"table": "q"}) != "unhandled", text


@pytest.mark.parametrize("envelope", ENVELOPES)
@pytest.mark.parametrize(
    "expression", ["1 / 0", "2 * (3 % (1 - 1))", "1.5 // 0.0", "'a' + 1", "[][0]", "None.x"]
)
def test_what_an_argument_asks_for_is_refused(envelope: str, expression: str) -> None:
    text = ENVELOPES[envelope](evaluated(expression))
    assert standing(CallOutcome(status="ok", text=text), {"sum": expression}) != "unhandled"


AUTHORS = (
    "division by zero is not allowed", "cannot divide by zero", "Division by zero", "divisor is 0",
    "index out of range", "the date is out of range", "mean needs a number", "empty table",
    "expected a positive number of rows", "no such column: 'place'", "'place' is no column",
    "'place' must be one of 'in', 'out'", "the list is empty", "value not in list of places",
    "the result is too large to show", "unknown encoding", "negative counts are refused",
    "name 'Ann' is taken", "cannot convert EUR to USD", "row 3 has not enough values",
)  # fmt: skip


@given(st.sampled_from(AUTHORS), st.sampled_from(sorted(ENVELOPES)))
def test_an_authors_own_words_are_a_refusal(words: str, envelope: str) -> None:
    text = ENVELOPES[envelope](ValueError(words))
    assert standing(CallOutcome(status="ok", text=text), {"table": "q"}) != "unhandled", text


TOOL = '''
def tool(rows: str) -> dict:
    """The share of rows that are not empty."""
    try:
        lines = rows.splitlines()[1:]
        {body}
        return {{"success": True, "share": sum(map(bool, lines)) / len(lines)}}
    except {caught}:
        return {{"success": False, "error": {told}}}
'''


@pytest.mark.parametrize(
    ("caught", "told", "body", "counts"),
    [
        ("Exception as error", "str(error)", "", True),
        ("(KeyError, Exception) as error", "str(error)", "", True),
        ("ZeroDivisionError as error", "str(error)", "", False),
        ("(ValueError, ArithmeticError) as error", "f'Error: {error}'", "", False),
        ("ZeroDivisionError", "'division by zero'", "", False),
        ("Exception as error", "str(error)",
         "if not lines: raise ValueError('division by zero')", False),
    ],
)  # fmt: skip
def test_what_an_author_foresaw_is_a_refusal(
    private: Path, tmp_path: Path, caught: str, told: str, body: str, counts: bool
) -> None:
    file = tmp_path / "told_tools.py"
    file.write_text(TOOL.format(caught=caught, told=told, body=body))
    campaign = fuzz(f"{file}:tool", calls=30, config=FuzzConfig(minimise_calls=20))
    assert campaign.findings
    assert [f.standing for f in news(campaign)] == (["unhandled"] if counts else [])
