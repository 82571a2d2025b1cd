"""What the static analysis reads from applications as users write them."""
# ruff: noqa: E501 - sources of applications and answers of models as they are

import textwrap

import pytest

from knitbone.adaptation.testing import (
    PositionalTemplate,
    ScenarioRequirement,
    Unknown,
    analyse_files,
    describe,
)

CHAT = """
import re
from openai import OpenAI
client = OpenAI()
def ask(prompt):
    response = client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
    return response.choices[0].message.content
"""


@pytest.fixture
def analyse(tmp_path):
    def run(*sources, **files):
        for name, text in files.items():
            target = tmp_path / f"{name.replace('__', '/')}.py"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(textwrap.dedent(text))
        for number, text in enumerate(sources):
            (tmp_path / f"app{number}.py").write_text(textwrap.dedent(text))
        return analyse_files(sorted(tmp_path.rglob("*.py")))

    return run


def only_site(analysis):
    (site,) = analysis.sites
    return site


def found(site):
    return [(describe(r), getattr(r, "confidence", None)) for r in demanded(site)]


def demanded(site):
    """What the code demands, without what the scenario does."""
    return [r for r in site.requirements if not isinstance(r, ScenarioRequirement)]


NUMBERED = [('one record a line: <number> "." <text>', "high")]


@pytest.mark.parametrize(
    "consumer",
    [
        """
        def plan(goal):
            return re.findall(r"^\\d+\\.\\s+(.*)$", ask(goal), re.M)
        """,
        """
        def plan(goal):
            text = ask(goal).strip()
            tasks = re.findall(pattern=r"^\\d+\\.\\s+(.*)$", string=text, flags=re.MULTILINE | re.UNICODE)
            return [t for t in tasks]
        """,
        """
        PATTERN = re.compile(r"^\\s*(\\d+)\\.\\s+(.+)$")
        def parse(text):
            tasks = []
            for line in text.splitlines():
                m = PATTERN.match(line)
                if m:
                    tasks.append(m.group(2))
            return tasks
        def plan(goal):
            text = ask(goal)
            return parse(text)
        """,
        """
        def lines(text):
            return [line.strip() for line in text.strip().split("\\n") if line.strip()]
        def plan(goal):
            out = []
            for i, row in enumerate(lines(ask(goal))):
                if (m := re.match(r"(\\d+)\\. (.+)", row)) is not None:
                    out.append((i, m[2]))
            return out
        """,
        """
        class Agent:
            ROW = re.compile(r"^(\\d+)\\. (.+)$", re.M)
            def __init__(self):
                self.answer = None
            def think(self, goal):
                self.answer = ask(goal)
                return self._parse()
            def _parse(self):
                return [m.group(2) for m in self.ROW.finditer(self.answer)]
        """,
        """
        def plan(goal):
            rows = ask(goal).splitlines()
            matches = (re.match(r"^(\\d+)\\.\\s*(.+)$", r) for r in rows)
            return [m.group(2) for m in matches if m]
        """,
        """
        def plan(goal):
            result = ask(goal)
            tasks = []
            for row in result.split("\\n") if "\\n" in result else [result]:
                parts = row.strip().split(".", 1)
                if len(parts) == 2 and parts[0].strip().isdigit():
                    tasks.append(parts[1].strip())
            return tasks
        """,
        """
        def plan(goal):
            for row in ask(goal).splitlines():
                number, dot, name = row.partition(". ")
                if dot:
                    yield int(number), name
        """,
    ],
)  # fmt: skip
def test_a_numbered_list_is_read_from_the_code(analyse, consumer):
    site = only_site(analyse(textwrap.dedent(CHAT) + textwrap.dedent(consumer)))
    assert found(site) == NUMBERED
    assert site.expression.startswith("ask(goal)")
    assert site.origin == "client.chat.completions.create"
    assert site.requirements[0].evidence.file == site.file


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("OpenAI().chat.completions.create(model='m', messages=[])", "choices[0].message.content"),
        ("OpenAI().responses.create(model='m', input='x')", "output_text"),
        ("OpenAI().completions.create(model='m', prompt='x')", "choices[0].text"),
        ("openai.chat.completions.create(model='m', messages=[])", "choices[0].message.content"),
        ("Anthropic().messages.create(model='m', max_tokens=1, messages=[])", "content[0].text"),
        ("ChatOpenAI().invoke('x')", "content"),
    ],
)
def test_the_text_of_each_sdk_is_recognised(analyse, call, text):
    site = only_site(
        analyse(f"""
            import re, openai
            from openai import OpenAI
            from anthropic import Anthropic
            from langchain_openai import ChatOpenAI
            def plan():
                answer = {call}
                return re.findall(r"^\\d+\\.\\s+(.*)$", answer.{text}, re.M)
        """)
    )
    assert found(site) == NUMBERED
    assert site.expression == f"answer.{text}"
    assert site.confidence == "high"


