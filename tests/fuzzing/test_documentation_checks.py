"""Input, output and oracle check on given runs, and what is made of what they saw."""

from __future__ import annotations

from typing import Any

import pytest
from documentation_support import RuleChat
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.errors import ModelServerError
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.canonical import canonical_arguments, normalised
from knitbone.fuzzing.documentation.consistency import (
    check_input,
    check_output,
    check_refused,
    seen_runs,
)
from knitbone.fuzzing.documentation.documented_values import announced_form, contradicted_sentence
from knitbone.fuzzing.documentation.oracle import ModelOracle, agree_within, rate_answer
from knitbone.fuzzing.documentation.records import (
    ArgumentForm,
    ArgumentVariation,
    Expectation,
    PromptRun,
    Rating,
    ToolUse,
)
from knitbone.fuzzing.fixing.sentence_constraints import read_sentence, strftime_of
from knitbone.fuzzing.model_questions import ask
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.models.chat import Completion
from knitbone.models.structured import parse_structured
from knitbone.record.events import ChatMessage, Usage

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}},
}
TOOL = ToolUnderTest(name="trains", target="t", documentation="Trains.", schema=SCHEMA)


def run(prompt: int, *calls: tuple[Any, str], stopped: Any = "answered") -> PromptRun:
    """A run with calls, each with its arguments and output."""
    uses = tuple(
        ToolUse(
            tool="trains",
            arguments=arguments,
            output=output,
            failure=output if output.startswith("Error") else "",
        )
        for arguments, output in calls
    )
    return PromptRun(prompt=prompt, query="q", calls=uses, answer="a", stopped=stopped)


def seen(*runs: PromptRun) -> Any:
    return seen_runs(runs, "trains", TOOL)


def budget() -> CampaignBudget:
    return CampaignBudget(FuzzConfig(), elapsed=lambda: 0.0)


# --- input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"city": "W", "days": 1}, {"days": 1, "city": "W"}),
        ({"city": "W", "days": 1}, {"city": "W"}),
        ({"city": "W", "days": 1.0}, {"city": "W", "days": 1}),
        ({"city": "Z\u00fcrich"}, {"city": "Zu\u0308rich"}),
    ],
)
def test_arguments_in_other_spellings_are_the_same_call(one: Any, other: Any) -> None:
    verdict = check_input(seen(run(0, (one, "x")), run(1, (other, "x"))))
    assert verdict.failed is False


@pytest.mark.parametrize(
    ("one", "other"), [({"city": "W"}, {"city": "w"}), ({"days": True}, {"days": 1})]
)
def test_arguments_that_a_tool_tells_apart_are_other_calls(one: Any, other: Any) -> None:
    assert canonical_arguments(one, SCHEMA) != canonical_arguments(other, SCHEMA)


def test_no_call_and_several_calls_are_buckets_of_their_own() -> None:
    a, b = ({"city": "A"}, "x"), ({"city": "B"}, "y")
    verdict = check_input(seen(run(0, a), run(1), run(2, a, b), run(3, b, a), run(4, a)))
    assert verdict.failed is True
    assert [(each.kind, each.prompts) for each in verdict.buckets] == [
        ("one call", (0, 4)),
        ("no call", (1,)),
        ("several calls", (2, 3)),
    ]


def test_a_call_that_is_made_twice_is_another_multiset() -> None:
    a = ({"city": "A"}, "x")
    assert check_input(seen(run(0, a), run(1, a, a))).failed is True


def test_one_run_decides_nothing() -> None:
    a = ({"city": "A"}, "x")
    for check in (check_input, check_output, check_refused):
        verdict = check(seen(run(0, a), run(1, a, stopped="failed")))
        assert verdict.failed is None
        assert verdict.reason == "only 1 run came to an end"


# --- output --------------------------------------------------------------------------------------


def test_another_result_for_the_same_input_does_not_count() -> None:
    same = {"city": "A"}
    verdict = check_output(seen(run(0, (same, "12 points")), run(1, (same, "900 points"))))
    assert verdict.failed is False


def test_other_results_for_other_inputs_count() -> None:
    verdict = check_output(seen(run(0, ({"city": "A"}, "12")), run(1, ({"city": "B"}, "13"))))
    assert verdict.failed is True


def test_of_an_unstable_tool_only_failures_are_compared() -> None:
    a, b = ({"city": "A"}, "12"), ({"city": "B"}, "13")
    assert check_output(seen(run(0, a), run(1, b)), unstable=True).failed is False
    wrong = ({"city": "C"}, "Error: no such city")
    assert check_output(seen(run(0, a), run(1, wrong)), unstable=True).failed is True


REFUSED = ({"city": "A"}, "Error: no such city")


