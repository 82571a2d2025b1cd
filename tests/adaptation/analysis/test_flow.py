"""What happens to an output is followed through the application: the trees of operations."""
# ruff: noqa: E501 - sources of applications as they are

import textwrap

import pytest

from knitbone.adaptation.testing import Shape, uses_of

HEADER = """
import asyncio, functools, json, re
from openai import OpenAI, AsyncOpenAI
client = OpenAI()
aclient = AsyncOpenAI()

def ask(prompt):
    reply = client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
    return reply.choices[0].message.content

async def aask(prompt):
    reply = await aclient.chat.completions.create(model="m", messages=[])
    return reply.choices[0].message.content

"""


@pytest.fixture
def trees(tmp_path):
    def run(source, **files):
        for name, text in files.items():
            target = tmp_path / f"{name.replace('__', '/')}.py"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(textwrap.dedent(text))
        (tmp_path / "app.py").write_text(HEADER + textwrap.dedent(source))
        found = []
        for where, several in uses_of(sorted(tmp_path.rglob("*.py"))):
            found.extend((int(where.rpartition(":")[2]), tree) for tree in several)
        return [tree for _, tree in sorted(found, key=lambda each: each[0])]

    return run


def paths(tree, before=()):
    """Every way from the root to a leaf, as written below."""
    shown = tree.operation.name
    constants = [a for a in tree.operation.arguments if isinstance(a, str | int | tuple)]
    if constants and shown != "source":
        shown += f"({', '.join(map(repr, constants))})"
    here = (*before, shown) if shown != "source" else before
    if not tree.uses:
        return [" ".join(here)]
    return [path for use in tree.uses for path in paths(use, here)]


def ways(found):
    return [path for tree in found for path in paths(tree) if path]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    return json.loads(ask('x'))['a']['b']", "json.loads getitem('a') getitem('b')"),
        ("def f():\n    t = ask('x').strip()\n    return t.split(',')[0]", ".strip .split(',') getitem(0)"),
        ("def f():\n    a, b = ask('x').split(':')\n    return int(b)", ".split(':') unpack(1, 2) int"),
        ("def f():\n    return [int(n) for n in ask('x').splitlines()]", ".splitlines iterate int"),
        ("def f():\n    for i, line in enumerate(ask('x').splitlines()):\n        line.partition('=')", ".splitlines iterate .partition('=')"),
        ("def f():\n    return max(map(int, ask('x').split()))", ".split iterate int"),
        (
            "from functools import reduce\ndef g(found, line):\n    found.append(line.strip())\n"
            "    return found\ndef f():\n    return reduce(g, ask('x').split(), [])",
            ".split iterate .strip",
        ),
        ("def f():\n    return json.loads('[' + ask('x') + ']')", "concat('[', '') concat('', ']') json.loads"),
        ("def f():\n    t = ask('x')\n    return 'yes' in t.lower()", ".lower contains('yes')"),
        ("def f():\n    return ask('x').strip() in ('a', 'b')", ".strip in(('a', 'b'))"),
        ("def f():\n    match ask('x'):\n        case 'up': return 1\n        case 'down': return 2", "in(('up', 'down'))"),
        ("P = re.compile(r'(\\d+)', re.M)\ndef f():\n    return P.findall(ask('x'))", "re.findall('(\\\\d+)', 8)"),
        ("def f():\n    if (m := re.search('a(.)', ask('x'))):\n        return m.group(1)", "re.search('a(.)', 0) .group(1)"),
        ("class A:\n    def go(self):\n        self.t = ask('x')\n    def read(self):\n        return json.loads(self.t)", "json.loads"),
        ("def f():\n    d = {'t': ask('x'), 'n': 1}\n    return json.loads(d['t'])", "json.loads"),
        ("def f():\n    ts = []\n    ts.append(ask('x'))\n    return [json.loads(t) for t in ts]", "json.loads"),
        ("def read(*, text):\n    return json.loads(text)\ndef f():\n    return read(**{'text': ask('x')})", "json.loads"),
        ("def f():\n    read = lambda t: json.loads(t)\n    return read(ask('x'))", "json.loads"),
        ("def read(n, t):\n    return json.loads(t)\ndef f():\n    return functools.partial(read, 1)(ask('x'))", "json.loads"),
        ("def f(pool):\n    return json.loads(pool.submit(ask, 'x').result())", "json.loads"),
        ("async def f():\n    t = await asyncio.to_thread(ask, 'x')\n    return json.loads(t)", "json.loads"),
        ("async def f():\n    for t in await asyncio.gather(*[aask(p) for p in 'ab']):\n        json.loads(t)", "json.loads"),
        ("async def f():\n    a, b = await asyncio.gather(aask('x'), aask('y'))\n    return json.loads(b)", "json.loads"),
        ("def g():\n    yield ask('x')\ndef f():\n    for t in g():\n        json.loads(t)", "json.loads"),
        ("import sqlite3\ndef f():\n    c = sqlite3.connect('d').cursor()\n    c.execute(ask('x'))", "sqlite3.connect().cursor().execute"),
        ("import subprocess\ndef f():\n    subprocess.run(['python', '-c', ask('x')])", "listed(2, "),
        ("def f(rows):\n    return rows[int(ask('x'))]", "int index"),
    ],
)  # fmt: skip
def test_an_output_is_followed(trees, source, expected):
    found = ways(trees(source))
    assert any(path.startswith(expected) or path == expected for path in found), found


