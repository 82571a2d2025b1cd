"""No value of a run, of its verdict or of the environment in guidance (``family``, ``constraint``).

What counts as a value: every text or number that stands alone in what a call was given or got,
whatever its words; and, wherever it stands, whatever has the form of one: a digit, a capital letter
inside a sentence, an underscore, an at sign, a slash, a word of no dictionary of ours. What does
not: the words of our own sentences, which are the same in every run; names of tools and arguments,
which the agent knows from its tools; and in the plain words of an error the small words ("no",
"all"), which every English sentence has, and words of errors ("price", "open") of which nothing in
the run shows that they are anything's value.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import knitbone.samples
from knitbone.record.events import (
    ChatMessage,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
    ToolCallRequest,
)
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.guidance import builder
from knitbone.tethering.guidance.builder import build_guidance
from knitbone.tethering.guidance.disclosure import leaves
from knitbone.tethering.guidance.error_words import _SMALL
from knitbone.tethering.interchange.importers import import_file

SAMPLES = Path(knitbone.samples.__file__).parent / "runs" / "bank_runs.json"
SENTENCES = [
    Path(builder.__file__).with_name(f"{name}.py")
    for name in ("builder", "finding_directives", "failed_run", "wording")
]
TOOLS = ("close_account", "find_customer", "transfer_funds", "getUserByID2", "s3_upload", "search")
ARGUMENTS = ("account_id", "amount", "name", "status", "to", "order_by")
VALUES = (
    "ACC7102", "2500.0", "Ines Okafor", "ines_okafor_41", "economy", "gift_card", "1957-09-30",
    "4 Quay Street, Brackwater", "https://bank.example/x", "ines@bank.example", "/srv/data.csv",
    "open", "price", "transfer_funds", "status", "Paris", "ÜBER-9", "qorvex", "Price List",
    "the amount of this request is in the letter", "not enough balance", "12", "closed account",
)  # fmt: skip
TWINS = {
    "ACC7102": "BDD8213", "2500.0": "3600.0", "Ines Okafor": "Omar Adebit",
    "ines_okafor_41": "omar_adebit_52", "1957-09-30": "1968-08-21", "qorvex": "zibtal",
    "4 Quay Street, Brackwater": "5 Zuez Strict, Blickwuter", "ines@bank.example":
    "omar@dunk.example", "/srv/data.csv": "/zrv/dota.csv",
}  # fmt: skip
"""Values, and others of the same shape."""
ERRORS = (
    "Error: LookupError: no customer {0} born on {1}", "Error: ValueError: {0} cannot pay {1}",
    "TypeError: f() missing 1 required positional argument: '{0}'",
    "Error: payment amount does not add up, total price is {0}, but paid {1}", "Error: {0}",
    '{{"error": "{0} is {1}"}}', "Error: {0} balance is not enough", "Error: unknown tool {0}",
    "Error: status of {0} must be pending: {1}", "FileNotFoundError: No such file: '{0}'",
)  # fmt: skip

steps = st.lists(
    st.tuples(
        st.sampled_from(TOOLS),
        st.dictionaries(st.sampled_from(ARGUMENTS), st.integers(0, 40), max_size=3),
        st.sampled_from([None, "text", *range(len(ERRORS))]),
        st.tuples(st.integers(0, 40), st.integers(0, 40)),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=7,
)


def run_of(plan, values, *, success=False):
    """A recorded run in which calls carry, get and fail with these values."""

    def value(number):
        return values[number % len(values)]

    events = [
        Message(id="u", role="user", content=f"Please see to {value(0)} and {value(1)} for me.")
    ]
    for place, (tool, arguments, ending, (one, other), times) in enumerate(plan):
        given = {name: value(number) for name, number in arguments.items()}
        for again in range(times):
            call = f"c{place}.{again}"
            request = ToolCallRequest(name=tool, arguments=given, call_id=call)
            asked = ChatMessage(role="assistant", tool_calls=(request,))
            events.append(ModelCall(id=f"m{call}", output=asked))
            if ending is None:
                got = json.dumps({"account_id": value(one), "kept_for": [value(other)]})
            elif ending == "text":
                got = f"Found {value(one)} with {value(other)}."
            else:
                got = ERRORS[ending].format(value(one), value(other))
            events.append(
                ToolCall(id=call, parent=f"m{call}", name=tool, call_id=call, arguments=given,
                         result=got)
            )  # fmt: skip
    said = ChatMessage(role="assistant", content=f"All is done, {value(3)} is {value(5)}.")
    events.append(ModelCall(id="last", output=said))
    events.append(Outcome(id="o", success=success, reason=f"expected {value(2)} to be {value(4)}"))
    return Run(id="r", task=f"See to {value(0)}.", events=tuple(events))


def texts_of(run):
    """The guidance in each of the closed disclosures."""
    diagnosis = diagnose(run)
    return {
        disclosure: build_guidance(diagnosis, run, task="t", disclosure=disclosure).text
        for disclosure in ("constraint", "family")
    }


def words(text):
    return re.findall(r"[^\W_]+", text.lower())


def literal_words():
    """The words of our own sentences, as they stand in the source."""
    found = set()
    for path in SENTENCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(words(node.value))
    return found


OURS = literal_words()
QUOTE = re.compile(r': "([^"]*)"')


def values_disclosed(text, values, names):
    """The values that stand in a guidance in another way than as a name or a word of ours."""
    quotes = " ".join(QUOTE.findall(text))
    plain = re.sub(r"`([^`]+)`", lambda n: " " if n[1] in names else n[1], QUOTE.sub("", text))
    family_words = {word for name in names for word in words(re.sub(r"(?=[A-Z])", "_", name))}
    found = []
    for value in values:
        parts = words(value)
        phrase = f" {' '.join(parts)} "
        if not parts or value in names:
            continue
        in_quote = phrase in f" {' '.join(words(quotes))} " and not set(parts) <= _SMALL
        in_text = phrase in f" {' '.join(words(plain))} "
        if in_quote or (in_text and not set(parts) <= OURS | family_words):
            found.append(value)
    return found


PROSE = {
    "open", "price", "status", "the amount of this request is in the letter", "not enough balance",
    "closed account",
}  # fmt: skip
"""Values that are English words: they are values where one stands alone."""


@settings(max_examples=40, deadline=None)
@given(steps, st.permutations(VALUES))
def test_no_value_of_a_generated_run_is_in_its_guidance(plan, values):
    run = run_of(plan, values)
    alone = set()
    for event in run.events:
        if isinstance(event, ToolCall):
            alone.update(leaves(event.arguments, event.result))
    held = [value for value in values if value in alone or value not in PROSE]
    for text in texts_of(run).values():
        assert values_disclosed(text, held, {*TOOLS, *ARGUMENTS}) == []


@settings(max_examples=25, deadline=None)
@given(steps, st.permutations(sorted(TWINS)))
def test_of_two_runs_that_differ_in_values_alone_the_guidance_is_the_same(plan, values):
    assert texts_of(run_of(plan, values)) == texts_of(run_of(plan, [TWINS[v] for v in values]))


@settings(max_examples=15, deadline=None)
@given(steps, st.permutations(VALUES))
def test_a_family_names_no_tool_and_no_argument(plan, values):
    text = texts_of(run_of(plan, values))["family"]
    assert "`" not in text
    assert '"' not in text
    assert not [name for name in (*TOOLS, *ARGUMENTS) if "_" in name and name in text]


@pytest.mark.parametrize("record", range(12))
def test_no_value_of_a_sample_run_is_in_its_guidance(record):
    run = import_file(SAMPLES)[record].run
    values, names = set(), set()
    for event in run.events:
        if isinstance(event, ToolCall):
            values.update(leaves(event.arguments, event.result))
            names.update([event.name, *event.arguments])
    for text in texts_of(run).values():
        assert values_disclosed(text, values - names, names) == []