@pytest.mark.parametrize(
    ("runs", "refused"),
    [
        ([run(0, REFUSED), run(1, REFUSED, REFUSED)], True),
        ([run(0, REFUSED), run(1, REFUSED, ({"city": "B"}, "12"))], False),
        ([run(0, REFUSED), run(1)], False),
        ([run(0), run(1)], False),
    ],
)
def test_only_where_no_call_of_any_run_worked_the_tool_refused_alike(
    runs: list[PromptRun], refused: bool
) -> None:
    verdict = check_refused(seen(*runs))
    assert (verdict.check, verdict.failed) == ("refused", refused)


@pytest.mark.parametrize(
    ("one", "other", "normalise"),
    [
        ("at 10:31:22", "at 10:31:23", ("times",)),
        ("no. 0f8fad5b-d9cb-469f-a165-70867728950e", "no. 7c9e6679-7425-40de-944b-e07fc1f90ae7",
         ("ids",)),
        ('["a", "b"]', '["b", "a"]', ("order",)),
        ('{"x": [2, 1]}', '{"x": [1, 2]}', ("order",)),
        ("a\nb", "b\na", ("order",)),
    ],
)  # fmt: skip
def test_normalisers_leave_out_what_results_may_differ_in(
    one: str, other: str, normalise: Any
) -> None:
    assert normalised(one, normalise) == normalised(other, normalise)
    assert normalised(one, ()) != normalised(other, ())
    for kind in {"times", "ids", "order"} - set(normalise):
        assert normalised(one, (kind,)) != normalised(other, (kind,))


@given(st.text(), st.sets(st.sampled_from(["times", "ids", "order"])))
def test_a_result_equals_itself_under_every_normaliser(text: str, normalise: Any) -> None:
    assert normalised(text, normalise) == normalised(text, normalise)


# --- margin --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "said", "agree"),
    [
        ("About 300 euros.", "It costs 320 EUR.", True),
        ("About 300 euros.", "It costs 340 euros.", False),
        ("$347.99", "around $380", True),
        ("1,450 km", "1500 kilometers", True),
        ("10,000 km", "1,047 miles", None),
        ("between 400 and 800 USD", "500 USD", None),
        ("300 euros", "I do not know", None),
        ("1.5 million euros", "1.5 million euros", None),
        ("300 euros for 3 nights", "330 euros", True),
        ("300", "310", None),
        ("on 2 May", "on 3 May", False),
    ],
)
def test_the_margin_is_ten_percent_of_one_number_with_a_unit(
    expected: str, said: str, agree: bool | None
) -> None:
    assert agree_within(expected, said, question="What do 3 nights cost?") is agree


def test_the_margin_goes_before_the_model() -> None:
    oracle = ModelOracle(RuleChat())
    rated = rate_answer(
        oracle, TOOL, "How far?", Expectation(text="100 km"), "It is 120 km.", budget=budget()
    )
    assert (rated.score, rated.judge) == (1, "10 % margin")


# --- oracle --------------------------------------------------------------------------------------


def test_each_question_is_answered_and_the_answers_are_merged() -> None:
    chat = RuleChat(
        answer=lambda material: {"answer": material["question"].upper()},
        expectation=lambda material: {"expectation": " + ".join(material["answers"])},
    )
    expected = ModelOracle(chat).expect(TOOL, ["a", "b"], budget=budget())
    assert expected == Expectation(text="A + B", answers=("A", "B"))
    assert chat.asked == ["answer", "answer", "expectation"]


def test_equal_answers_need_no_merging() -> None:
    chat = RuleChat(answer={"answer": "low"})
    assert ModelOracle(chat).expect(TOOL, ["a", "b"], budget=budget()).text == "low"
    assert chat.asked == ["answer", "answer"]


@pytest.mark.parametrize(("said", "score"), [(7, 7), (0, 1), (99, 10), (4.6, 5)])
def test_a_score_is_cut_to_its_range(said: float, score: int) -> None:
    chat = RuleChat(rating={"reason": "so", "score": said})
    rated = rate_answer(ModelOracle(chat), TOOL, "q", Expectation(text="x"), "y", budget=budget())
    assert rated == Rating(score=score, reason="so", judge="rules")


@pytest.mark.parametrize("answer", [None, "", "  "])
def test_no_answer_is_rated_without_a_model(answer: str | None) -> None:
    rated = rate_answer(
        ModelOracle(RuleChat()), TOOL, "q", Expectation(text="x"), answer, budget=budget()
    )
    assert (rated.score, rated.judge) == (1, "no answer")


# --- what the documentation states ---------------------------------------------------------------