def test_decorators_of_the_application_are_part_of_the_way(trees):
    found = trees("""
        def parsed(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return json.loads(function(*args, **kwargs))
            return wrapper

        @parsed
        def answer(prompt):
            return ask(prompt)

        def f():
            return answer("x")["total"]
    """)
    assert any("json.loads getitem('total')" in path for path in ways(found))


def test_another_class_of_the_same_name_is_no_source(trees):
    found = trees("""
        from shop import OpenAI as Own
        own = Own()
        def f():
            return json.loads(own.completions.list(model="m").choices[0].message.content)
    """)
    assert ways(found) == []


def test_values_go_through_files_and_imports(trees):
    found = trees(
        "from pkg.reading import read\ndef f():\n    return read(ask('x'))",
        pkg____init__="",
        pkg__reading="import json\nfrom .deep import inner\ndef read(t):\n    return inner(json.loads(t))",
        pkg__deep="def inner(data):\n    return data['a']",
    )
    assert "json.loads getitem('a')" in ways(found)


def test_each_caller_decides_what_an_output_must_look_like(trees):
    found = trees("""
        def a():
            return json.loads(ask("x"))["a"]
        def b():
            return ask("x").split(",")
    """)
    assert sorted(ways([tree]) for tree in found if ways([tree])) == [
        [".split(',')"],
        ["json.loads getitem('a')"],
    ]


def test_what_a_function_has_taken_apart_is_read_caller_by_caller(trees):
    found = trees("""
        def data(prompt):
            return json.loads(ask(prompt))
        def a():
            return data("x")["a"]
        def b():
            return data("x")["b"]
    """)
    assert sorted(way for way in ways(found)) == [
        "json.loads getitem('a')",
        "json.loads getitem('b')",
    ]


def test_parsers_that_are_tried_in_turn_are_alternatives_and_handlers_are_not_the_way(trees):
    (tree,) = [
        tree
        for tree in trees("""
            def f():
                text = ask("x")
                try:
                    return json.loads(text)
                except ValueError:
                    return re.findall("a", text)
            """)
        if ways([tree])
    ]
    assert {use.operation.name: use.branch for use in tree.uses} == {
        "json.loads": "core",
        "re.findall": "core",
    }
    assert len({use.alternative for use in tree.uses}) == 1
    assert tree.uses[0].alternative
    (tree,) = [
        tree
        for tree in trees("""
            def f():
                text = ask("x")
                try:
                    value = other()
                except ValueError:
                    value = text.split(",")
            """)
        if ways([tree])
    ]
    assert [use.branch for use in tree.uses] == ["handler"]


def test_pieces_of_a_stream_are_the_output_once_they_are_joined(trees):
    found = trees("""
        def f():
            text = ""
            for chunk in client.chat.completions.create(model="m", messages=[], stream=True):
                text += chunk.choices[0].delta.content or ""
            return json.loads(text)["a"]
    """)
    assert "json.loads getitem('a')" in ways(found)


def test_the_state_of_a_graph_carries_outputs_from_node_to_node(trees):
    found = trees("""
        from langgraph.graph import StateGraph
        def draft(state):
            return {"text": ask("x")}
        def read(state):
            return {"data": json.loads(state["text"])["a"]}
        builder = StateGraph(dict)
        builder.add_node("draft", draft)
        builder.add_node("read", read)
    """)
    assert "json.loads getitem('a')" in ways(found)


def test_a_chain_gives_its_model_s_output_to_its_parser_and_what_follows(trees):
    found = trees("""
        from langchain_core.output_parsers import JsonOutputParser
        from langchain_core.prompts import ChatPromptTemplate
        from langchain_openai import ChatOpenAI
        def f():
            chain = ChatPromptTemplate.from_template("{q}") | ChatOpenAI() | JsonOutputParser()
            return chain.invoke({"q": 1})["a"]
    """)
    (way,) = ways(found)
    assert way == "langchain_core.output_parsers.JsonOutputParser().parse getitem('a')"


