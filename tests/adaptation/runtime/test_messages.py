"""What a call told the model: a chain's input has the conversation beside the question."""

from __future__ import annotations

import pytest

from knitbone.adaptation.runtime.messages import messages_in

FIRST, ANSWER, SECOND = "The colour is wrong.", "We are sorry.", "And if I lose it?"
BOTH = [("user", FIRST), ("assistant", ANSWER)]


def texts(value):
    return [(message.role, message.text) for message in messages_in(value)]


@pytest.mark.parametrize("key", ["history", "chat_history", "memory", "messages"])
@pytest.mark.parametrize(
    "history",
    [
        [("human", FIRST), ("ai", ANSWER)],
        [{"role": "user", "content": FIRST}, {"role": "assistant", "content": ANSWER}],
        [{"type": "human", "content": FIRST}, {"type": "ai", "content": ANSWER}],
    ],
)
def test_what_was_said_before_is_read_before_the_question(key, history):
    assert texts({key: history, "language": "en"})[:2] == BOTH
    if key != "messages":
        assert texts({"text": SECOND, key: history}) == [*BOTH, ("user", SECOND)]


def test_langchain_messages_are_read():
    messages = pytest.importorskip("langchain_core.messages")
    history = [messages.HumanMessage(FIRST), messages.AIMessage(ANSWER)]
    assert texts({"history": history, "question": SECOND}) == [*BOTH, ("user", SECOND)]


@pytest.mark.parametrize(
    "other",
    [
        [],
        ["some text"],
        [("key", "value")],
        [{"role": "cook", "content": "soup"}],
        [{"title": "a document", "content": "soup"}],
        [("human", FIRST), "and a text"],
        {"role": "user"},
        "text",
    ],
)
def test_other_lists_are_no_conversation(other):
    assert texts({"data": other, "question": SECOND}) == [("user", SECOND)]


def test_an_empty_history_changes_nothing():
    assert texts({"history": [], "text": FIRST}) == [("user", FIRST)]
    assert texts({"history": [], "whatever": FIRST}) == [("user", FIRST)]