def told(documentation: str, worked: Any, failed: Any, schema: Any = None) -> tuple[str, str]:
    tool = ToolUnderTest(
        name="t",
        target="t",
        documentation=documentation,
        schema={"type": "object", "properties": {"season": schema or {"type": "string"},
                                                 "nights": {"type": "integer"}}},
    )  # fmt: skip
    varies = ArgumentVariation(
        argument="season",
        forms=(
            ArgumentForm(value=worked, prompts=(0,), worked=True),
            ArgumentForm(value=failed, prompts=(1,), worked=False),
        ),
    )
    return announced_form(tool, varies), contradicted_sentence(tool, varies)


@pytest.mark.parametrize(
    ("documentation", "worked", "failed"),
    [
        ('Price. The season is "low" or "high".', "low", "summer"),
        ("Price.\n\nArgs:\n    season: one of low, high.", "low", "summer"),
        ("Price.\n\nArgs:\n    season: such as 2031-05-02.", "2031-05-04", "4 May 2031"),
        ("Price.\n\nArgs:\n    season: a day as YYYY-MM-DD.", "2031-05-04", "4 May 2031"),
        ("Price.\n\nArgs:\n    season: an ISO 8601 date.", "2031-05-04", "04.05.2031"),
    ],
)
def test_a_form_that_the_documentation_names_is_no_fault(
    documentation: str, worked: str, failed: str
) -> None:
    assert told(documentation, worked, failed)[0]


@pytest.mark.parametrize(
    ("documentation", "worked", "failed"),
    [
        ("Price of a stay.", "low", "summer"),
        ("Price.\n\nArgs:\n    season: the season of the stay.", "low", "summer"),
        ("Price. Prices are low in winter.", "low", "summer"),
        ('Price.\n\nArgs:\n    season: "summer" or "winter".', "low", "summer"),
        ("Price.\n\nArgs:\n    season: a place such as Vienna.", "Wien", "Vindobona"),
        ("Price.\n\nArgs:\n    season: a day.", "2031-05-04", "4 May 2031"),
    ],
)
def test_a_form_that_the_documentation_does_not_name_is_one(
    documentation: str, worked: str, failed: str
) -> None:
    assert told(documentation, worked, failed)[0] == ""


WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=12).filter(
    lambda word: strftime_of(word) is None and not list(read_sentence(f"A {word}.", "season"))
)
"""None that by itself names a form, as ``ddmmyyyy`` and ``uuid`` do."""


MARKS = ('"{}"', "'{}'", "`{}`", "\u201c{}\u201d")
JOINTS = ((", ", " or "), (", ", ", or "), (" | ", " | "), (", ", " and "), (" / ", " / "))
IN_FRONT = (
    "",
    "one of ",
    "the season, ",
    "name of the season: ",
    "must be ",
    "Season to ask for, ",
)
BEHIND = ("", ".", ", in lower case.", ", spelled exactly so.", " (exactly so)", ", optional")
ANY_CASE = (
    ", in any case",
    "; case does not matter",
    " (case-insensitive)",
    ", upper or lower case.",
)


def written_list(values: list[str], data: st.DataObject) -> str:
    """A list of values as documentations write them: in marks, or behind a colon without."""
    between, last = data.draw(st.sampled_from(JOINTS))
    marks = data.draw(st.sampled_from([*MARKS, None]))
    if marks is None:
        shown, front = [value.capitalize() for value in values], "Only these are known: "
    else:
        shown, front = (
            [marks.format(value) for value in values],
            data.draw(st.sampled_from(IN_FRONT)),
        )
    gloss = data.draw(st.sampled_from(["", " (the first)"])) if marks else ""
    return front + between.join([shown[0] + gloss, *shown[1:-1]]) + last + shown[-1]


def announced(sentence: str, *failed: str, worked: tuple[str, ...] = ()) -> str:
    tool = ToolUnderTest(
        name="t",
        target="t",
        documentation=f"Price.\n\nArgs:\n    season: {sentence}\n    n: Nights.\n",
        schema={"type": "object", "properties": {"season": {"type": "string"}, "n": {}}},
    )
    forms = [ArgumentForm(value=each, prompts=(0,), worked=False) for each in failed]
    forms += [ArgumentForm(value=each, prompts=(0,), worked=True) for each in worked]
    return announced_form(tool, ArgumentVariation(argument="season", forms=tuple(forms)))


LISTS = st.lists(WORDS, min_size=2, max_size=5, unique=True)