def test_a_client_of_unknown_type_counts_by_the_shape_of_the_call_with_medium_confidence(analyse):
    site = only_site(
        analyse("""
            import re
            def plan(llm):
                r = llm.chat.completions.create(model="m", messages=[])
                return re.findall(r"^\\d+\\.\\s+(.*)$", r.choices[0].message.content, re.M)
        """)
    )
    assert site.confidence == "medium"
    assert found(site) == [(NUMBERED[0][0], "medium")]


def test_text_that_no_model_said_is_no_site(analyse):
    analysis = analyse("""
        import re
        def create(messages): return messages
        def plan(path, chat):
            text = open(path).read()
            chat.create("x")
            return re.findall(r"^\\d+\\.\\s+(.*)$", text + create(text), re.M)
    """)
    assert analysis.sites == ()


def test_a_marked_function_is_a_source_in_every_spelling(analyse):
    analysis = analyse("""
        import re
        import knitbone
        from knitbone import source, source as marked
        @knitbone.source
        def a(q): ...
        @source
        def b(q): ...
        @marked(name="search")
        async def c(q): ...
        d = knitbone.source(print)
        async def use(q):
            for text in (a(q),):
                re.findall(r"^\\d+\\. (.*)$", text, re.M)
            re.findall(r"^\\d+\\. (.*)$", b(q), re.M)
            re.findall(r"^\\d+\\. (.*)$", await c(q), re.M)
            re.findall(r"^\\d+\\. (.*)$", d(q), re.M)
    """)
    assert [site.expression for site in analysis.sites] == ["a(q)", "b(q)", "await c(q)", "d(q)"]


def test_an_answer_is_followed_into_other_files_of_the_package(analyse):
    analysis = analyse(
        pkg____init__="",
        pkg__llm=CHAT,
        pkg__parse='import re\nROW = re.compile(r"^(\\d+)\\. (.+)$")\ndef rows(text):\n'
        "    return [m.group(2) for l in text.splitlines() if (m := ROW.match(l))]\n",
        pkg__main="from . import parse\nfrom .llm import ask as question\n"
        "def plan(goal):\n    return parse.rows(question(goal))\n",
    )
    site = only_site(analysis)
    assert site.file.endswith("main.py")
    assert site.requirements[0].evidence.file.endswith("parse.py")
    assert found(site) == NUMBERED


def test_what_cannot_be_pinned_down_is_unknown_with_its_reason(analyse):
    site = only_site(
        analyse(
            CHAT
            + """
def use(goal, pattern):
    text = ask(goal)
    re.findall(pattern, text)
    re.findall(r"(\\w+\\s*)+:", text)
"""
        )
    )
    assert [r.reason for r in demanded(site) if isinstance(r, Unknown)] == [
        "the pattern is computed at run time",
        "a repeated group is not read yet",
    ]


