"""Syntax-parser misalignment: what is repaired, and what must not be touched."""

import subprocess
import sys

import pytest

from knitbone.adaptation.repair.syntax import HEURISTICS
from knitbone.adaptation.testing import Evidence, Invocation, ParserSyntax, prepare_check
from knitbone.config import AdaptConfig

CONFIG = AdaptConfig(budget_ms=60_000)
EVIDENCE = Evidence(file="app.py", line=1, expression="run(text)")


def check_for(language, dialect="", parser="exec"):
    return prepare_check(
        ParserSyntax(language=language, dialect=dialect, parser=parser, evidence=EVIDENCE)
    )


PYTHON = check_for("python")
SQLITE = check_for("sql", "sqlite", "sqlite3.connect().execute")
POSTGRES = check_for("sql", "postgres", "psycopg.connect().execute")
JAVASCRIPT = check_for("javascript", parser="execjs.eval")
SHELL = check_for("shell", parser="os.system")


def judge(check, text, config=CONFIG):
    return check(text, Invocation(config))


def repaired(check, text):
    verdict = judge(check, text)
    assert verdict.disposition == "repaired", verdict.reason
    assert verdict.rules
    assert verdict.edits > 0
    again = judge(check, verdict.text)
    assert again.disposition == "conforming"
    return verdict.text


def kept(check, text, disposition):
    verdict = judge(check, text)
    assert verdict.disposition == disposition, verdict.rules or verdict.reason
    assert verdict.text is text
    return verdict


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("print('a'\n", "print('a')\n"),
        ("x = [1, 2, 3\nprint(x)\n", "x = [1, 2, 3]\nprint(x)\n"),
        ("for i in range(len(x):\n    print(i)\n", "for i in range(len(x)):\n    print(i)\n"),
        ("def f(a, b:\n    return a\n", "def f(a, b):\n    return a\n"),
        ("if len(x > 3:\n    pass\n", "if len(x) > 3:\n    pass\n"),
        ("for a in sorted(b.items():\n    c()\n", "for a in sorted(b.items()):\n    c()\n"),
        ("print(str(int(x\ny = 1\n", "print(str(int(x)))\ny = 1\n"),
        ("d = {\n    'a': [1, 2,\n    'b': 3,\n}\n", "d = {\n    'a': [1, 2],\n    'b': 3,\n}\n"),
        ("print(len(x)))\n", "print(len(x))\n"),
        ("print(x]\n", "print(x)\n"),
        ("print(hello))\n", "print(hello)\n"),
        ("if x > 3\n    y()\n", "if x > 3:\n    y()\n"),
        ("if x:\n    y()\nelse\n    z()\n", "if x:\n    y()\nelse:\n    z()\n"),
        ("x = {'a': 1 'b': 2}\n", "x = {'a': 1, 'b': 2}\n"),
        ("x = [1 2 3]\n", "x = [1, 2, 3]\n"),
        ("x = [1,, 2]\n", "x = [1, 2]\n"),
        ("import os, sys,\n", "import os, sys\n"),
        ("print 'a', b\n", "print('a', b)\n"),
        ("try:\n    f()\nexcept E, e:\n    g()\n", "try:\n    f()\nexcept E as e:\n    g()\n"),
        ("if a && !b || c === 3:\n    i++\n", "if a and not b or c == 3:\n    i += 1\n"),
        ("if a <> b:\n    pass\n", "if a != b:\n    pass\n"),
        ("if a \u2264 b:\n    pass\n", "if a <= b:\n    pass\n"),
        ("def f() \u2192 int:\n    return 1\n", "def f() -> int:\n    return 1\n"),
        ("if x:\n    a()\nelse if y:\n    b()\n", "if x:\n    a()\nelif y:\n    b()\n"),
        ("if x = 3:\n    a()\n", "if x == 3:\n    a()\n"),
        ("// sum\nx = 1\n", "# sum\nx = 1\n"),
        ("print(\u201chello\u201d)\n", 'print("hello")\n'),
        ("print\uff081\uff09\n", "print(1)\n"),
        ("x\u00a0= 1\n", "x = 1\n"),
        ("\ufeff\u200bx = 1\n", "x = 1\n"),
        ("if a &lt; b:\n    print(&quot;x&quot;)\n", 'if a < b:\n    print("x")\n'),
        ('print("hello)\n', 'print("hello")\n'),
        ("print(\"hello')\n", 'print("hello")\n'),
        ("print('It's me')\n", "print('It\\'s me')\n"),
        ("    x = 1\n    y = 2\n", "x = 1\ny = 2\n"),
        ("x = 1\n    y = 2\n    z = 3\n", "x = 1\ny = 2\nz = 3\n"),
        ("if a:\n    x = 1\n     y = 2\n    z()\n", "if a:\n    x = 1\n    y = 2\n    z()\n"),
        ("if x:\nprint(x)\n", "if x:\n    print(x)\n"),
        (">>> x = 1\n>>> print(x)\n", "x = 1\nprint(x)\n"),
        ("1: x = 1\n2: y = 2\n", "x = 1\ny = 2\n"),
        ("+ x = 1\n+ y = foo()\n", "x = 1\ny = foo()\n"),
    ],
)  # fmt: skip
def test_python(broken, whole):
    assert repaired(PYTHON, broken) == whole


