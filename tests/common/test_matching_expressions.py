"""What is said of expressions that are known, and that nothing runs past the bound."""

import ast
import re
from pathlib import Path

import pytest

import knitbone
from knitbone.common.expressions import expression_of
from knitbone.common.expressions.text_features import traits_of
from knitbone.common.matching import (
    TooCostlyError,
    end_allowance,
    find_all,
    find_one,
    is_affordable,
    start_allowance,
)

SOURCE = Path(knitbone.__file__).parent
PROSE = "The quick brown fox jumps over 13 lazy dogs. It is so.\n\n1. first: **bold** text\n" * 14


@pytest.mark.parametrize(
    "pattern",
    [r"^(a+)+$", r"^(a|a)*$", r"^(\w+\s?)*$", r"^(a|aa)+$", r"(x+x+)+y", r"(?:a+)+\1?$|(b)"],
)
def test_what_doubles_with_each_character_is_not_run(pattern):
    text = ("x" if "x" in pattern else "a") * 60 + "!"
    compiled = re.compile(pattern.replace(r"\1", ""))
    with pytest.raises(TooCostlyError, match="may take longer"):
        list(find_one(compiled, "search", [text + "y"]))


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(\w+\s?)*$"])
def test_the_same_expression_runs_on_a_short_text(pattern):
    assert [m.group() for m in find_one(re.compile(pattern), "match", ["aaaa"])] == ["aaaa"]


def test_a_long_text_is_not_run_where_the_expression_is_quadratic():
    with pytest.raises(TooCostlyError):
        list(find_all(re.compile(r"\s+$"), [" " * 100_000 + "x"]))


@pytest.mark.parametrize(
    ("pattern", "method", "flags"),
    [
        (r"Answer:\s*(.*)", "search", 0),
        (r"^\s*(\d+)[.)]\s*(.*)", "match", 0),
        (r"\*\*(.+?)\*\*", "findall", 0),
        (r"```(?:json)?\s*(.*?)```", "search", re.DOTALL),
        (r"\{.*\}", "search", re.DOTALL),
        (r"score:\s*(\d+(?:\.\d+)?)\s*/\s*10", "search", re.IGNORECASE),
        (r"Thought: (.*?)\nAction: (.*?)\nInput: (.*)", "search", re.DOTALL),
        (r"^(\w+): (.*)$", "findall", re.MULTILINE),
        (r"(\d{4})-(\d{2})-(\d{2})", "findall", 0),
        (r'"(?:[^"\\]|\\.)*"', "findall", 0),
    ],
)
def test_an_ordinary_expression_is_cheap_at_a_look(pattern, method, flags):
    text = PROSE + "Answer: yes\nScore: 7/10\n```json\n{}\n```\n"
    expression = expression_of(re.compile(pattern, flags))
    traits = traits_of(text).with_words(text)
    assert expression.rough_bound(method, text, traits) < 25e6


def test_what_was_not_counted_to_its_end_stays_too_much():
    token = start_allowance(0.05)
    try:
        pattern, text = re.compile(r"^(a+)+$"), "a" * 20 + "!"
        assert not is_affordable(pattern, "match", [text], share=0.25)
        assert not is_affordable(pattern, "match", [text], share=1.0)
    finally:
        end_allowance(token)


def test_the_time_that_is_left_decides():
    pattern, text = re.compile(r"(?:\w+ )*\w+;"), "word " * 60
    token = start_allowance(0.05)
    try:
        assert is_affordable(pattern, "search", [text])
    finally:
        end_allowance(token)
    token = start_allowance(0.000_001)
    try:
        assert not is_affordable(pattern, "search", [text])
    finally:
        end_allowance(token)


@pytest.mark.parametrize(
    "source",
    [
        r"(?P<a>x)(?(a)y|z)",
        r"(?<=a(?=b{2}))b",
        r"(?i:ß)+",
        "(a?){400}",
        "a{1,60000}",
        "(?:" * 90 + ")" * 90,
    ],
)
def test_odd_expressions_are_judged_without_an_error(source):
    expression = expression_of(re.compile(source))
    for method in ("match", "search", "fullmatch", "finditer", "anywhere"):
        assert expression.quick_bound(method, ["xab", "ß"]) > 0
        assert expression.counted_bound(method, "xabß", 1e9, lambda: None) > 0


_ALLOWED = {
    # Expressions of ours, made of escaped words and bounded blanks, or of the requirement's own
    # elements; none holds a part of the application's expression.
    "adaptation/repair/positional/identifiers.py",
    "adaptation/text/wrappers/labels.py",
    "adaptation/repair/positional/label_plan.py",
    "adaptation/repair/structured/xml_plain.py",
    "adaptation/repair/structured/xml_prompted.py",
    "adaptation/scenario/lexical/spelling.py",
    "adaptation/analysis/catalogue/call_shapes.py",
    "adaptation/analysis/catalogue/canonical_names.py",
    "adaptation/analysis/catalogue/lookup.py",
    # Run through ``matching``.
    "adaptation/repair/positional/slot_lines.py",
    "common/matching.py",
    # Compiled, not run: the output itself is an expression.
    "adaptation/repair/syntax/languages.py",
    # Expressions written in the module.
    "common/structured/moments.py",
    "parsing/xml_grammar.py",
}


def test_no_module_runs_an_expression_that_it_was_given():
    """Only ``matching`` compiles an expression that a reader or a step carries."""
    found = set()
    paths = [
        p for part in ("adaptation", "common", "parsing") for p in (SOURCE / part).rglob("*.py")
    ]
    for path in sorted(paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if ast.unparse(node.func.value) != "re" or node.func.attr in ("escape", "error"):
                continue
            names = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
            given = node.args[0] if node.args else None
            if names & {"pattern", "source", "arguments"} or isinstance(given, ast.Name):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == _ALLOWED
