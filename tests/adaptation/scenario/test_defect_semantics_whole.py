"""Redundant semantics: whole answers, entries and items that come again; what must stay."""

import pytest
from test_defect_semantics import check, untouched

STEPS = "1. Dip the cutlet in flour.\n2. Dip the cutlet in egg.\n3. Fry it for three minutes."
ENTRY = "Q: How heavy is it?\nA: It weighs 640 grams."
OTHER = "Q: What is in the box?\nA: A cable and a pouch."


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (STEPS, "How do I fry a cutlet?"),
        ("The room is open from seven to ten.\n\nPlease leave it clean.", "When is it open?"),
        (f"{ENTRY}\n\n{OTHER}", "Write an FAQ."),
    ],
)
@pytest.mark.parametrize("rounds", [2, 3])
def test_an_answer_that_starts_over_is_said_once(text, asked, rounds):
    verdict = check("\n\n".join([text] * rounds), asked)
    assert verdict.disposition == "repaired"
    assert verdict.text == text


def test_the_last_round_may_be_cut_off():
    text = "It opens at seven every morning.\n\nPlease leave the room as clean as you found it."
    verdict = check(f"{text}\n\n{text[:-20]}", "When is it open?")
    assert verdict.text == text


def test_short_answers_come_more_than_twice():
    assert check("From seven to ten.\n" * 5, "When?").text == "From seven to ten.\n"
    assert untouched("From seven to ten.\n" * 2, "When?")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        # Steps that go on are another round of work.
        ("1. Lift the left leg slowly.\n2. Lower the left leg slowly.\n"
         "3. Lift the left leg slowly.\n4. Lower the left leg slowly.", "Give me an exercise."),
        ("Sing it with us all night long\nUnder the moon\n\n" * 2, "What do they sing?"),
        ("Yes, of course.\n\nYes, of course.", "May I?"),
        ("| a | b |\n|---|---|\n\n| a | b |\n|---|---|", "Show the tables."),
    ],
)  # fmt: skip
def test_what_may_come_again_stays(text, asked):
    assert untouched(text, asked)


def test_a_whole_answer_again_in_a_song_stays():
    text = "The river runs down to the sea.\n\nThe river takes my heart with me."
    assert untouched(f"{text}\n\n{text}", "Write a song about a river.")


def test_entries_of_questions_come_once():
    verdict = check(f"{ENTRY}\n\n{OTHER}\n\n{ENTRY}", "Describe the product.")
    assert verdict.text == f"{ENTRY}\n\n{OTHER}"
    assert verdict.rules == ("1 entry removed that repeats another",)


def test_entries_in_other_words():
    first = "Q: How long does the battery last?\nA: The battery is charged by the panel."
    again = "Q: How long does the battery last?\nA: The panel charges the battery."
    assert check(f"{first}\n\n{OTHER}\n\n{again}", "Describe it.").text == f"{first}\n\n{OTHER}"


@pytest.mark.parametrize(
    "text",
    [
        # The same answer to another question, another answer to the same one.
        f"{ENTRY}\n\n{OTHER}\n\nQ: How heavy is the large one?\nA: It weighs 640 grams.",
        f"{ENTRY}\n\n{OTHER}\n\nQ: How heavy is it?\nA: It weighs 460 grams.",
        "Ann: Hello, who is there?\nBen: It is me, open up.\n\nAnn: I do not know you at all.\n"
        "Ben: You do!\n\nAnn: Hello, who is there?\nBen: It is me, open up.",
    ],
)
def test_entries_that_differ_stay(text):
    assert untouched(text, "Describe the product.")


def test_an_item_again_and_again_right_after_itself_goes():
    listed = "1. Visit the old castle\n" + "2. Swim in the harbour bath\n"
    text = listed + "".join(f"{n}. Swim in the harbour bath\n" for n in range(3, 7)) + "7. Sleep"
    assert check(text, "Ideas for Sunday?").text == listed + "3. Sleep"


def test_a_run_of_one_short_sentence_leaves_one():
    text = "1. Dip the cutlet in flour.\n2. Fry the other side for three minutes."
    more = "".join(f"\n{n}. Fry the other side for three minutes." for n in range(3, 14))
    assert check(text + more, "How do I fry a cutlet?").text == text


def test_a_short_step_may_come_right_after_itself():
    assert untouched("1. Turn left.\n2. Turn left.\n3. Turn right.", "How do I get there?")


def test_what_is_counted_stays():
    assert untouched("- heads\n- heads\n- heads\n- tails\n- heads", "Which side is up?")


def test_a_number_that_the_list_does_not_have_is_no_reference():
    text = "1. Visit the old castle\n2. Ride the tram number 28\n3. Visit the old castle"
    assert check(text, "Ideas?").text == "1. Visit the old castle\n2. Ride the tram number 28"
    assert check(text.replace("28", "3"), "Ideas?").disposition == "refused"


def test_an_item_that_ends_with_again_is_said_once():
    item = "Unplug the router for half a minute and plug it in again."
    text = f"* {item}\n* The cable has to be firmly connected.\n* {item}"
    assert check(text, "My internet is slow.").text == text.rpartition("\n")[0]
