"""Loops that refine an answer until nothing new is said (Comfrey §4.5.2, external redundancy)."""

import textwrap

import pytest

from knitbone.adaptation import report

pytestmark = pytest.mark.usefixtures("every_scenario")

HEAD = """
import knitbone

ASKED = []

@knitbone.source
def model(prompt):
    ASKED.append(prompt)
    return ANSWERS.pop(0)

@knitbone.adapt
def refine(text):
"""
FIRST = "The shop sells fresh bread. It opens at seven every morning."
SECOND = "The shop sells fresh bread and cakes. It opens at seven every morning."

LOOPS = {
    "assignment": """
        draft = model(f"Write: {text}")
        for _ in range(4):
            draft = model(f"Improve: {draft}")
        return draft
    """,
    "through a prompt": """
        draft = text
        turns = 0
        while turns < 5:
            turns += 1
            prompt = "Improve: " + draft
            draft = model(prompt)
        return draft
    """,
    "list": """
        drafts = [model(text)]
        while len(drafts) < 5:
            drafts.append(model(drafts[-1]))
        assert len(drafts) == len(set(drafts))
        return drafts[-1]
    """,
    "two names": """
        draft = model(text)
        turns = 0
        while turns < 4:
            turns += 1
            better = model(f"Improve: {draft}")
            if better == draft:
                break
            draft = better
        return draft
    """,
    "list and name": """
        drafts = [model(text)]
        for _ in range(4):
            better = model("Improve: " + drafts[-1])
            drafts.append(better)
        return drafts[-1]
    """,
}


def refine(load, body, answers):
    app = load(HEAD + textwrap.indent(textwrap.dedent(body), "    "))
    app.ANSWERS = list(answers)
    return app.refine("a shop"), len(app.ASKED)


@pytest.mark.parametrize("loop", LOOPS)
def test_an_iteration_that_says_nothing_new_ends_the_loop(load, loop):
    again = SECOND.replace(" every", "  every")
    result, asked = refine(load, LOOPS[loop], [FIRST, SECOND, again, FIRST, FIRST])
    assert (result, asked) == (SECOND, 3)
    (event,) = [e for e in report().adaptations if e.action == "repaired"]
    assert event.rules == ("loop ended: the iteration repeats the one before",)


@pytest.mark.parametrize("loop", LOOPS)
def test_iterations_that_say_something_new_go_on(load, loop):
    answers = [FIRST, SECOND, SECOND + " Coffee too.", SECOND + " Tea too.", SECOND + " No tea."]
    assert refine(load, LOOPS[loop], answers) == (answers[-1], 5)


OTHERS = {
    "a conversation": """
        messages = [text]
        for _ in range(4):
            reply = model(messages)
            messages.append(reply)
        return messages[-1], len(messages)
    """,
    "an endless loop that returns": """
        draft = text
        while True:
            draft = model(f"Improve: {draft}")
            if not ANSWERS:
                return draft
    """,
    "a loop with an else": """
        draft = text
        for _ in range(4):
            draft = model(f"Improve: {draft}")
        else:
            return draft + "!"
    """,
    "answers to different questions": """
        answers = []
        for number in range(4):
            answers.append(model(f"Question {number}"))
        return answers
    """,
}


@pytest.mark.parametrize("loop", OTHERS)
def test_other_loops_run_to_their_end(load, loop):
    _, asked = refine(load, OTHERS[loop], [FIRST] * 4)
    assert asked == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KNITBONE_ADAPT_MODE", "observe"),
        ("KNITBONE_ADAPT_WITHOUT", "semantics.external"),
        ("KNITBONE_ADAPT_SCENARIO", "intact_text"),
    ],
)
def test_it_can_be_observed_and_switched_off(load, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert refine(load, LOOPS["assignment"], [FIRST] * 5) == (FIRST, 5)
    assert len(report().adaptations) == (4 if value == "observe" else 0)
