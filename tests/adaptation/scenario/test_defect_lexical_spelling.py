"""Spelling variety: what is respelled, and above all what is not."""

import logging
import threading

import pytest
from lexical_helpers import asked, check_for, judge

from knitbone import Session
from knitbone.adaptation.scenario.lexical import HEURISTICS, LexicalStandard, prepare
from knitbone.adaptation.scenario.lexical import features as check_module
from knitbone.adaptation.scenario.lexical.spelling import (
    AMERICAN_ONLY,
    BRITISH_ONLY,
    named_variety,
    pair_by_rule,
    spellings,
)
from knitbone.adaptation.testing import Evidence, ScenarioRequirement
from knitbone.errors import MissingExtraError

BRITISH = "How do I stop my neighbour's cat?"
AMERICAN = "What color should I paint the walls of my room?"


def respelled(text, *said, **more):
    verdict = judge(text, *said, **more)
    assert verdict.disposition == "repaired", verdict
    return verdict.text


def untouched(text, *said, **more):
    verdict = judge(text, *said, **more)
    assert verdict.text is text
    assert verdict.disposition == "conforming", verdict


def test_the_users_first_text_sets_the_variety():
    assert (
        respelled("Your neighbor may like the color.", BRITISH)
        == "Your neighbour may like the colour."
    )
    assert respelled("Any colour will do in the centre.", AMERICAN) == (
        "Any color will do in the center."
    )


def test_rules_say_what_was_done_and_edits_count():
    verdict = judge("A neighbor and a neighbor say the odor is gone.", BRITISH)
    assert verdict.rules == (
        '"neighbor" -> "neighbour" in 2 places',
        '"odor" -> "odour" in 1 place',
    )
    assert verdict.edits == 3


def test_the_case_of_the_first_letter_is_kept():
    assert respelled("Color matters. Colors fade.", BRITISH) == "Colour matters. Colours fade."
    assert respelled("- Organise the shelf.\n\nOrganisation of files helps.", AMERICAN) == (
        "- Organize the shelf.\n\nOrganization of files helps."
    )


def test_possessives_and_punctuation():
    text = "The neighbor's fence (a favorite) has color."
    assert respelled(text, BRITISH) == "The neighbour's fence (a favourite) has colour."


@pytest.mark.parametrize(
    "text",
    [
        "Set `color` to red, please.",
        "```python\ncolor = 1\nprint(color)\n```",
        "~~~\nthe color of\n~~~",
        'He said "the color is fine" and left.',
        "He said \u201cthe color is fine\u201d and left.",
        "The sign read 'favorite color' in big letters.",
        "> The color is fine.",
        "| color | size |\n|---|---|\n| gray | 3 |",
        "See https://example.com/color and www.color.com now.",
        "Write to color@example.com today.",
        "Open color.txt, then data/color and obj.color too.",
        "Use background-color or color-map or my_color here.",
        "Call color(red) or set color=red or x = color here.",
        "<p>the color of money</p>",
        "color: red",
        "Favorite color: the one you like most of all",
        "    the color in indented code",
        "$color + 1$ is a formula",
        "the COLOR constant",
    ],
)
def test_code_quotations_links_labels_and_identifiers_are_left_alone(text):
    untouched(text, BRITISH)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The ships at Pearl Harbor were old.", BRITISH),
        ("He works at the World Trade Center now.", BRITISH),
        ("Labor Day is in September.", BRITISH),
        ("Organization of American States members met.", BRITISH),
        ("The Labour Party won.", AMERICAN),
        ("Labour won.\nLabour", AMERICAN),
        ("We read The Colour of Magic together.", AMERICAN),
        ("## Colour Theory\n\nIt is about paint.", AMERICAN),
        ("He met Defence Secretary Jones.", AMERICAN),
    ],
)
def test_names_and_titles_are_left_alone(text, question):
    untouched(text, question)


@pytest.mark.parametrize(
    "text",
    [
        "The tire of the car met the curb.",
        "Check the draft program of the meter.",
        "A license to practice is needed on the second story.",
        "He analyzes the disk.",
        "An aesthetic analog of archaeology and dialogue.",
        "The encyclopedia of medieval connections is biased.",
        "A catalogue of monologues, buses and gases.",
    ],
)
def test_words_whose_pair_has_another_meaning_or_no_clear_side_are_left_alone(text):
    untouched(text, BRITISH)
    untouched(text, AMERICAN)


def test_oxford_and_canadian_spelling_are_consistent():
    untouched("We organize the colour of the centre.", BRITISH)
    untouched("They analyze the flavour, and organize the centre.")
    untouched("They analyse the flavour, and organize the centre.")


