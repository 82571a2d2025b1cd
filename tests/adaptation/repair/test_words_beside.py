"""A value is read out of a sentence whose words the prompt has, and out of no other sentence.

The words are drawn from the vocabulary of the bundled embedder: nobody chose them.
"""

import importlib
import itertools
import random
import textwrap
from collections import Counter
from importlib.resources import files

import pytest

import knitbone
from knitbone.adaptation.repair.beside import odd_word, qualifying_word

VOCABULARY = [
    word
    for word in (files("knitbone.models") / "data/bert-base-uncased-vocab.txt").read_text().split()
    if word.isalpha() and word.isascii() and len(word) > 3
]
CONSUMERS = {
    "whole number": (
        """
        def handle():
            return int(ask("How many chairs are there in the hall?"))
        """,
        ("48", "7"),
        ("There are {} chairs in the hall.", "Chairs: {}", "{} chairs"),
    ),
    "number": (
        """
        def handle():
            return float(ask("What does the ticket cost, in EUR?"))
        """,
        ("12.5", "7.25"),
        ("The ticket costs {} EUR.", "Cost: {}", "The cost of the ticket is {}"),
    ),
    "date": (
        """
        def handle():
            return datetime.strptime(ask("When is the invoice due? As YYYY-MM-DD."), "%Y-%m-%d")
        """,
        ("2024-03-18", "1999-12-01"),
        ("The invoice is due on {}.", "Invoice due: {}", "Due {}"),
    ),
    "time": (
        """
        def handle():
            hours, minutes = ask("At what time does the train leave? HH:MM").split(":")
            return int(hours) * 60 + int(minutes)
        """,
        ("14:35", "08:05"),
        ("The train leaves at {}.", "Leaving: {}", "Time: {}"),
    ),
    "constant": (
        """
        def handle():
            found = ask("The sentiment of the review: positive or negative?")
            return {"positive": 1, "negative": -1}[found]
        """,
        ("positive", "negative"),
        ("The sentiment is {}.", "Sentiment: {}", "The review is **{}**"),
    ),
}
FRAMES = ("{word}: {value}", "The {word} is {value}.", "{value} {word}", "{value} ({word})",
          "{word} {value}", "It {word} {value}")  # fmt: skip


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function that makes an application of a source: from an answer to what comes out."""
    numbers = itertools.count()
    monkeypatch.syspath_prepend(tmp_path)

    def loaded(source, *, adapt=False):
        name = f"beside_{tmp_path.name}_{next(numbers)}"
        head = "from datetime import datetime\nimport knitbone\nANSWER = ''\n"
        head += "@knitbone.source\ndef ask(prompt):\n    return ANSWER\n"
        (tmp_path / f"{name}.py").write_text(head + textwrap.dedent(source))
        module = importlib.import_module(name)
        if adapt:
            knitbone.adapt(module.handle)

        def answered(answer):
            module.ANSWER = answer
            try:
                return repr(module.handle())
            except Exception as error:  # the application's own
                return type(error).__name__

        return answered

    return loaded


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_word_that_nobody_asked_for_keeps_the_value_where_it_is(name, load):
    source, values, _ = CONSUMERS[name]
    plain, adapted = load(source), load(source, adapt=True)
    rng = random.Random(name)
    counts = Counter()
    for _ in range(200):
        answer = rng.choice(FRAMES).format(word=rng.choice(VOCABULARY), value=rng.choice(values))
        counts[adapted(answer) == plain(answer)] += 1
    # A few words change no value ("exactly"), or are in the prompt.
    assert counts[True] >= 0.95 * counts.total(), counts


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_sentence_in_the_words_of_the_prompt_is_read(name, load):
    source, values, sentences = CONSUMERS[name]
    plain, adapted = load(source), load(source, adapt=True)
    for sentence in sentences:
        for value in values:
            assert adapted(sentence.format(value)) == plain(value), sentence


@pytest.mark.parametrize(
    ("text", "value", "prompt", "odd"),
    [
        ("12 people came", "12", "How many people came?", ""),
        ("12 people cancelled", "12", "How many people came?", "cancelled"),
        ("It leaves at 2:35 pm", "14:35", "When does the train leave?", ""),
        ("Monday, March 18, 2024", "2024-03-18", "When is it due?", ""),
        ("Tuesday, March 18, 2024", "2024-03-18", "When is it due?", "tuesday"),
        ("almost 12 people", "12", "Almost nobody came. How many people were it?", "almost"),
        ("Twenty-one people", "21", "How many people came?", ""),
        ("The distance is 12 km", "12", "The distance in kilometres?", ""),
        ("The distance is 12 mi", "12", "The distance in kilometres?", "mi"),
        ("Sure!\n\nThe answer is 12. I hope this helps!", "12", "How many?", ""),
        ("I counted the old ones, too.\n\nThe answer is 12.", "12", "How many?", ""),
        ("A, because it is well told", "A", "Grade it.", ""),
    ],
)
def test_a_word_beside_a_value(text, value, prompt, odd):
    assert odd_word(text, value, [prompt]) == odd


def test_names_in_the_code_are_known():
    assert odd_word("Departure: 14:35", "14:35", ["When does it leave?"]) == "departure"
    assert not odd_word("Departure: 14:35", "14:35", ["When?"], names=["read_departure"])
    assert not odd_word("Departure: 14:35", "14:35", ["When?"], names=["departureTime"])


def test_qualifying_words():
    assert qualifying_word("they paid nearly all") == "nearly"
    assert not qualifying_word("they paid all")
