"""The contracts of design §2, over requirements of every kind read from code, and mutated answers.

Each application is code as users write it; the answers are conforming ones to which anything may
have happened.
"""

import re
import tempfile
from pathlib import Path

import pytest
from contracts import contract_examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knitbone.adaptation.testing import (
    CheckPlan,
    Invocation,
    Summary,
    adapt_value,
    analyse_files,
    judge,
)
from knitbone.config import AdaptConfig
from knitbone.errors import RequirementViolation

CODE = """
import csv, io, json, re, sqlite3
import xml.etree.ElementTree as ET
from openai import OpenAI

client = OpenAI()

def ask(prompt):
    messages = [{"role": "user", "content": prompt}]
    return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

def numbered(goal):
    return re.findall(r"^\\d+\\. (.*)$", ask(goal), re.M)

def order(mail):
    data = json.loads(ask(mail))
    return data["customer"], int(data["quantity"]), [item["name"] for item in data["items"]]

def labels(review):
    text = ask(review)
    score = int(re.search(r"Score: (\\d+)", text).group(1))
    return re.search(r"Label: (\\w+)", text).group(1), score

def react(task):
    found = re.search(r"Thought: (.*)\\nAction: (.*)\\nAction Input: (.*)", ask(task))
    return found.groups()

def rows(shop):
    return [(r["name"], float(r["price"])) for r in csv.DictReader(io.StringIO(ask(shop)))]

def verdict(question):
    root = ET.fromstring(ask(question))
    return root.find("verdict").text, root.find("reason").text

def code(task):
    block = re.search(r"```python\\n(.*?)```", ask(task), re.S).group(1)
    scope = {}
    exec(block, scope)
    return scope

def query(question, cursor: sqlite3.Cursor):
    return cursor.execute(ask(question)).fetchall()

def yes(question):
    answer = ask(question).strip().lower()
    if answer not in ("yes", "no"):
        raise ValueError(answer)
    return answer == "yes"

def shown(question):
    reply = client.chat.completions.create(model="m", messages=[question])
    print(reply.choices[0].message.content)
"""
ANSWERS = {
    "numbered": "Here you are:\n1. Find a room\n2. Buy 3 tables\n3. Ask Ann",
    "order": '{"customer": "Bob", "quantity": 3, "items": [{"name": "lamp"}, {"name": "bulb"}]}',
    "labels": "Label: positive\nScore: 80",
    "react": "Thought: I need the price.\nAction: search\nAction Input: price of bolts",
    "rows": "name,price\nbolt,0.25\nnut,0.1\n",
    "verdict": "<answer><verdict>no</verdict><reason>It is closed.</reason></answer>",
    "code": "Sure:\n```python\ndef area(a, b):\n    return a * b\n```\nDone.",
    "query": "SELECT name FROM users WHERE age > 30 ORDER BY name;",
    "yes": "yes",
    "shown": "The museum opens at 9. Entry costs 5 euros, and children pay nothing.",
}
PIECES = [
    *(")", ":", "-", "*", "**", "`", "```", "```json\n", "1", "2.", ",", ", ", "\n", "\n\n", " "),
    *("{", "}", "[", "]", '"', "'", "\\", "<", ">", "</a>", "&", "None", "True", "//", "é"),
    *("Action:", "Label", "Sure! ", "colour ", "The museum opens at 9. ", "\t", "\x00", "(", "=="),
    "\ud800",
]


@pytest.fixture(scope="module")
def plans():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "app.py")
        path.write_text(CODE, encoding="utf-8")
        sites = analyse_files([path]).sites
        names = CODE.splitlines()
        found = {}
        for site in sites:
            name = next(
                re.match(r"def (\w+)", names[line])[1]
                for line in range(site.line - 1, -1, -1)
                if names[line].startswith("def ")
            )
            if name in ANSWERS:
                found[name] = (site, CheckPlan(site, CONFIG))
        assert set(found) == set(ANSWERS)
        yield found


CONFIG = AdaptConfig(budget_ms=60_000)
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(["insert", "delete", "double", "swap"]),
        st.sampled_from(PIECES),
    ),
    max_size=4,
)


def mutated(text, edits):
    for where, kind, piece in edits:
        place = int(where * len(text))
        if kind == "insert":
            text = text[:place] + piece + text[place:]
        elif kind == "delete":
            text = text[:place] + text[place + 1 + len(piece) :]
        elif kind == "double":
            text = text[:place] + text[place : place + 12] + text[place:]
        else:
            lines = text.split("\n")
            lines.insert(0, lines.pop())
            text = "\n".join(lines)
    return text


