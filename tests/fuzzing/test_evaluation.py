"""A calculator that is asked for the impossible answers so; that is no fault of it."""

import pytest

from knitbone.fuzzing.findings import is_asked_for

BY_ZERO, ATTRIBUTE = "float division by zero", "'Symbol' object has no attribute 'a'"
CONCATENATES = 'can only concatenate str (not "int") to str'


@pytest.mark.parametrize(
    ("message", "text", "asked"),
    [
        (BY_ZERO, "1/0", True),
        (BY_ZERO, "2 * (3 % (1 - 1))", True),
        (ATTRIBUTE, "a.a", True),
        (CONCATENATES, "'' + 0", True),
        ("'int' object is not callable", "4(2)", True),
        ("list index out of range", "[][0]", True),
        (BY_ZERO, "reports/2024", False),  # a path; what divides is the tool
        (BY_ZERO, "a/b", False),
        (BY_ZERO, "0", False),
        (ATTRIBUTE, "a.b", False),
        (CONCATENATES, "2024-05-06", False),
        ("list index out of range", "Ann;2", False),
        ("list index out of range", "notes[1].txt]", False),
    ],
)
def test_only_an_expression_with_the_failing_operation_asks_for_it(message, text, asked):
    assert is_asked_for(message, [text]) is asked


@pytest.mark.parametrize("text", ["(" * 1_999, "1/0" * 5_000, "\ud800/x", "a\0/0", "-" * 1_900])
def test_hostile_expressions_are_passed_over(text):
    assert not is_asked_for(BY_ZERO, [text])