@pytest.mark.parametrize(
    "text",
    [
        # More than one program is as near.
        "x = foo(bar(1, 2)\n",
        "y = sqrt(a + b\n",
        "print(str(x.upper())\n",
        'print("Total: , total)\n',
        "print(hello world)\n",
        "x = (3 y)\n",
        "while line = f.readline():\n    pass\n",
        "x = a + b) * c\n",
        "printlen(items))\n",
        "print(name.upper))\n",
        "z = f.decode(b', True)\n",
        # Cut off.
        "result = compute(a, b",
        "x = 5 +",
        "def f(x):",
        "print('hello",
        "for i in range(3):\n    total +=",
        '"""A text',
        # No code at all.
        "I cannot write that program for you.",
        "Here is what I found:\n\n- Mercury\n- Venus\n\nWhich one do you like?",
        "1. Nintendo\n2. Sony\n3. Sega",
        "",
    ],
)
def test_python_is_refused_where_a_guess_would_be_needed(text):
    if text:
        assert kept(PYTHON, text, "refused").reason
    else:
        kept(PYTHON, text, "conforming")


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "s = '\u201chello\u201d && || \u00a0 &lt; 1++'\n",
        "s = '''\n  print 'a'\n\ttab\n'''\n",
        "# a && b \u201cquoted\u201d\nx = 1\n",
        "print(-+1)\nx = ++y\n",
        "\tx = 1\n".lstrip(),
        "```".join(("s = '''", "'''\n")),
    ],
)
def test_conforming_python_is_the_same_object(text):
    kept(PYTHON, text, "conforming")


def test_strings_and_comments_keep_every_character():
    text = "s = 'a\u00a0&& b \u201cc\u201d'  # x && y\nif s && t:\n    print(s)\n"
    assert repaired(PYTHON, text) == text.replace("s && t", "s and t")


