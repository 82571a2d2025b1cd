"""The bound is never below what a backtracking matcher does."""

import contextlib
import re

import pytest
from backtracking import Matcher, OverLimitError
from contracts import contract_examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from knitbone.common.expressions import automaton, cost
from knitbone.common.expressions.cost import count_paths
from knitbone.common.expressions.parsing import sre_parser
from knitbone.common.expressions.text_features import traits_of

ATOMS = ["a", "b", ".", r"\w", r"\s", "[ab]", "[^a]", r"\d", "1", " ", "B", r"[^\d\s]", "(?:)"]
AROUND = ["^", "$", r"\b", r"\Z", "(?=a)", "(?!b)", "(?=.*1)", "(?<=a)", "(?<!ab)", "(?!)"]
COUNTS = ["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?", "??", "{1,2}?"]
COUNTS += ["*+", "++", "?+"]
PIECES = ["a", "b", "ab", "aB1", " ", "1", "a a", "\n", "é", "ß1"]


def _grown(inner):
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("(?:{}){}".format, inner, st.sampled_from(COUNTS)),
        st.builds("({}){}".format, inner, st.sampled_from(COUNTS)),
        st.builds("({})".format, inner),
        st.builds("(?={}{})".format, inner, inner),
        st.builds("(?!{})".format, inner),
        st.builds("(?i:{})".format, inner),
        st.builds(r"({})\{}".format, inner, st.just(1)),
        st.builds("({})?(?(1){}|{})".format, inner, inner, inner),
    )


PATTERNS = st.recursive(
    st.one_of(
        st.sampled_from(ATOMS + AROUND),
        st.builds("{}{}".format, st.sampled_from(ATOMS[:-1]), st.sampled_from(COUNTS)),
    ),
    _grown,
    max_leaves=7,
)
TEXTS = st.lists(
    st.builds(lambda piece, times: piece * times, st.sampled_from(PIECES), st.integers(1, 9)),
    max_size=4,
).map("".join)
FLAGS = (0, re.IGNORECASE, re.MULTILINE, re.DOTALL, re.ASCII)
METHODS = ("match", "search", "fullmatch", "finditer")


@pytest.fixture(scope="module", autouse=True)
def _steps_count_one():
    """Bounds in steps, without what is added for calls and results."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automaton, "STEP_NS", 1.0)
        patch.setattr(automaton, "RUN_NS", 1.0)
        patch.setattr(cost, "RUN_NS", 1.0)
        patch.setattr(cost, "_CALL_NS", 0.0)
        patch.setattr(cost, "_MATCH_NS", 0.0)
        yield


@settings(max_examples=contract_examples(), suppress_health_check=list(HealthCheck), deadline=None)
@given(PATTERNS, TEXTS, st.sampled_from(METHODS), st.sampled_from(FLAGS))
def test_no_matcher_takes_more_steps_than_are_said(source, text, method, flags):
    try:
        pattern = re.compile(source, flags)
    except (re.error, RecursionError):
        assume(False)
    matcher = Matcher(pattern, text)
    finished = True
    try:
        spans = matcher.spans(method)
    except (OverLimitError, RecursionError):
        finished = False
    expression = cost.Expression(pattern)
    bounds = {
        "quick": expression.quick_bound(method, [text]),
        "lines": expression.rough_bound(method, text, traits_of(text)),
        "words": expression.rough_bound(method, text, traits_of(text).with_words(text)),
        "measured": expression.measured_bound(method, text),
        "counted": expression.counted_bound(method, text, 1e15, lambda: None),
    }
    # A prefix is compared with each place before the automaton begins.
    plan = expression._plan(method)
    steps = matcher.steps - (len(plan.prefix) * (len(text) + 1) if plan else 0)
    assert all(bound >= steps for bound in bounds.values()), (bounds, matcher.steps)
    if finished:
        try:
            found = [match.span() for match in pattern.finditer(text)]
        except RecursionError:
            return
        if method == "finditer":
            assert spans == found, "the matcher of this test is not what re does"


@settings(max_examples=contract_examples(), suppress_health_check=list(HealthCheck), deadline=None)
@given(PATTERNS, TEXTS, st.sampled_from(METHODS), st.sampled_from(FLAGS))
def test_no_character_is_compared_more_often_than_there_are_paths(source, text, method, flags):
    """The same without any room: steps that take no character are not counted."""
    assume("(?<" not in source)  # what is looked back at counts as such steps
    try:
        pattern = re.compile(source, flags)
        made = automaton.build(sre_parser.parse(source, flags), pattern.flags)
    except (re.error, RecursionError, automaton.TooLarge):
        assume(False)
    matcher = Matcher(pattern, text)
    with contextlib.suppress(OverLimitError, RecursionError):
        matcher.spans(method)
    first = {position: ways for position, ways in made.first.items() if position >= 0}
    costs = [sum(ways for q, ways in behind.items() if q >= 0) for behind in made.follow]
    bare = made._replace(first=first, costs=tuple(costs))
    starts = {0} if method in ("match", "fullmatch") else None
    paths = count_paths(bare, text, starts, 1e15, lambda: None)
    again = 2 if method == "finditer" and made.nullable else 1
    assert again * paths >= matcher.steps