def test_ise_is_evidence_and_ize_becomes_wrong_with_it():
    assert respelled("We organize the trip.", "Can you summarise this for me?") == (
        "We organise the trip."
    )
    assert respelled("We organise the trip.", "Can you summarize this for me?") == (
        "We organize the trip."
    )


def test_a_clear_majority_decides_where_nothing_else_does():
    text = "The color, the flavor and, in the end, the odor of a harbour."
    assert respelled(text) == text.replace("harbour", "harbor")
    untouched("The color of the flavour.")
    untouched("The colours and the odors, the flavors and the harbours.")


def test_both_spellings_side_by_side_are_talked_about():
    untouched("Write colour or color.", AMERICAN)


@pytest.mark.parametrize(
    "text",
    [
        "In British English, the word is colour, and it is spelled color elsewhere.",
        "The US spelling is color.",
    ],
)
def test_an_answer_about_spelling_is_left_alone(text):
    untouched(text, BRITISH)


def test_a_question_about_spelling_sets_nothing():
    untouched("It is colour.", "How is color spelled in London?")


def test_a_named_variety_goes_before_the_users_own_words():
    assert respelled("The colour.", "Use American English for my neighbour.") == "The color."
    assert respelled("The color.", standard="British English") == "The colour."
    assert respelled("The color.", ("system", "Answer in en-GB."), "Hello there") == "The colour."
    assert respelled("We organize.", standard="Australian English") == "We organise."
    untouched("We organize.", standard="British English")
    assert respelled("We organise colors.", standard="Canadian English") == "We organize colours."


def test_two_named_varieties_are_talk_about_them():
    assert named_variety("American English and British English") is None
    untouched("The color.", "Compare British English with American English")


def test_the_prompt_sets_the_variety_only_where_no_user_spoke():
    assert respelled("The color.", ("", "Describe the colour of it.")) == "The colour."
    untouched("The color.", ("system", "Describe the flavour of it."), "Hello, what is it?")


ADVISER = ("system", "You advise on colours and flavours.")
TASTE = "Hello, what is it?"


def test_beside_a_user_the_prompt_settles_an_answer_of_two_varieties():
    assert respelled("The color of the harbour.", ADVISER, TASTE) == "The colour of the harbour."
    american = ("system", "You advise on colors.")
    assert respelled("The color of the harbour.", american, TASTE) == "The color of the harbor."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # uniform, in the other variety
        ("The color of the harbor.", [ADVISER, TASTE]),
        # on an axis that the prompt does not settle: Canadian and Oxford spelling have both
        ("The colour. They organize and they realise it.", [ADVISER, TASTE]),
        # the prompt takes no side, both, or talks about spelling
        ("The color of the harbour.", [("system", "You advise."), TASTE]),
        ("The color of the harbour.", [("system", "Advise on colours and a favorite."), TASTE]),
        ("The color of the harbour.", [("system", "Spelling of colours matters."), TASTE]),
        # another's words
        ("The color of the harbour.", [("assistant", "Colours it is."), TASTE]),
        ('The harbour has "color".', [("system", "You advise on colors."), TASTE]),
    ],
)
def test_the_prompt_settles_nothing_else(text, said):
    untouched(text, *said)


def test_the_users_text_and_a_clear_majority_are_stronger_than_the_prompt():
    assert respelled("The color of the harbour.", ADVISER, AMERICAN) == "The color of the harbor."
    assert respelled("A color, an odor and a flavor of the harbour.", ADVISER, TASTE) == (
        "A color, an odor and a flavor of the harbor."
    )


def test_the_first_clear_answer_of_a_session_settles_it():
    session = Session("Tell me about paint.")
    untouched("The colour of the harbour is fine.", session=session)
    assert respelled("Another color.", session=session) == "Another colour."
    untouched("Another color.", session=Session("Tell me about paint."))


def test_one_word_of_an_earlier_answer_settles_nothing():
    session = Session("Tell me about paint.")
    untouched("The colour is fine.", session=session)
    untouched("Another color.", session=session)


def test_the_first_input_of_the_session_holds_for_later_questions():
    session = Session("What is my favourite thing?")
    session.hear("And the next one, what is it?")
    assert respelled("A color.", session=session) == "A colour."