class TestAround:
    """What models put around code."""

    def test_fence_and_prose(self):
        text = "Sure! Here it is:\n\n```python\nx = 1\n```\n\nIt sets x."
        assert repaired(PYTHON, text) == "x = 1\n"

    def test_prose_without_a_fence(self):
        text = "Here is the code:\n\nx = 1\nprint(x)\n\nThis prints the value of x.\n"
        assert repaired(PYTHON, text) == "x = 1\nprint(x)\n"

    def test_fault_inside_a_fence(self):
        assert repaired(PYTHON, "```py\nprint 'a'\n```") == "print('a')\n"

    def test_fence_that_the_prompt_opened(self):
        assert repaired(PYTHON, "x = 1\n```\nThat was it.") == "x = 1\n"

    def test_block_of_the_language_among_others(self):
        text = "```bash\npip install x\n```\n```python\nimport x\n```\n```text\nout put\n```"
        assert repaired(PYTHON, text) == "import x\n"

    def test_last_block_that_defines_all_again(self):
        first = "```python\ndef f():\n    return 1\n```\nBetter:\n"
        assert repaired(PYTHON, first + "```python\ndef f():\n    return 2\n```").endswith("2\n")

    def test_several_programs_are_not_chosen_between(self):
        text = "```python\nx = 1\n```\nor\n```python\ny = 2\n```"
        assert "2 blocks" in kept(PYTHON, text, "refused").reason

    def test_code_cut_off_in_a_fence(self):
        kept(PYTHON, "```python\nprint(compute(a, b", "refused")

    def test_trailing_paragraph_that_is_code_stays(self):
        text = "x = f(1,\n      2)\n\nprint(x\n\nResult, limit, chain)\n"
        kept(PYTHON, text, "refused")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("SELECT a, FROM t", "SELECT a FROM t"),
        ("SELECT a,, b FROM t;", "SELECT a, b FROM t;"),
        ("UPDATE t SET a = 1, WHERE b = 2", "UPDATE t SET a = 1 WHERE b = 2"),
        ("SELECT COUNT(a FROM t;", "SELECT COUNT(a) FROM t;"),
        ("SELECT COUNT(* FROM t;", "SELECT COUNT(*) FROM t;"),
        ("SELECT a FROM t WHERE b IN (1, 2));", "SELECT a FROM t WHERE b IN (1, 2);"),
        ("SELECT a FROM t WHERE b = \u2018x\u2019", "SELECT a FROM t WHERE b = 'x'"),
        ("SELECT a FROM t WHERE b = \u201cx\u201d", "SELECT a FROM t WHERE b = 'x'"),
        ("SELECT a\u00a0FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t WHERE b = 'O'Neil'", "SELECT a FROM t WHERE b = 'O''Neil'"),
        ("SQLQuery: SELECT a FROM t", "SELECT a FROM t"),
        ("Here is the query:\nSELECT a FROM t", "SELECT a FROM t"),
        ("```sql\nSELECT a FROM t\n```", "SELECT a FROM t\n"),
        ("SELECT a FROM t;\n\nThis query lists every a.", "SELECT a FROM t;\n"),
        ("SQLQuery: SELECT a FROM t\nSQLResult: 3\nAnswer: three", "SELECT a FROM t\n"),
    ],
)
@pytest.mark.parametrize("check", [SQLITE, POSTGRES], ids=["sqlite", "postgres"])
def test_sql(check, broken, whole):
    assert repaired(check, broken) == whole


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t WHERE b = '\u201cx\u201d'",
        "SELECT a FROM missing_table WHERE f(x) > 3;",
        "SELECT ? , :name",
        "INSERT INTO t (a) VALUES (1)",
        "EXPLAIN SELECT 1",
    ],
)
def test_conforming_sql_is_the_same_object(text):
    kept(SQLITE, text, "conforming")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t WHERE b = 'x AND c = 3",
        "SELECT a FROM t WHERE",
        "SELECT 1; DROP TABLE t",
        "SELECT a FROM t WHERE b IN (1, 2",
        "I do not know that table.",
    ],
)
def test_sql_is_refused_where_a_guess_would_be_needed(text):
    kept(SQLITE, text, "refused")


def test_sql_of_each_dialect():
    assert repaired(SQLITE, "SELECT a FROM t;;") == "SELECT a FROM t;"
    assert repaired(POSTGRES, "SELECT `a` FROM t") == 'SELECT "a" FROM t'
    assert repaired(POSTGRES, "SELECT a FROM t WHERE a == 1") == "SELECT a FROM t WHERE a = 1"
    kept(SQLITE, "SELECT a FROM t WHERE a == 1", "conforming")
    kept(SQLITE, "SELECT `a` FROM t", "conforming")
    kept(check_for("sql", "bigquery", "query"), "SELECT a, FROM t", "conforming")
    kept(check_for("sql", "", "execute"), "SELECT a, FROM t", "conforming")


def test_scripts_hold_several_statements():
    script = check_for("sql", "sqlite", "sqlite3.connect().executescript")
    kept(script, "CREATE TABLE t (a); INSERT INTO t VALUES (1);", "conforming")
    broken = "CREATE TABLE t (a,); INSERT INTO t VALUES (1);"
    assert repaired(script, broken) == broken.replace("a,", "a")


