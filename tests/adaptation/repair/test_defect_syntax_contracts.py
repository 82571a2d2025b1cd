"""The contracts of the syntax checks, on programs, on broken programs, and on anything at all."""

import ast
import re
import sys
import textwrap
import threading
import warnings

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.testing import Evidence, Invocation, ParserSyntax, prepare_check
from knitbone.config import AdaptConfig

CONFIG = AdaptConfig(budget_ms=60_000)
EVIDENCE = Evidence(file="app.py", line=1, expression="run(text)")


def check_for(language, dialect="", parser="exec"):
    return prepare_check(
        ParserSyntax(language=language, dialect=dialect, parser=parser, evidence=EVIDENCE)
    )


CHECKS = {
    "python": check_for("python"),
    "eval": check_for("python", "eval", "eval"),
    "literal": check_for("python", "eval", "ast.literal_eval"),
    "sqlite": check_for("sql", "sqlite", "execute"),
    "postgres": check_for("sql", "postgres", "execute"),
    "javascript": check_for("javascript"),
    "rust": check_for("rust"),
    "shell": check_for("shell"),
    "regex": check_for("regex", parser="re.compile"),
    "jinja": check_for("jinja"),
}
PIECES = [
    *("def f(x):\n", "    return x\n", "if a:\n", "else:\n", "print(", '"text"', "'it's'"),
    *("x = 1\n", "[1, 2", "]", ")", "}", "{", "(", ",", ":", "\n", " ", "    ", "\t", "#", "//"),
    *("/*", '"""', "```python\n", "```\n", "Here is the code:\n\n", "&&", "||", "!", "++", "==="),
    *("\u201c", "\u201d", "SELECT a FROM t", "WHERE b = 'c'", ";", "'", '"', "`", "\\"),
    *("\u00a0", "\ufeff", "\ud800", "\0", "function f() {\n", "  return 1;\n", "}\n"),
    *("let x = ", "$ ls\n", ">>> ", "&lt;", "print 'a'\n"),
]
NAMES = st.sampled_from(["alpha", "beta", "gamma"])
TEXTS = st.one_of(
    st.text(alphabet=st.characters(), max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
)
EXPRESSIONS = st.recursive(
    st.one_of(
        NAMES,
        st.integers(0, 99).map(str),
        st.text(alphabet=" abc&|!\u201c\u00a0#,()[]{}<>'", max_size=8).map(repr),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.tuples(NAMES, st.lists(inner, max_size=3)).map(lambda x: f"{x[0]}({', '.join(x[1])})"),
        st.tuples(inner, inner).map(lambda x: f"{x[0]} + {x[1]}"),
        st.tuples(inner, inner).map(lambda x: f"{{{x[0]}: {x[1]}}}"),
    ),
    max_leaves=6,
)
STATEMENTS = st.recursive(
    st.tuples(NAMES, EXPRESSIONS).map(lambda x: f"{x[0]} = {x[1]}\n"),
    lambda inner: st.tuples(NAMES, st.lists(inner, min_size=1, max_size=2)).map(
        lambda x: f"if {x[0]}:\n" + textwrap.indent("".join(x[1]), "    ")
    ),
    max_leaves=4,
)
PROGRAMS = st.lists(STATEMENTS, min_size=1, max_size=4).map("".join)


def judge(name, text):
    return CHECKS[name](text, Invocation(CONFIG))


def words(text):
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("name", CHECKS)
@settings(max_examples=contract_examples(), deadline=None)
@given(text=TEXTS)
def test_any_text(name, text):
    """Never raises; what is not repaired is the same object; a repair is verified and at rest."""
    verdict = judge(name, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        assert not verdict.rules
        assert bool(verdict.reason) == (verdict.disposition == "refused")
        return
    assert verdict.text != text
    assert verdict.edits > 0
    assert all(verdict.rules)
    again = judge(name, verdict.text)
    assert again.disposition == "conforming"
    assert again.text is verdict.text


@settings(max_examples=contract_examples(), deadline=None)
@given(text=TEXTS)
def test_a_repaired_program_compiles_and_has_no_new_words(text):
    verdict = judge("python", text)
    if verdict.disposition == "repaired":
        compile(verdict.text, "<text>", "exec")
    added = set(words(verdict.text)) - set(words(text))
    assert added <= {"and", "or", "not", "as", "elif", "1"}


@settings(max_examples=contract_examples(), deadline=None)
@given(program=PROGRAMS)
def test_programs_are_the_same_object(program):
    verdict = judge("python", program)
    assert verdict.disposition == "conforming"
    assert verdict.text is program


@settings(max_examples=contract_examples(), deadline=None)
@given(
    program=PROGRAMS,
    around=st.sampled_from(
        [
            ("```python\n", "```"),
            ("Here you go:\n```py\n", "```\nThat is all there is to it.\n"),
            ("Here is the code:\n\n", ""),
            ("", "\nThis does what you asked for.\n"),
        ]
    ),
)
def test_what_stands_around_a_program_is_taken_away_and_nothing_else(program, around):
    verdict = judge("python", program.join(around))
    assert verdict.disposition == "repaired"
    assert ast.dump(ast.parse(verdict.text)) == ast.dump(ast.parse(program))


@settings(max_examples=contract_examples(), deadline=None)
@given(program=PROGRAMS, data=st.data())
def test_one_lost_character_changes_no_word_and_no_string(program, data):
    place = data.draw(st.integers(0, len(program) - 1))
    broken = program[:place] + program[place + 1 :]
    verdict = judge("python", broken)
    assert words(verdict.text) == words(broken)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 60_000,
        "[{(" * 20_000,
        '"""\\' * 15_000,
        "'\"" * 30_000,
        "`\\`\n" * 15_000,
        "/*" * 30_000,
        "-" * 60_000 + "1",
        "x = " + "+".join(["1"] * 30_000) + " 2",
        "a" + ".a" * 30_000 + " b",
        "```\n" * 15_000,
        " " * 60_000 + "x y",
        "Here is: " * 7_000,
        "\u201c" * 60_000,
        "&lt;" * 15_000,
        "if x\n" * 12_000,
        "(/[" * 20_000,
        "SELECT (" * 8_000,
        "\ud800" * 60_000,
        "1 " * 30_000,
        "not " * 15_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_adversarial_text_is_given_up_in_time(name, text):
    """Bounded work, then ``TimeoutError`` at most; nothing crashes the interpreter."""
    invocation = Invocation(AdaptConfig(budget_ms=50))
    try:
        verdict = CHECKS[name](text, invocation)
    except TimeoutError:
        return
    assert verdict.disposition != "repaired" or verdict.text != text


@pytest.mark.parametrize("name", CHECKS)
def test_ten_megabytes_are_not_looked_at(name):
    text = "x = (1\n" * 1_500_000
    verdict = judge(name, text)
    assert verdict.disposition == "refused"
    assert verdict.text is text
    assert "bound" in verdict.reason
    assert not verdict.known


def test_warnings_of_the_checked_text_are_the_consumers():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check = check_for("python")
        assert check('x = "\\d"\nassert (x, 1)\n', Invocation(CONFIG)).disposition == "conforming"
    assert not caught


def test_threads_do_not_share_a_database():
    results = []

    def work():
        for _ in range(50):
            results.append(judge("sqlite", "SELECT a, FROM t").text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results) == {"SELECT a FROM t"}


def test_sqlglot_does_not_log_for_us(caplog):
    with caplog.at_level("WARNING"):
        judge("postgres", "VACUUM FULL ANALYZE t")
    assert not caplog.records


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python 3.12 takes equal quotes")
def test_quotes_inside_an_f_string():
    assert judge("python", 'print(f"{d["key"]}")\n').text == "print(f\"{d['key']}\")\n"