@given(listed=LISTS, others=LISTS, data=st.data())
def test_where_values_are_listed_and_none_of_them_is_taken_nothing_is_missing(
    listed: list[str], others: list[str], data: st.DataObject
) -> None:
    others = [word for word in others if word not in listed] or ["x1"]
    written = written_list(listed, data)
    free = data.draw(st.booleans())
    sentence = written + data.draw(st.sampled_from(ANY_CASE if free else BEHIND))
    shown = listed[0] if listed[0] in written else listed[0].capitalize()
    assert announced(sentence, *others), sentence
    assert announced(sentence, *others, worked=(shown,)), sentence
    # A listed value is refused, or another one taken: the sentence is there, and wrong.
    assert announced(sentence, *others, shown) == "", sentence
    assert announced(sentence, *others, worked=("y2",)) == "", sentence
    # The same word in another case is listed only where it is said that case does not matter.
    assert bool(announced(sentence, shown.upper(), worked=(shown,))) is not free, sentence


@given(listed=LISTS, data=st.data())
def test_examples_and_what_is_ruled_out_are_no_list_of_what_there_is(
    listed: list[str], data: st.DataObject
) -> None:
    quoted = ", ".join(f'"{word}"' for word in listed)
    front = data.draw(
        st.sampled_from(["such as ", "e.g. ", "not ", "anything except ", "parts separated by "])
    )
    assert announced(front + quoted, "x1", "y2") == ""
    assert announced(f"{quoted} are not accepted", "x1", "y2") == ""


FORMS = st.sampled_from(
    ["DD/MM/YYYY", "a date as ddmmyyyy", "HH:MM", "ISO 8601", "an ISO date", "base64", "a UUID"]
)
NOT_TAKEN = st.sampled_from(
    ["not {}", "must not be in the form {}", "any date except {}", "words instead of {}",
     "{} is not accepted", "{} will be rejected", "dates such as {} are not supported",
     "{} cannot be parsed", "values like {} don't work", 'not "{}"', "`{}` is invalid"]
)  # fmt: skip


@given(form=FORMS, said=NOT_TAKEN)
def test_a_form_that_is_ruled_out_is_not_the_one_announced(form: str, said: str) -> None:
    assert announced(said.format(form), "x1", "y2") == "", said.format(form)
    assert announced(f"{form}.", "x1", "y2") == f"{form}."
    assert announced(f"{form}, not a word", "x1", "y2")
    assert announced(f"never empty; {form}", "x1", "y2")


@pytest.mark.parametrize(
    ("written", "failed"),
    [("From 1 to 12.", ["20", "30"]), ("at most 3 characters", ["summer", "high summer"])],
)
def test_what_breaks_a_written_demand_was_disregarded(written: str, failed: list[str]) -> None:
    assert told(f"Price.\n\nArgs:\n    season: {written}", "2", failed[0])[0] == written


def test_a_form_that_the_schema_rules_out_is_no_fault() -> None:
    schema = {"type": "string", "enum": ["low", "high"]}
    assert told("Price.", "low", "summer", schema)[0] == "the argument schema of season"


def test_a_sentence_that_names_what_fails_is_cited() -> None:
    documentation = 'Price.\n\nArgs:\n    season: "summer" or "winter".'
    assert told(documentation, "low", "summer")[1] == '"summer" or "winter".'


# --- answers that are no plain JSON --------------------------------------------------------------


class Said:
    """A model that says one thing, read as the clients of servers read it."""

    name = "said"

    def __init__(self, text: str, *, finish: str = "stop", refusal: str | None = None) -> None:
        self.answer = Completion(
            message=ChatMessage(role="assistant", content=text),
            finish_reason=finish,
            usage=Usage(input_tokens=7, output_tokens=3),
            model="said",
            refusal=refusal,
        )

    async def complete(self, messages: Any, *, tools: Any = None, schema: Any = None) -> Completion:
        return parse_structured(self.answer, schema, "said")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 7, "reason": "r"}', 7),
        ('Sure!\n```json\n{"score": 7, "reason": "r"}\n```\nI hope it helps.', 7),
        ('{"score": "7", "reason": "r"}', 7),
        ('{"score": 7, "rea', None),
        ("seven", None),
        ("", None),
        ('{"score": 7, "reason": "r"} {"score": 2, "reason": "r"}', None),
    ],
)
def test_a_record_between_prose_is_found_and_one_cut_off_is_not_guessed(
    text: str, score: int | None
) -> None:
    account = budget()

    def rate() -> Rating:
        return ModelOracle(Said(text)).rate(
            TOOL, "q", Expectation(text="x"), "y", rated="answer", budget=account
        )

    if score is None:
        with pytest.raises(ModelServerError):
            rate()
    else:
        assert rate().score == score
    # It was paid for, whether it could be used or not.
    assert account.spent().tokens == 10


def test_a_refusal_is_charged() -> None:
    account = budget()
    with pytest.raises(Exception, match="declined"):
        ask(Said("", refusal="no"), "task", {}, Rating, {"type": "object"}, budget=account)
    assert account.spent().tokens == 10