def test_nothing_is_run(tmp_path):
    target = tmp_path / "made.db"
    kept(SQLITE, f"ATTACH '{target}' AS x", "conforming")
    kept(SQLITE, "PRAGMA hard_heap_limit = 1", "conforming")
    assert not target.exists()
    kept(PYTHON, f"open({str(target)!r}, 'w')", "conforming")
    assert not target.exists()


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("f(1, 2;\n", "f(1, 2);\n"),
        ("x.y(;\n", "x.y();\n"),
        ("let x = [1, 2;\n", "let x = [1, 2];\n"),
        ("console.log(add(1, 2)));\n", "console.log(add(1, 2));\n"),
        ("let a = \u201cx\u201d;\n", 'let a = "x";\n'),
        (
            "function f() {\n  if (x) {\n    y();\n}\n",
            "function f() {\n  if (x) {\n    y();\n  }\n}\n",
        ),
        ("function f() {\n  y();\n\ng();\n", "function f() {\n  y();\n\n}\ng();\n"),
        ("function f() {\n  y();\n}}\n", "function f() {\n  y();\n}\n"),
        ("```js\nlet a = 1;\n```", "let a = 1;\n"),
    ],
)
def test_javascript(broken, whole):
    assert repaired(JAVASCRIPT, broken) == whole


@pytest.mark.parametrize(
    "text",
    ["log(add(1, 2);\n", "function f() {\n  return a +", 'log("Total: , x);\n', "Sorry, I can't."],
)
def test_javascript_is_refused_where_a_guess_would_be_needed(text):
    kept(JAVASCRIPT, text, "refused")


def test_regular_expressions_of_javascript_are_no_strings():
    kept(JAVASCRIPT, "const p = /[\u201c\u201d]/g;\n", "conforming")
    broken = "const p = /[\u201c\u201d(]/g;\nf(1;\n"
    assert repaired(JAVASCRIPT, broken) == broken.replace("1;", "1);")


@pytest.mark.parametrize(
    ("language", "broken", "whole"),
    [
        ("typescript", "let x: number[] = [1, 2;\n", "let x: number[] = [1, 2];\n"),
        ("c", "int main() {\n  return f(1;\n}\n", "int main() {\n  return f(1);\n}\n"),
        ("c++", "int main() {\n  std::f(1;\n}\n", "int main() {\n  std::f(1);\n}\n"),
        ("java", "class A {\n  int a = f(1;\n}\n", "class A {\n  int a = f(1);\n}\n"),
        ("go", "package a\n\nfunc f() {\n\tg(1]\n}\n", "package a\n\nfunc f() {\n\tg(1)\n}\n"),
        ("rust", "fn f<'a>(x: &'a str) {\n    g(1;\n}\n", "fn f<'a>(x: &'a str) {\n    g(1);\n}\n"),
    ],
)  # fmt: skip
def test_other_languages(language, broken, whole):
    check = check_for(language)
    assert repaired(check, broken) == whole
    kept(check, whole, "conforming")


def test_shell():
    assert repaired(SHELL, "```bash\nls -la\n```") == "ls -la"
    assert repaired(SHELL, "$ cd /tmp\n$ ls\n") == "cd /tmp\nls\n"
    kept(SHELL, "echo \u201chi\u201d && ls", "conforming")
    kept(SHELL, "cat <<EOF\n```python\nx\n```\nEOF\n", "conforming")
    kept(SHELL, "echo 'abc\n", "refused")


def test_expressions_patterns_and_templates():
    evaluated = check_for("python", "eval", "eval")
    assert repaired(evaluated, "```\n1 + 2\n```").strip() == "1 + 2"
    assert repaired(evaluated, "Answer: 3*4") == "3*4"
    kept(evaluated, "  1 + 2", "conforming")
    kept(evaluated, "x = 1", "refused")
    pattern = check_for("regex", parser="re.compile")
    assert repaired(pattern, "```\n\\d+\n```") == "\\d+"
    kept(pattern, "(a", "refused")
    template = check_for("jinja", parser="jinja2.Template")
    assert repaired(template, "```jinja\n{{ a }}\n```") == "{{ a }}"
    kept(template, "{% if %}", "refused")


def test_hypertext_and_data():
    page = check_for("html", parser="bs4.BeautifulSoup")
    assert repaired(page, "```html\n<p>a</p>\n```") == "<p>a</p>"
    kept(page, "<p>a", "conforming")
    kept(page, "no tag at all", "conforming")
    assert repaired(check_for("json", parser="json.loads"), '{"a": 1,}') == '{"a": 1}'


def test_the_consumer_decides():
    kept(check_for("python", "", "ast.parse"), "return 1", "conforming")
    kept(PYTHON, "return 1", "refused")
    literal = check_for("python", "eval", "ast.literal_eval")
    kept(literal, "[1, 'a']", "conforming")
    kept(literal, "[1, f()]", "refused")