@pytest.mark.parametrize(
    ("body", "fate"),
    [
        ("tasks.append(re.match(P, line).group(1))", "raises"),
        ("m = re.match(P, line)\n        if m: tasks.append(m.group(1))", "silent"),
        ("m = re.match(P, line)\n        if not m: continue\n        tasks.append(m[1])", "silent"),
        ("m = re.match(P, line)\n        if m is None: raise ValueError(line)", "raises"),
        ("m = re.match(P, line)\n        tasks.append(m.group(1))", "raises"),
    ],
)
def test_what_happens_to_a_line_that_does_not_fit(analyse, body, fate):
    code = f'P = r"(\\d+)\\. (.+)"\ndef plan(goal):\n    tasks = []\n    for line in ask(goal).splitlines():\n        {body}\n'
    site = only_site(analyse(CHAT + code))
    assert [r.on_violation for r in demanded(site)] == [fate]


def test_answers_that_nobody_reads_and_entries_without_sites_are_listed(analyse):
    analysis = analyse(CHAT + "import knitbone\n@knitbone.adapt\ndef chat(q):\n    print(ask(q))\n")
    (site,) = analysis.sites
    assert site.origin == "client.chat.completions.create"
    assert found(site) == []
    assert [(entry.function, entry.sites) for entry in analysis.entries] == [("chat", 0)]


def test_a_broken_file_is_reported_and_does_not_stop_the_others(analyse):
    analysis = analyse(
        CHAT + 'def plan(g):\n    return re.findall(r"^\\d+\\. (.*)$", ask(g), re.M)\n',
        "def broken(:\n",
        "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace") + "x = (" + "(" * 500,
    )
    assert len(analysis.sites) == 1
    assert len(analysis.errors) == 2
    assert "line 1" in analysis.errors[0][1]


def test_recursion_and_cycles_end(analyse):
    analysis = analyse(
        CHAT
        + """
X = Y
Y = X
class A(B): pass
class B(A):
    def go(self): return self.go() + self.other()
    def other(self): return self.go()
def even(text): return odd(ask(text))
def odd(text): return even(text) or re.findall(r"^\\d+\\. (.*)$", text, re.M)
f = lambda x: f(x)
f(f)
"""
    )
    assert any(
        isinstance(r, PositionalTemplate) for site in analysis.sites for r in site.requirements
    )
    assert analysis.complete


SHARED_HELPER = (
    CHAT
    + """
import json
def plan(text):
    return json.loads(ask(text))["title"]
def chat(text):
    first = ask(text)
    return [first, ask("more")]
"""
)


def test_a_caller_that_demands_nothing_is_a_site_beside_one_that_demands_json(analyse):
    sites = analyse(SHARED_HELPER).sites
    assert [(site.function, site.expression, bool(demanded(site))) for site in sites] == [
        ("plan", "ask(text)", True),
        ("chat", "ask(text)", False),
        ("chat", 'ask("more")', False),
    ]
    assert all(any(isinstance(r, ScenarioRequirement) for r in s.requirements) for s in sites[1:])


def test_what_nobody_reads_further_on_is_a_site_where_that_begins(analyse):
    source = SHARED_HELPER + "def outer(text):\n    print(chat(text))\n"
    assert [site.function for site in analyse(source).sites] == ["plan", "chat", "chat"]


def test_what_is_read_further_on_is_no_site_before(analyse):
    source = (
        SHARED_HELPER.replace('return [first, ask("more")]', "return first")
        + "def outer(text):\n    return json.loads(chat(text))['a']\n"
    )
    functions = [(s.function, bool(demanded(s))) for s in analyse(source).sites]
    assert functions == [("plan", True), ("outer", True)]


def test_what_was_read_on_its_way_is_no_site_again(analyse):
    source = (
        CHAT.replace("    return response", "    answer = response").replace(
            "message.content\n", "message.content\n    json.loads(answer)\n    return answer\n"
        )
        + "import json\ndef chat(text):\n    return ask(text)\n"
    )
    assert [site.function for site in analyse(source).sites] == ["ask"]


def test_an_output_that_nobody_reads_is_one_site_where_it_arrives(analyse):
    source = CHAT + "def chat(text):\n    return ask(text)\ndef more(text):\n    return ask(text)\n"
    assert [site.function for site in analyse(source).sites] == ["ask"]
