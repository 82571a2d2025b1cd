"""Hostile and huge answers through the whole engine, for requirements of every kind read from code.

Whatever comes: the application gets its own object back, or a verified repair that a second pass
leaves alone; nothing of ours fails, and what became of the answer is counted. Time is not measured
here (``benchmarks`` do that): growth is, in the steps that the interpreter takes.
"""

import gc
import itertools
import logging
import re
import sys
import weakref

import pytest

from knitbone import Session, session
from knitbone.adaptation.repair.engine import MAX_TEXT
from knitbone.adaptation.runtime.streamed_answer import StreamedAnswer
from knitbone.adaptation.runtime.values.streams import wrap_stream
from knitbone.adaptation.testing import CheckPlan, Invocation, Summary, adapt_value, analyse_files
from knitbone.config import AdaptConfig

CODE = """
import ast, csv, io, json, re, sqlite3, subprocess
import xml.etree.ElementTree as ET
import sqlglot, yaml
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from openai import OpenAI

client = OpenAI()

def ask(prompt):
    messages = [{"role": "user", "content": prompt}]
    return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

def numbered(goal):
    return re.findall(r"^\\d+\\. (.*)$", ask(goal), re.M)

def labels(review):
    text = ask(review)
    score = int(re.search(r"Score: (\\d+)", text).group(1))
    return re.search(r"Label: (\\w+)", text).group(1), score

def react(task):
    found = re.search(r"Thought: (.*)\\nAction: (.*)\\nAction Input: (.*)", ask(task))
    return found.groups()

def bars(notes):
    rows = []
    for line in ask(notes).strip().split("\\n"):
        name, city, budget = line.split("|")
        rows.append((name, city, int(budget)))
    return rows

def yes(question):
    answer = ask(question).strip().lower()
    if answer not in ("yes", "no"):
        raise ValueError(answer)
    return answer == "yes"

def order(mail):
    data = json.loads(ask(mail))
    return data["customer"], int(data["quantity"]), [item["name"] for item in data["items"]]

def in_prose(mail):
    data = json.loads(re.search(r"\\{.*\\}", ask(mail), re.S).group(0))
    return data["name"], data["age"]

def lines(newsletter):
    return [json.loads(line)["day"] for line in ask(newsletter).splitlines() if line.strip()]

def rows(shop):
    return [(r["name"], float(r["price"])) for r in csv.DictReader(io.StringIO(ask(shop)))]

def verdict(question):
    root = ET.fromstring(ask(question))
    return root.find("verdict").text, root.find("reason").text

def settings(question):
    data = yaml.safe_load(ask(question))
    return data["name"], int(data["port"]), list(data["hosts"])

def literal(question):
    data = ast.literal_eval(ask(question))
    return data["a"], data["b"]

def fenced(task):
    block = re.search(r"```python\\n(.*?)```", ask(task), re.S).group(1)
    scope = {}
    exec(block, scope)
    return scope

def program(task):
    scope = {}
    exec(ask(task), scope)
    return scope

def query(question, cursor: sqlite3.Cursor):
    return cursor.execute(ask(question)).fetchall()

def statement(question):
    return sqlglot.parse_one(ask(question), read="postgres")

def command(question):
    return subprocess.run(ask(question), shell=True)

def pattern(question):
    return re.compile(ask(question))

def shown(question):
    reply = client.chat.completions.create(model="m", messages=[question])
    print(reply.choices[0].message.content)

def chunks(text):
    cutter = RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=20)
    return [ask(chunk) for chunk in cutter.split_text(text)]

def found(question, store: InMemoryVectorStore):
    documents = store.similarity_search(question, k=5)
    return ask("\\n".join(document.page_content for document in documents))
"""
CONFORMING = {
    "numbered": "1. Find a room\n2. Buy 3 tables\n3. Ask Ann",
    "labels": "Label: positive\nScore: 80",
    "react": "Thought: I need the price.\nAction: search\nAction Input: price of bolts",
    "bars": "Ann|Graz|500\nBob|Porto|1500",
    "yes": "yes",
    "order": '{"customer": "Bob", "quantity": 3, "items": [{"name": "lamp"}]}',
    "in_prose": 'Here: {"name": "a", "age": 3}',
    "lines": '{"day": "a"}\n{"day": "b"}',
    "rows": "name,price\nbolt,0.25\nnut,0.1\n",
    "verdict": "<answer><verdict>no</verdict><reason>It is closed.</reason></answer>",
    "settings": "name: web\nport: 80\nhosts:\n  - a\n  - b\n",
    "literal": "{'a': 1, 'b': [1, 2]}",
    "fenced": "Sure:\n```python\ndef area(a, b):\n    return a * b\n```\nDone.",
    "program": "def area(a, b):\n    return a * b\n",
    "query": "SELECT name FROM users WHERE age > 30 ORDER BY name;",
    "statement": "SELECT name FROM users WHERE age > 30 ORDER BY name",
    "command": "ls -l | grep foo",
    "pattern": r"^\d+$",
    "shown": "The museum opens at 9. Entry costs 5 euros, and children pay nothing.",
}
N = 200_000
SIZES = (N, 60_000, 15_000)
"""On either side of the bounds that most checks have."""
SENTENCES = " ".join(f"The museum on street {n} opens at {n % 12}." for n in range(N // 40))
BOMB = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
ALIASES = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))
HOSTILE = {
    "letters": "a" * N,
    "blanks": " " * N,
    "line breaks": "\n" * N,
    "no characters": "\x00" * N,
    "lone surrogates": "\ud800" * N,
    "right to left": "\u202ea" * (N // 2),
    "combining": "e\u0301\u0301" * (N // 3),
    "digits of others": "\u0663" * N,
    "quotes": '"' * N,
    "backslashes": "\\" * N,
    "parentheses": "(" * N,
    "square brackets": "[" * N,
    "braces": "{" * N,
    "brackets in brackets": "[" * (N // 2) + "]" * (N // 2),
    "objects in objects": '{"a":' * (N // 6) + "1" + "}" * (N // 6),
    "elements in elements": "<a>" * (N // 7) + "</a>" * (N // 7),
    "elements": "<a>" * (N // 3),
    "document types": "<!DOCTYPE " * (N // 10),
    "entities": f"<!DOCTYPE a [<!ENTITY a0 'ha'>{BOMB}]><answer>&a11;</answer>",
    "aliases": f"a0: &a0 [x]\n{ALIASES}\nname: *a11\nport: 80\nhosts: []",
    "comments": "<!--" * (N // 4),
    "fences": "```\n" * (N // 4),
    "fences of code": "```python\n" * (N // 10),
    "a thought": "<think>" + SENTENCES,
    "thoughts": "<think>a</think>" * (N // 16),
    "objects in prose": "".join(
        f"see {{'name': x{n}}} or {{\"age\": {n}, " for n in range(N // 40)
    ),
    "items": "".join(f"{n}. Buy {n} chairs\n" for n in range(1, N // 20)),
    "drifted items": "".join(f"{n}) Buy {n} chairs\n" for n in range(1, N // 20)),
    "numbers": "1. " * (N // 3),
    "labels": "Label: " * (N // 7),
    "thoughts of an agent": "Thought: x\nAction: y\n" * (N // 21),
    "cells": '"a\n' * (N // 3),
    "bars": "a | b; c|5\n" * (N // 11),
    "indentation": "".join(" " * n + "if x:\n" for n in range(600)),
    "functions": "lambda:0\n" * (N // 9),
    "escaped quotes": '\\"' * (N // 2),
    "subscripts": "[a]\n" * (N // 4),
    "a key that is none": 'SELECT {"a": 1, : 0}',
    "statements": "a,b\n" * (N // 4),
    "sums": "x = " + "1+" * (N // 2) + "1",
    "conditions": "SELECT a FROM b WHERE " + "a = 1 OR " * (N // 9),
    "queries": "SELECT (" * (N // 8),
    "repetition in repetition": "(a+)+" * (N // 5),
    "sentences": SENTENCES,
    "one sentence": "The museum opens at nine. " * (N // 26),
    "full stops": "Hi! " * (N // 4),
    "another language": "\u0627\u0644\u0645\u062a\u062d\u0641 \u064a\u0641\u062a\u062d "
    * (N // 13),
}
# What each kind finds hardest; every input meets a kind that reads it and one that does not.
OWN = {
    "numbered": ["items", "drifted items", "numbers", "line breaks", "letters"],
    "labels": ["labels", "sentences", "a thought"],
    "react": ["thoughts of an agent", "labels", "no characters"],
    "bars": ["bars", "cells", "line breaks"],
    "yes": ["letters", "combining", "thoughts"],
    "order": ["brackets in brackets", "objects in objects", "escaped quotes", "backslashes"],
    "in_prose": ["braces", "objects in prose", "lone surrogates"],
    "lines": ["objects in prose", "square brackets", "fences", "quotes"],
    "rows": ["cells", "quotes", "line breaks"],
    "verdict": ["entities", "document types", "elements", "elements in elements", "comments"],
    "settings": ["aliases", "brackets in brackets", "indentation"],
    "literal": ["parentheses", "statements", "brackets in brackets", "escaped quotes"],
    "fenced": ["fences of code", "statements", "fences", "functions"],
    "program": ["functions", "statements", "sums", "indentation", "parentheses"],
    "query": ["conditions", "queries", "digits of others"],
    "statement": ["conditions", "queries", "subscripts", "a key that is none"],
    "command": ["parentheses", "quotes", "no characters"],
    "pattern": ["repetition in repetition", "square brackets"],
    "shown": ["one sentence", "full stops", "another language", "right to left", "blanks", "items"],
}
LISTS = {
    "letters": ["a" * 200] * 500,
    "blanks": [" " * 200, ""] * 500,
    "characters": list(SENTENCES[:20_000]),
    "surrogates": ["\ud83d" + "\u0301" * 199] * 200,
    "sentences cut": [SENTENCES[at : at + 200] for at in range(0, N // 4, 190)],
    "very many": ["The museum opens at nine. "] * 20_000,
    "one that is huge": [SENTENCES * 5, "a", ""],
    "one text, many times": [SENTENCES[:200]] * 3_000,
}


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    path = tmp_path_factory.mktemp("app") / "app.py"
    path.write_text(CODE, encoding="utf-8")
    source = CODE.splitlines()
    found = {}
    for site in analyse_files([path]).sites:
        name = next(
            match[1]
            for line in range(site.line - 1, -1, -1)
            if (match := re.match(r"def (\w+)", source[line]))
        )
        if name in CONFORMING or site.kind in ("splitter", "retriever"):
            found[name] = (site, CheckPlan(site, AdaptConfig(scenario=("all",))))
    assert set(found) == {*CONFORMING, "chunks", "found"}
    return found


def adapted(plan, value, invocation=None, **settings):
    """The value that the application gets, and the counts of its site."""
    result, counts, _ = observed(plan, value, invocation, **settings)
    return result, counts


def observed(plan, value, invocation=None, **settings):
    """The same, and what is reported of it."""
    summary = Summary()
    begun = invocation or Invocation(AdaptConfig(**settings))
    result = adapt_value(value, *plan, summary, lambda _: begun)
    (counts,) = summary.snapshot()
    return result, counts, summary.adaptations


def check_contract(plan, value, caplog):
    with caplog.at_level(logging.ERROR):
        result, counts, reported = observed(plan, value)
        again, _ = adapted(plan, result)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert (counts.answers, counts.failed, counts.unknown) == (1, 0, 0)
    assert (result is value) == (counts.repaired == 0)
    assert counts.conforming or counts.reasons or counts.rules
    # What ran out of time the first time, on a busy machine, may be done the second.
    assert again is result or any(event.action == "unread" for event in reported)


@pytest.mark.parametrize(
    ("kind", "text"),
    [pytest.param(kind, text, id=f"{kind}-{text}") for kind in OWN for text in OWN[kind]],
)
def test_a_hostile_answer_is_passed_on_or_repaired(plans, kind, text, caplog):
    for size in SIZES:
        check_contract(plans[kind], HOSTILE[text][:size], caplog)


@pytest.mark.parametrize("kind", CONFORMING)
def test_a_conforming_answer_in_the_middle_of_something_huge(plans, kind, caplog):
    own = CONFORMING[kind]
    half = len(own) // 2
    check_contract(plans[kind], f"{HOSTILE['quotes']}\n{own}", caplog)
    check_contract(plans[kind], f"{own}\n\n{SENTENCES}", caplog)
    check_contract(plans[kind], own[:half] + HOSTILE["letters"] + own[half:], caplog)


@pytest.mark.parametrize("kind", ["chunks", "found"])
@pytest.mark.parametrize("name", LISTS)
def test_a_hostile_list_is_passed_on_or_repaired(plans, kind, name, caplog):
    with caplog.at_level(logging.ERROR):
        result, counts = adapted(plans[kind], LISTS[name])
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert counts.answers == 1
    assert counts.failed == 0
    assert (result is LISTS[name]) == (counts.repaired == 0)


@pytest.mark.parametrize("kind", ["order", "numbered", "shown"])
def test_an_answer_beyond_every_bound_is_recorded_and_violates_nothing(plans, kind):
    text = "x" * (MAX_TEXT + 1)
    result, counts = adapted(plans[kind], text, mode="strict")
    assert result is text
    assert counts.unread == 1
    assert f"the bound is {MAX_TEXT}" in str(counts.reasons)


def test_running_out_of_time_is_no_violation(plans):
    ticks = iter(range(10**9))
    spent = Invocation(AdaptConfig(mode="strict", budget_ms=0), clock=lambda: float(next(ticks)))
    text = "1) a\n2) b\n3) c"
    result, counts = adapted(plans["numbered"], text, spent)
    assert result is text
    assert "time budget" in str(counts.reasons)


LAMPS = ", ".join('{"name": "lamp"}' for _ in range(20_000))
LONG = {
    "order": f'{{"customer": "Bob", "quantity": 3, "items": [{LAMPS}]}}',
    "numbered": "\n".join(f"{n}. Buy {n} chairs" for n in range(1, 10_001)),
    "rows": "name,price\n" + "".join(f"bolt {n},{n}.5\n" for n in range(10_000)),
    "verdict": f"<answer><verdict>no</verdict><reason>{SENTENCES}</reason></answer>",
    "program": "".join(f"def f{n}(a):\n    return a + {n}\n" for n in range(1_500)),
}


@pytest.mark.parametrize("kind", LONG)
def test_a_long_conforming_answer_is_not_refused_by_its_reader(plans, kind):
    _, plan = plans[kind]
    # A stopped clock: how fast the machine is does not matter here.
    invocation = Invocation(AdaptConfig(), clock=lambda: 0.0)
    for group in plan.groups:
        for rule in group.rules:
            if group.stage < 2:
                assert rule.check(LONG[kind], invocation).disposition == "conforming"


def test_the_texts_of_one_value_share_its_time(plans):
    begun = []

    def begin(texts):
        begun.append(texts)
        return Invocation(AdaptConfig(), clock=lambda: 0.0)

    summary = Summary()
    value = ["1) a\n2) b"] * 1_000
    assert adapt_value(value, *plans["numbered"], summary, begin) == ["1. a\n2. b"] * 1_000
    assert begun == [1_000]
    assert summary.snapshot()[0].repaired == 1_000


def steps(function):
    """Lines of Python that run, and functions that are called."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


GROWING = [
    ("numbered", "drifted items"),
    ("numbered", "numbers"),
    ("labels", "labels"),
    ("react", "thoughts of an agent"),
    ("order", "square brackets"),
    ("order", "objects in prose"),
    ("order", "quotes"),
    ("rows", "cells"),
    ("verdict", "elements"),
    ("literal", "parentheses"),
    ("fenced", "fences of code"),
    ("query", "conditions"),
    ("shown", "sentences"),
    ("shown", "one sentence"),
]


@pytest.mark.parametrize(("kind", "text"), GROWING)
def test_steps_grow_with_the_answer_and_not_with_its_square(plans, kind, text):
    def run(size):
        stopped = Invocation(AdaptConfig(), clock=lambda: 0.0)
        return lambda: adapted(plans[kind], HOSTILE[text][:size], stopped)

    run(2_000)()
    short, long = steps(run(2_000)), steps(run(8_000))
    assert long < 8 * short + 20_000


@pytest.mark.parametrize("kind", ["numbered", "order", "shown"])
@pytest.mark.parametrize("text", ["items", "line breaks", "letters"])
def test_a_stream_of_single_characters_takes_linear_time(plans, kind, text):
    site, plan = plans[kind]

    def run(size):
        answer = HOSTILE[text][:size]
        begun = Invocation(AdaptConfig(), clock=lambda: 0.0)

        def read():
            stream = StreamedAnswer(site, plan, begun, Summary())
            # A millisecond for each look: so much may be spent on a stream, and no more.
            stream._held._clock = itertools.count(0, 1_000_000).__next__
            assert "".join(wrap_stream(iter(answer), stream))

        return read

    run(500)()
    short, long = steps(run(1_500)), steps(run(6_000))
    assert long < 8 * short + 20_000


def test_a_stream_longer_than_the_bound_passes(plans):
    site, plan = plans["order"]
    summary = Summary()
    stream = StreamedAnswer(site, plan, Invocation(AdaptConfig(mode="strict")), summary)
    piece = "x" * 100_000
    told = sum(map(len, wrap_stream(iter([piece] * 30), stream)))
    assert told == 30 * len(piece)
    assert summary.snapshot()[0].unread == 1


def test_sessions_that_ended_leave_nothing(plans):
    alive = weakref.WeakSet()
    for number in range(300):
        with session(f"Question {number}?") as opened:
            alive.add(opened)
            for kind in ("shown", "numbered"):
                begun = Invocation(AdaptConfig(), session=opened, site=f"app.py:{number}")
                adapted(plans[kind], CONFORMING[kind], begun)
    del opened, begun
    gc.collect()
    assert len(alive) == 0


def test_what_a_session_remembers_is_bounded(plans):
    opened = Session("Hello")
    for number in range(3_000):
        opened.hear(f"Question {number}? " + "x" * 20_000)
    assert sum(map(len, opened.inputs)) <= 1_000 * 10_000
    assert opened.inputs[0] == "Hello"