def test_what_cannot_be_checked_is_not():
    assert check_for("dot") is None
    assert check_for("applescript") is None
    assert check_for("perl") is None


def test_a_missing_grammar_names_its_package(monkeypatch, caplog):
    import sys

    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    with caplog.at_level("WARNING", logger="knitbone"):
        assert check_for("go") is None
    assert "tree-sitter-go" in caplog.records[-1].fields["reason"]


@pytest.mark.parametrize(
    ("heuristic", "text"),
    [
        ("syntax.brackets", "print('a'\n"),
        ("syntax.characters", "x\u00a0= 1\n"),
        ("syntax.colons", "if x > 3\n    y()\n"),
        ("syntax.commas", "x = {'a': 1 'b': 2}\n"),
        ("syntax.comments", "// sum\nx = 1\n"),
        ("syntax.conditions", "if x = 3:\n    a()\n"),
        ("syntax.entities", "if a &lt; b:\n    pass\n"),
        ("syntax.fences", "```python\nx = 1\n```"),
        ("syntax.increments", "i++\n"),
        ("syntax.indentation", "    x = 1\n    y = 2\n"),
        ("syntax.keywords", "if x:\n    a()\nelse if y:\n    b()\n"),
        ("syntax.negations", "if !x:\n    a()\n"),
        ("syntax.operators", "x = a && b\n"),
        ("syntax.prompts", ">>> x = 1\n"),
        ("syntax.prose", "Here is the code:\n\nx = 1\n"),
        ("syntax.python2", "print 'a'\n"),
        ("syntax.quotes", "print(\u201ca\u201d)\n"),
        ("syntax.strings", 'print("hello)\n'),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, text):
    assert heuristic in HEURISTICS
    assert judge(PYTHON, text).disposition == "repaired"
    off = AdaptConfig(budget_ms=60_000, without=(heuristic,))
    assert judge(PYTHON, text, off).disposition == "refused"


def test_a_program_is_repaired_in_three_rounds_at_most():
    assert judge(PYTHON, "f(1\ng(2\nh(3\n").disposition == "repaired"
    assert judge(PYTHON, "f(1\ng(2\nh(3\ni(4\n").disposition == "refused"


EVALUATED = check_for("python", "eval", "eval")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("`age > 3 and city == 'Oslo'`", "age > 3 and city == 'Oslo'"),
        ("return price * 2 + 1", "price * 2 + 1"),
        ("condition = age > 3", "age > 3"),
        ("if age > 3:", "age > 3"),
        ("if age > 3: pass\n", "age > 3"),
        ("age > 3;", "age > 3"),
        ("age > 3 AND NOT blocked", "age > 3 and not blocked"),
        ("age => 3 and city = 'Oslo'", "age >= 3 and city == 'Oslo'"),
        ("len(orders >= 2 or spent > 3", "len(orders) >= 2 or spent > 3"),
        ("city.startswith('O' and spent > 3", "city.startswith('O') and spent > 3"),
        ("Expression: age > 3", "age > 3"),
        ("```python\nage > 3\n```", "age > 3\n"),
        ("Here it is:\n\nage > 3 && city != 'Oslo'\n", "age > 3 and city != 'Oslo'\n"),
        ("price \\* 2 \\* weight", "price * 2 * weight"),
    ],
)
def test_expressions(broken, whole):
    assert repaired(EVALUATED, broken) == whole


@pytest.mark.parametrize(
    "text",
    [
        "city = 'Oslo'",  # an assignment to a column, or a comparison
        "not (age < 3",  # ``not (age) < 3``?
        "(row) => row.age > 3",
        "a * (b + c * d",
        "`Oslo` == city",
        "return",
        "It depends on the age.",
        "total = 3",
    ],
)
def test_expressions_are_refused_where_a_guess_would_be_needed(text):
    kept(EVALUATED, text, "refused")