def test_sessions_of_threads_keep_apart():
    results = {}

    def run(name, first):
        session = Session(first)
        results[name] = [judge("The color. The colour.", session=session).text for _ in range(50)]

    threads = [
        threading.Thread(target=run, args=("uk", "My favourite thing")),
        threading.Thread(target=run, args=("us", "My favorite thing")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Side by side the two forms of one word are left; the other word is not.
    assert set(results["uk"]) | set(results["us"]) == {"The color. The colour."}
    assert judge("A flavor.", session=Session("My favourite thing")).text == "A flavour."


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("tokenisation", "tokenization"),
        ("containerisations", "containerizations"),
        ("contextualising", "contextualizing"),
        ("operationalised", "operationalized"),
    ],
)
def test_productive_endings_need_no_dictionary(british, american):
    text = f"The {british} of the colour."
    assert respelled(text, AMERICAN) == f"The {american} of the color."
    assert respelled(f"The {american} of it and the color.", "Can you summarise it?") == (
        f"The {british} of it and the colour."
    )


def test_words_in_ise_everywhere_are_left_alone():
    text = "The colour of the improvisation was a surprise exercise that I advised and promised."
    assert respelled(text, AMERICAN) == text.replace("colour", "color")


def test_heuristics_can_be_switched_off():
    untouched("The color.", BRITISH, without=("lexical.spelling",))
    untouched("The color.", BRITISH, without=("lexical",))
    assert all(name.startswith("lexical.") for name in HEURISTICS)


def test_another_scenario_has_no_check():
    evidence = Evidence(file="a.py", line=1, expression="x")
    assert prepare(ScenarioRequirement(name="succinct_content", evidence=evidence)) is None


def test_an_overlong_answer_is_refused_at_once():
    text = "color " * 2_000_000
    verdict = judge(text, BRITISH)
    assert verdict.disposition == "refused"
    assert verdict.text is text


def test_without_the_library_the_feature_is_off_and_the_log_says_why(monkeypatch, caplog):
    def missing():
        raise MissingExtraError("no breame", next_step='pip install "knitbone[language]"')

    monkeypatch.setattr(check_module, "spellings", missing)
    with caplog.at_level(logging.WARNING, logger="knitbone"):
        untouched("The color.", BRITISH)
    assert "knitbone[language]" in str(caplog.records[0].fields)


def test_every_pair_is_its_own_inverse_and_follows_its_rule():
    table = spellings()
    for word, spelling in table.items():
        if word in BRITISH_ONLY or word in AMERICAN_ONLY:
            assert spelling.other not in table
            continue
        back = table[spelling.other]
        assert back.other == word
        assert back.axis == spelling.axis
        assert back.side != spelling.side
    assert pair_by_rule("color", "colour") == "core"
    assert pair_by_rule("cat", "dog") is None


def test_the_state_is_one_a_session():
    session = Session()
    check_for()("The color of the harbor.", asked(session=session))
    assert session.state(LexicalStandard).spelling(asked(session=session), "")["core"] == "US"


NAMED = ("system", "Use British English.")


def test_ise_and_ize_in_one_british_answer_become_ise():
    assert respelled("We organise and realize it.", NAMED, TASTE) == "We organise and realise it."
    assert respelled("We organise and realize it.", BRITISH) == "We organise and realise it."
    untouched("We organize and realize the colour of it.", NAMED, TASTE)
    untouched("We realise, but organize and finalize it.", NAMED, TASTE)
    untouched("We organise and realize it.", TASTE)


def test_an_american_answer_in_place_of_a_british_one_has_no_oxford_spelling():
    text = "We organize the color of it."
    assert respelled(text, NAMED, TASTE) == "We organise the colour of it."
    # the user may be Canadian
    assert respelled(text, BRITISH) == "We organize the colour of it."


def test_words_that_only_one_variety_has():
    assert respelled("Get the new catalog.", NAMED, TASTE) == "Get the new catalogue."
    us = ("system", "Use American English.")
    assert respelled("Two metres of the kerb.", us, TASTE) == "Two meters of the curb."
    untouched("Get the new catalogue.", us, TASTE)
    untouched("Check the program and the meter, says the story.", NAMED, TASTE)
    # no word of a catalogue makes an author American
    untouched("The colour is grey.", "Is the catalog of it online?")


def test_verbs_that_no_dictionary_lists():
    assert respelled("It has a color and is vectorized.", "Use Australian English.") == (
        "It has a colour and is vectorised."
    )
    untouched("Arise to exercise, advertise a surprise, revise and improvise.", AMERICAN)


def test_what_is_said_to_be_a_name_in_a_program_stays():
    untouched("Import the colour package, then call the normalise method.", AMERICAN)
    assert respelled("It has no favourite methods.", AMERICAN) == "It has no favorite methods."