def decide(plan, text, groups=None, **settings):
    config = AdaptConfig(budget_ms=60_000, **settings)
    return judge(text, plan.groups if groups is None else groups, Invocation(config))


def contract(function):
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    wrapped = given(name=st.sampled_from(sorted(ANSWERS)), edits=EDITS)(function)
    return settings(max_examples=contract_examples(), deadline=None, suppress_health_check=checks)(
        wrapped
    )


@pytest.mark.parametrize("name", ANSWERS)
def test_a_conforming_value_is_returned_as_the_same_object(plans, name):
    text = ANSWERS[name]
    decision = decide(plans[name][1], text)
    assert decision.outcomes == ()
    assert decision.text is text


@contract
def test_idempotent_and_verified(plans, name, edits):
    plan = plans[name][1]
    first = decide(plan, mutated(ANSWERS[name], edits))
    again = decide(plan, first.text)
    assert again.text is first.text
    assert all(outcome.disposition == "refused" for outcome in again.outcomes)
    if first.disposition == "repaired":
        # Of several records some may be beyond repair: that is said the first time already.
        known = {o.requirement for o in first.outcomes if o.disposition == "refused"}
        refused = {o.requirement for o in again.outcomes} - known
        for outcome in first.outcomes:
            if outcome.disposition == "repaired":
                assert outcome.requirement not in refused


@contract
def test_explained(plans, name, edits):
    text = mutated(ANSWERS[name], edits)
    decision = decide(plans[name][1], text)
    repairs = [o for o in decision.outcomes if o.disposition == "repaired"]
    assert bool(repairs) == (decision.text != text)
    current = text
    for outcome in repairs:
        assert outcome.before == current
        assert outcome.rules
        current = outcome.after
    assert current == decision.text
    for outcome in decision.outcomes:
        assert outcome.disposition != "failed"
        assert outcome.disposition == "repaired" or outcome.reason


@contract
def test_nothing_comes_out_that_the_answer_or_the_code_does_not_hold(plans, name, edits):
    text = mutated(ANSWERS[name], edits)
    decision = decide(plans[name][1], text)
    # What XML cannot hold, such as a null character, goes also from inside a word.
    told = "\n".join((text, re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text), CODE))
    held = set(re.findall(r"[^\W_]+", told.casefold()))
    numbers = {str(number) for number in range(1, 12)}
    # Entities, constants, and operators that a language spells otherwise.
    ours = {"amp", "lt", "gt", "quot", "null", "true", "false", "and", "or", "not"}
    # What JSON writes as ``\\t`` is a tab, not a letter; so is ``\\u0000`` no word.
    shown = re.sub(r"\\(?:[tnrbf]|u[0-9a-f]{4})", " ", decision.text).casefold()
    for word in re.findall(r"[^\W_]+", shown):
        assert word in held | numbers | ours or any(word in other for other in held)


@contract
def test_fail_open_and_modes(plans, name, edits):
    site, plan = plans[name]
    text = mutated(ANSWERS[name], edits)
    summary = Summary()
    observing = AdaptConfig(budget_ms=60_000, mode="observe")
    assert adapt_value(text, site, plan, summary, lambda _: Invocation(observing)) is text
    strict = AdaptConfig(budget_ms=60_000, mode="strict")
    try:
        given = adapt_value(text, site, plan, summary, lambda _: Invocation(strict))
    except RequirementViolation:
        assert decide(plan, text).outcomes
    else:
        assert given == decide(plan, text, mode="strict").text


@contract
def test_a_spent_budget_gives_back_the_answer(plans, name, edits):
    plan = plans[name][1]
    text = mutated(ANSWERS[name], edits)
    now = iter(range(10**9))
    spent = Invocation(AdaptConfig(budget_ms=0), clock=lambda: float(next(now)))
    decision = judge(text, plan.groups, spent)
    for outcome in decision.outcomes:
        assert outcome.disposition != "failed"
    assert decision.text is text or decision.disposition == "repaired"


@settings(max_examples=contract_examples(), deadline=None)
@given(name=st.sampled_from(sorted(ANSWERS)), text=st.text(max_size=80))
def test_any_text_is_decided_without_an_error_of_ours(plans, name, text):
    decision = decide(plans[name][1], text)
    assert all(outcome.disposition != "failed" for outcome in decision.outcomes)
    if decision.disposition != "repaired":
        assert decision.text is text