@pytest.mark.parametrize(
    "text",
    [
        "sorted(x, reverse=True) and y",
        "AND + OR",
        "(price)",
        "  a >= 3",
        "'return `a`; => '",
        "f(a=3)",
    ],
)
def test_conforming_expressions_are_the_same_object(text):
    kept(EVALUATED, text, "conforming")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("sqlite> SELECT a\nFROM t;", "SELECT a\nFROM t;"),
        ("sqlite> SELECT a\n   ...> FROM t;", "SELECT a\n FROM t;".replace("\n ", "\n")),
        ("`SELECT a FROM t`", "SELECT a FROM t"),
        ("sql\nSELECT a FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t WHERE n = 'O\\'Neill'", "SELECT a FROM t WHERE n = 'O''Neill'"),
        ("SELECT a\\nFROM t\\nWHERE b = 1", "SELECT a\nFROM t\nWHERE b = 1"),
        (
            "SELECT COUNT(\\*) FROM t WHERE shop\\_id = 1",
            "SELECT COUNT(*) FROM t WHERE shop_id = 1",
        ),
        ("SELECT a FROM t WHERE a > 1 && b < 2", "SELECT a FROM t WHERE a > 1 AND b < 2"),
    ],
)
def test_what_models_write_around_and_into_sql(broken, whole):
    assert repaired(SQLITE, broken) == whole


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'sqlite> ', '\\n', '\\*' FROM t",
        "SELECT `a`, `b` FROM `t`",
        "SELECT 'a\\' AS b FROM t",
        "-- sqlite> \nSELECT a FROM t",
    ],
)
def test_what_looks_like_it_in_conforming_sql_stays(text):
    kept(SQLITE, text, "conforming")


def test_a_prompt_of_postgres_and_its_continuation():
    text = "shop=# SELECT a\nshop-# FROM t;"
    assert repaired(POSTGRES, text) == "SELECT a\nFROM t;"


@pytest.mark.parametrize("parser", ["ast.parse", "compile", "eval"])
def test_a_return_is_no_expression_for_any_parser(parser):
    check = check_for("python", "eval", parser)
    assert repaired(check, "return a + 1") == "a + 1"


def test_a_call_without_arguments_may_end_where_it_begins():
    kept(POSTGRES, "SELECT a FROM t WHERE b >= now( - INTERVAL '4 days'", "refused")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("`du -sh 'My Files'`", "du -sh 'My Files'"),
        ("cp -r “plan 3” archive", 'cp -r "plan 3" archive'),
        ("find . -name “*.txt”", 'find . -name "*.txt"'),
        ("$ cp -r “plan 3” archive", 'cp -r "plan 3" archive'),
        ("```bash\ngrep -rn “error code” logs\n```", 'grep -rn "error code" logs'),
        ("You can use this:\n\ncp -r plan archive", "cp -r plan archive"),
        ("cp -r plan archive\n\nIt takes a moment.", "cp -r plan archive\n"),
        (
            '$ git commit -m "Release 2: done"\n$ git push',
            'git commit -m "Release 2: done"\ngit push',
        ),
    ],
)
def test_what_parses_as_commands_and_is_none(broken, whole):
    assert repaired(SHELL, broken) == whole


@pytest.mark.parametrize(
    "text",
    [
        "echo “done”",
        "echo 'say “hello you”'",
        'grep -c "“a b”" notes',
        "echo `date`",
        "`which python` -m pip",
        "cat > note.txt <<EOF\nDear all,\n\nIt takes a moment.\nEOF",
        "# Copy the plan:\ncp -r plan archive",
        "cd src\n\nmake all",
    ],
)
def test_conforming_commands_are_the_same_object(text):
    kept(SHELL, text, "conforming")


@pytest.mark.parametrize("lost", ["!a<'", "!a#'"])
def test_a_sign_behind_a_missing_quote_is_no_operator(lost):
    broken = f"alpha = [0]\nif alpha:\n    alpha = alpha(0, {lost})\n"
    assert "not" not in judge(PYTHON, broken).text


def test_no_character_ends_the_process():
    """The scanner of the shell's grammar reads beyond a table at such characters, mostly where
    nothing is mapped: a crash would end the application. In a process of its own."""
    program = (
        "from knitbone.adaptation.repair.syntax.tree_parser import tree_fault_finder\n"
        "find = tree_fault_finder('shell')\n"
        "for code in range(0x80, 0x110000, 0x101):\n"
        "    if not 0xD800 <= code < 0xE000:\n"
        "        find('{' + chr(code))\n"
        "print(find('echo {\\u00e9}'), find('echo \\U0001f600 ('))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout == "None Fault(offset=7, message='not understood')\n"