def test_declared_classes_say_what_an_output_must_look_like(trees):
    found = trees("""
        from typing import Literal, Optional, TypedDict
        from pydantic import BaseModel, Field
        class Line(BaseModel):
            sku: str
            qty: int = Field(ge=1)
            note: Optional[str] = None
            kind: Literal["a", "b"] = "a"
        class Order(BaseModel):
            lines: list[Line]
        def f():
            return Order.model_validate_json(ask("x"))
    """)
    (tree,) = [tree for tree in found if ways([tree])]
    operation = tree.uses[0].operation
    assert operation.name == "pydantic.BaseModel.model_validate_json"
    (shape,) = [value for _, value in operation.settings if isinstance(value, Shape)]
    (lines,) = shape.fields
    assert lines.shape.type == "array"
    assert [(f.name, f.shape.type, f.required, f.shape.nullable) for f in lines.shape.items.fields] == [
        ("sku", "string", True, False),
        ("qty", "integer", True, False),
        ("note", "string", False, True),
        ("kind", "string", False, False),
    ]  # fmt: skip


def test_a_file_that_calls_itself_in_many_ways_comes_to_an_end(trees):
    calls = "\n".join(f"    out.append(g(ask('p{n}'), 'option {n}', {n}))" for n in range(400))
    found = trees(
        f"def g(text, name, number):\n    return json.loads(text)[name]\ndef f():\n    out = []\n{calls}\n"
    )
    assert len(found) > 100


def test_super_is_the_class_above_and_no_other(trees):
    found = trees("""
        class Base:
            def tell(self, prompt):
                return ask(prompt)
        class Loud(Base):
            def tell(self, prompt):
                return super().tell(prompt).upper()
        class Other:
            def tell(self, prompt):
                return "nothing"
        def f():
            return json.loads(Loud().tell("x"))["a"]
    """)
    assert ".upper json.loads getitem('a')" in ways(found)


@pytest.mark.parametrize(
    ("call", "fate"),
    [
        ("os.system({})", "unknown"),
        ("subprocess.run({}, shell=True)", "unknown"),
        ("subprocess.run({}, shell=True, check=True)", "raises"),
        ("subprocess.check_output({}, shell=True)", "raises"),
        ("exec({})", "raises"),
    ],
)
def test_a_command_that_fails_is_an_error_only_where_it_is_checked(trees, call, fate):
    found = trees(f"import os, subprocess\ndef f():\n    {call.format('ask(1)')}\n")
    (use,) = [use for tree in found for use in tree.uses]
    assert use.on_violation == fate


BLOCKS = """
import json
from anthropic import Anthropic
claude = Anthropic()

def run(questions, title):
    message = claude.messages.create(model="m", max_tokens=9, messages=[])
"""


@pytest.mark.parametrize(
    "body",
    [
        'return json.loads("".join(b.text for b in message.content if b.type == "text"))',
        'return json.loads("\\n".join([b.text for b in message.content]))',
        'texts = [b.text for b in message.content]\n    return json.loads("\\n".join(texts))',
        "parts = []\n    for b in message.content:\n        parts.append(b.text)\n"
        '    return json.loads("".join(parts))',
    ],
)
def test_the_joined_blocks_of_a_message_are_its_text(trees, body):
    assert "json.loads" in ways(trees(BLOCKS + f"    {body}\n"))


@pytest.mark.parametrize(
    "body",
    [
        'return json.loads("\\n".join(ask(q) for q in questions))',
        'return json.loads("\\n".join(["title", message.content[0].text]))',
        'texts = ["title"]\n    for b in message.content:\n        texts.append(b.text)\n'
        '    return json.loads("\\n".join(texts))',
    ],
)
def test_what_is_joined_with_anything_else_is_no_longer_the_text(trees, body):
    assert "json.loads" not in ways(trees(BLOCKS + f"    {body}\n"))


PLACED = {
    "comprehension": "a, b, c = [cell.strip() for cell in line.split('|')]",
    "generator": "a, b, c = (cell.strip() for cell in line.split('|'))",
    "map": "a, b, c = map(str.strip, line.split('|'))",
    "named": "cells = [cell.strip() for cell in line.split('|')]; a, b, c = cells",
    "listed": "a, b, c = list(map(str.strip, line.split('|')))",
}


@pytest.mark.parametrize("name", PLACED)
def test_an_item_of_a_list_made_of_another_is_made_of_the_item_there(trees, name):
    source = f"""
        def run(q):
            for line in ask(q).splitlines():
                {PLACED[name]}
                float(b)
        """
    found = [way for way in ways(trees(source)) if way.endswith("float")]
    assert found == [".splitlines iterate .split('|') unpack(1, 3) .strip float"]


