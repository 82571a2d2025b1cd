"""What an application ranked, at run time: the query, the texts, and nothing else touched."""

from typing import NamedTuple

import pytest

from knitbone.adaptation.runtime import delivery
from knitbone.adaptation.runtime.delivery import are_texts, as_list, query_of
from knitbone.adaptation.runtime.values.entries import find_entries, rebuild_entries
from knitbone.adaptation.scenario.context.relevance import leans
from knitbone.adaptation.testing import number_site, plan_of_unit, run_instrumented
from knitbone.config import AdaptConfig

TEXTS = ["The quick brown fox jumps.", "A lazy dog sleeps all day."]


class Hit(NamedTuple):
    score: float
    text: str
    source: str


@pytest.mark.parametrize(
    ("told", "query"),
    [
        ((("what is it", [1, 2]), ()), "what is it"),
        ((("what is it", "dense"), ()), ""),
        ((("same", "same"), ()), "same"),
        ((([],), ("what is it", "it")), "what is it"),
        ((("  ",), (None,)), ""),
        ((), ""),
    ],
)
def test_the_query_is_the_only_parameter_or_the_first_variable_that_is_a_text(told, query):
    assert query_of(told) == query


def test_names_and_keys_are_no_texts():
    assert are_texts(TEXTS)
    assert not are_texts(["s1", "s2"])
    assert not are_texts([3, 1, 2])


def test_a_generator_is_read_and_a_list_is_the_same_object():
    assert as_list(text for text in TEXTS) == TEXTS
    assert as_list(TEXTS) is TEXTS


@pytest.mark.parametrize(
    "rows",
    [
        [(text, "notes.md") for text in TEXTS],
        [Hit(0.5, text, "notes.md") for text in TEXTS],
        [{"body": text, "file": "notes.md"} for text in TEXTS],
    ],
)
def test_the_only_column_of_texts_is_the_text_of_a_row(rows):
    found = find_entries(rows)
    assert found is not None
    assert [entry.text for entry in found.entries] == TEXTS
    assert rebuild_entries(rows, found, found.entries[1:]) == rows[1:]
    assert rebuild_entries(rows, found, found.entries) is rows


def test_rows_with_two_columns_of_texts_or_of_other_shapes_are_left_alone():
    assert find_entries([(text, text) for text in TEXTS]) is None
    assert find_entries([(TEXTS[0], "a"), (TEXTS[1], "b", "c")]) is None


@pytest.mark.parametrize(
    "text",
    [
        "It should double within six hours.",
        "If he does not react, warn him once.",
        "If you already pushed, prefer the second way.",
        "However, heat pumps need electricity.",
        "and the rest of the sentence before.",
        "| 12 | 40 |",
    ],
)
def test_an_entry_that_takes_up_another_one_leans(text):
    assert leans(text)


@pytest.mark.parametrize("text", ["The ferry leaves at noon.", "Share prices fell by 4 percent."])
def test_an_entry_that_stands_alone_does_not(text):
    assert not leans(text)


APP = """
from openai import OpenAI

def answer(question, docs, style):
    words = set(question.split())
    hits = sorted(docs, key=lambda d: -len(words & set(d.split())))
    context = "\\n".join(hits)
    return OpenAI().responses.create(model="m", input=context + style + question)
"""


class Client:
    """Gives back what it is told; the model is of no interest here."""

    @property
    def responses(self):
        return self

    def create(self, **told):
        return told["input"]


def test_the_instrumented_list_is_told_its_query_and_arrives_changed(tmp_path, monkeypatch):
    path = tmp_path / "app.py"
    path.write_text(APP, encoding="utf-8")
    (site,) = (s for s in plan_of_unit([path]).sites if s.kind == "retriever")
    number_site(site, AdaptConfig())
    heard = []
    monkeypatch.setattr(
        delivery.exchange, "note_request", lambda query, number: heard.append((query, number))
    )
    monkeypatch.setattr(delivery, "deliver", lambda value, _live: value[:1])
    module = {}
    run_instrumented(APP, path, [site], module)
    module["OpenAI"] = Client
    question = "what does the dog do"
    assert module["answer"](question, TEXTS, 7 * " ") == TEXTS[1] + 7 * " " + question
    assert heard == [(question, site.number)]


def test_a_list_of_keys_passes_untouched(tmp_path, monkeypatch):
    path = tmp_path / "app.py"
    path.write_text(APP, encoding="utf-8")
    (site,) = (s for s in plan_of_unit([path]).sites if s.kind == "retriever")
    number_site(site, AdaptConfig())
    monkeypatch.setattr(delivery, "deliver", lambda _value, _live: pytest.fail("judged"))
    keys = ["s1", "s2"]
    assert delivery.deliver_ranked_list(keys, site.number, ("what is it",), ()) is keys
