"""Seeded faults: how many are repaired, and that none is repaired into another program."""

import ast
from collections import Counter, defaultdict

import pytest
from syntax_programs import (
    JAVASCRIPT,
    JAVASCRIPT_FAULTS,
    PYTHON,
    PYTHON_FAULTS,
    SQL,
    SQL_FAULTS,
    dedented,
)

from knitbone.adaptation.repair.syntax.tree_parser import tree_shape
from knitbone.adaptation.testing import Evidence, Invocation, ParserSyntax, prepare_check
from knitbone.config import AdaptConfig

CONFIG = AdaptConfig(budget_ms=5_000)


def check_for(language, dialect="", parser="exec"):
    return prepare_check(
        ParserSyntax(
            language=language,
            dialect=dialect,
            parser=parser,
            evidence=Evidence(file="app.py", line=1, expression="run(text)"),
        )
    )


def python_tree(text):
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None


def sql_tree(text):
    return "".join(text.split()).rstrip(";")


LANGUAGES = {
    "python": (check_for("python"), dedented(PYTHON), PYTHON_FAULTS, python_tree),
    "sqlite": (check_for("sql", "sqlite", "execute"), SQL, SQL_FAULTS, sql_tree),
    "postgres": (check_for("sql", "postgres", "execute"), SQL, SQL_FAULTS, sql_tree),
    "javascript": (
        check_for("javascript"),
        dedented(JAVASCRIPT),
        JAVASCRIPT_FAULTS,
        lambda text: getattr(tree_shape("javascript")(text), "tree", None),
    ),
}


def outcomes(language):
    """``(fault, outcome, broken, result)`` of every seeded case that the parser rejects."""
    check, programs, faults, tree = LANGUAGES[language]
    for program in programs:
        for fault, seed in faults.items():
            for broken in seed(program):
                verdict = check(broken, Invocation(CONFIG))
                if verdict.disposition == "conforming":
                    continue
                right = tree(verdict.text) == tree(program)
                outcome = verdict.disposition
                if outcome == "repaired" and not right:
                    outcome = "wrong"
                yield fault, outcome, broken, verdict


# Of the faults that the parser rejects; the rest is refused, because more than one program is as
# near: a string without its end, a call whose opening bracket is gone, a closing bracket before an
# operator.
RECALL = {"python": 0.82, "sqlite": 0.92, "postgres": 0.85, "javascript": 0.85}
# These have one reading only.
ALWAYS = frozenset(
    {"fence", "fence and prose", "prose", "prose before", "prose after", "label", "all indented"}
    | {"colon missing", "comma doubled", "line numbers", "prompts", "print statement", "and as &&"}
    | {"trailing comma", "special spaces", "escaped for HTML", "typographic quotes"}
    | {"brace missing", "brace doubled", "semicolon doubled", "line shifted", "== as ==="}
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_seeded_faults_are_repaired_and_none_into_another_program(language):
    table = defaultdict(Counter)
    for fault, outcome, broken, verdict in outcomes(language):
        table[fault][outcome] += 1
        assert outcome != "wrong", f"{fault}: {broken}\n-> {verdict.text}"
        if outcome == "refused":
            assert verdict.text is broken
    total = sum(table.values(), Counter())
    assert total["repaired"] / sum(total.values()) >= RECALL[language], table
    for fault in ALWAYS & table.keys():
        assert not table[fault]["refused"], fault


def test_there_are_enough_cases():
    counts = {language: sum(1 for _ in outcomes(language)) for language in LANGUAGES}
    assert sum(counts.values()) >= 500, counts
    assert min(counts.values()) >= 50, counts