def test_an_item_is_taken_by_its_number(trees):
    source = """
        def run(q):
            cells = [cell.strip() for cell in ask(q).split(";")]
            return int(cells[1])
        """
    assert ".split(';') getitem(1) .strip int" in ways(trees(source))


def test_of_a_list_with_some_items_left_out_no_place_is_known(trees):
    source = """
        def run(q):
            cells = [cell.strip() for cell in ask(q).split(";") if cell]
            return int(cells[1])
        """
    assert ".split(';') iterate .strip int" in ways(trees(source))


KEYED = {
    "comprehension": "fields = {k.strip(): v for k, v in (l.split(':') for l in ask(q).splitlines())}",
    "pairs": "fields = dict(re.findall(r'(\\w+): (.*)', ask(q)))",
    "matches": "fields = {m[1]: m.group(2) for m in re.finditer(r'(\\w+): (.*)', ask(q))}",
    "generator": "fields = dict(line.split(': ', 1) for line in ask(q).splitlines())",
    "loop": """
            fields = {}
            for line in ask(q).splitlines():
                key, _, value = line.partition(":")
                fields[key.lower()] = value""",
}


@pytest.mark.parametrize("name", KEYED)
def test_a_key_of_a_dictionary_is_asked_of_the_part_that_the_keys_are(trees, name):
    source = f"""
        def run(q):
            {KEYED[name]}
            return int(fields["score"]), fields.get("note", "")
        """
    found = ways(trees(source))
    assert sum("key('score', True)" in way for way in found) == 1
    assert sum("key('note', False)" in way for way in found) == 1
    assert next(way for way in found if way.endswith("int")).endswith("field('score') int")


def test_a_class_filled_from_a_dictionary_asks_for_its_fields(trees):
    source = """
        import pydantic

        class Card(pydantic.BaseModel):
            name: str
            age: int
            note: str = ""

        def run(q):
            fields = dict(line.split(": ", 1) for line in ask(q).splitlines())
            return Card(**fields)
        """
    found = " / ".join(ways(trees(source)))
    assert "key('name', True)" in found
    assert "key('note', False)" in found
    assert "field('age') int" in found


def test_what_one_key_holds_is_not_asked_of_another(trees):
    source = """
        TABLE = {"low": 1, "high": 2}

        def run(q):
            fields = dict(re.findall(r"(\\w+): (.*)", ask(q)))
            return fields["title"], TABLE[fields["level"]]
        """
    found = [way for way in ways(trees(source)) if "index" in way]
    assert len(found) == 1
    assert "field('level') index" in found[0]


@pytest.mark.parametrize(
    "part", ["Parser()", "RunnableLambda(Parser())", "RunnableLambda(Parser().read)"]
)
def test_an_object_that_is_called_is_a_part_of_a_chain_like_a_function(trees, part):
    source = f"""
        from langchain_core.prompts import ChatPromptTemplate
        from langchain_core.runnables import RunnableLambda

        class Parser:
            def read(self, text):
                return {{"final": text.split("Answer:")[1]}}

            def __call__(self, text):
                return self.read(text)

        def model(prompt):
            return ask(prompt.to_string())

        chain = ChatPromptTemplate.from_template("x") | RunnableLambda(model) | {part}

        def run(q):
            step = chain.invoke({{"q": q}})
            return step["final"] if "final" in step else None
        """
    found = ways(trees(source))
    assert any(way.startswith(".split('Answer:') getitem(1)") for way in found)
    assert not any(way.startswith("contains") for way in found)


@pytest.mark.parametrize(
    ("loop", "idiom"),
    [
        ("for line in lines: int(line)", None),
        ("for line in lines:\n        if not line: continue\n        int(line)", None),
        ("for line in lines[1:]: int(line)", "slice"),
        ("for line in lines: int(line[2:])", "slice"),  # may as well be of the lines
        ("lines.pop(0)\n    for line in lines: int(line)", "taken"),
        ("del lines[0]\n    for line in lines: int(line)", "taken"),
        ("head, *rest = lines\n    for line in rest: int(line)", "taken"),
        ("for n, line in enumerate(lines):\n        if n: int(line)", "counted"),
        (
            "seen = False\n    for line in lines:\n        if seen: int(line)\n        seen = True",
            "counted",
        ),
    ],
)
def test_how_a_function_may_pass_over_lines_by_their_place(trees, loop, idiom):
    found = trees(f"def f():\n    lines = ask(1).splitlines()\n    {loop}\n")
    (use,) = [use for tree in found for use in tree.uses]
    assert use.operation.setting("passing_over") == idiom
