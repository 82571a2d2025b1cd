"""Redundant semantics: what goes, and all that must stay."""

import pytest

from knitbone import Session
from knitbone.adaptation.scenario.semantics import HEURISTICS, prepare, repeats
from knitbone.adaptation.scenario.semantics.atoms import read_answer
from knitbone.adaptation.scenario.semantics.removal import missing_content
from knitbone.adaptation.testing import (
    Deadline,
    Evidence,
    Invocation,
    PromptMessage,
    ScenarioRequirement,
)
from knitbone.config import AdaptConfig
from knitbone.models.minilm import MiniLmEmbedder

EVIDENCE = Evidence(file="app.py", line=1, expression="print(answer)")
EMBEDDER = MiniLmEmbedder()


def scenario(name):
    return ScenarioRequirement(name=name, evidence=EVIDENCE, confidence="high")


SUCCINCT = prepare(scenario("succinct_content"))
CONTEXT = prepare(scenario("no_contextual_redundancy"))


def invocation(query="", *, said=None, embedder=EMBEDDER, session=None, without=()):
    messages = said or ([PromptMessage(role="user", text=query)] if query else [])
    return Invocation(
        AdaptConfig(budget_ms=60_000, without=without),
        session=session,
        asked=lambda: messages,
        embedder=lambda: embedder,
        site="app.py:1",
    )


def check(text, query="", **circumstances):
    return SUCCINCT(text, invocation(query, **circumstances))


def untouched(text, query="", **circumstances):
    verdict = check(text, query, **circumstances)
    return verdict.disposition == "conforming" and verdict.text is text


TEMPLE = "The temple was built by Japanese monks and rebuilt after the fire."
GARDEN = "Its garden holds more than three hundred kinds of moss."


def test_other_scenarios_are_not_ours():
    assert prepare(scenario("relevant_content")) is None


# Sentences.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{TEMPLE} {TEMPLE} {GARDEN}", f"{TEMPLE} {GARDEN}"),
        (f"{TEMPLE} {GARDEN}\n\n{TEMPLE}", f"{TEMPLE} {GARDEN}"),
        (f"{TEMPLE} {GARDEN}\n\n{TEMPLE}\n\nGoodbye!\n", f"{TEMPLE} {GARDEN}\n\nGoodbye!\n"),
        (f"{TEMPLE} {GARDEN}\n\n{TEMPLE} {GARDEN}", f"{TEMPLE} {GARDEN}"),
        (f"{TEMPLE} {TEMPLE.replace('.', '!')}", TEMPLE),
    ],
)
def test_a_sentence_in_the_same_words_goes(text, expected):
    verdict = check(text)
    assert verdict.disposition == "repaired"
    assert verdict.text == expected
    assert verdict.rules


@pytest.mark.parametrize(
    "text",
    [
        "Gate A closes at 9 in the evening. Gate B closes at 7 in the evening.",
        "Do not delete the backup of today. Delete the backup of today.",
        "Take two pills every four hours. Take four pills every two hours.",
        "Option A: take the train to Rome. Option B: take the train to Rome.",
        "The valve of the pump is open. The valve of the pump is closed.",
        "Alice pays Bob the whole amount. Bob pays Alice the whole amount.",
        "Yes. Maybe. Yes.",
        "Is the door of the shed locked now? Is the door of the shed locked now?",
        'He said "come here to me". He said "come here to me".',
    ],
)
def test_sentences_that_differ_or_repeat_on_purpose_stay(text):
    assert untouched(text)


def test_what_is_said_of_two_things_stays_under_both():
    line = "It is open from nine to five and free for children."
    assert untouched(f"# Louvre\n\n{line}\n\n# Orsay\n\n{line}")
    assert untouched(f"1. Louvre. {line}\n2. Orsay. {line}")
    assert untouched(f"Louvre: {line}\n\nOrsay: {line}")
    museum = "The museum is open from nine to five and free for children."
    assert untouched(f"I like the Louvre. {museum} Then see the Orsay. {museum}")


def test_behind_a_list_the_text_before_it_is_spoken_of_again():
    items = "- Bring water.\n- Bring shoes."
    text = f"{TEMPLE} {GARDEN}\n\n{items}\n\n{TEMPLE}"
    assert check(text).text == f"{TEMPLE} {GARDEN}\n\n{items}"
    # Here the paragraph belongs to the item before it.
    line = "It is open from nine to five and free for children."
    assert untouched(f"{line}\n\n1. Louvre\n\n{line}\n\n2. Orsay\n\n{line}")


def test_what_says_by_itself_what_it_is_about_goes_though_a_name_came_up():
    stands = "Bicycle stands are built next to gate four."
    text = f"{stands} Support reports slow logins from Asia. {stands}"
    assert check(text).text == f"{stands} Support reports slow logins from Asia."
    text = f"{stands}\n\n- Call Anna.\n- Write to Tom.\n\n{stands}"
    assert check(text).text == f"{stands}\n\n- Call Anna.\n- Write to Tom."
    for between in ("## Costs", "---", "Tom: yes.\n\nAnna: no.\n\nTom: yes."):
        assert untouched(f"{stands}\n\n{between}\n\n{stands}")
    text = f"{stands} The roof leaks. It was seen on Friday. The roof leaks. It was seen on Friday."
    assert check(text).disposition == "conforming"
    roof = "The roof of the hall leaks."
    assert check(f"{roof} Call me on Friday. {roof}").text == f"{roof} Call me on Friday."
    fee = "Visitors pay at the desk."
    assert untouched(f"I like Rome. {fee} Then see the Orsay. {fee}")


@pytest.mark.parametrize(
    "pair",
    [
        ("Marketing wants shorter names for it.", "Shorter names for it are wanted by marketing."),
        ("The budget for travel is cut by a tenth.", "The travel budget is reduced by a tenth."),
    ],
)
def test_a_sentence_in_another_construction_goes(pair):
    assert check(" ".join(pair)).edits == 1


def test_a_removal_that_changes_or_loses_anything_is_not_delivered():
    deadline = Deadline(5)
    answer = read_answer(f"{TEMPLE} {TEMPLE} {GARDEN}", deadline)
    assert missing_content(answer, {1}, read_answer(f"{TEMPLE} {GARDEN}", deadline)) == ""
    assert "another way" in missing_content(
        answer, {1}, read_answer(f"{TEMPLE}\n\n> {GARDEN}", deadline)
    )
    assert "would be lost" in missing_content(answer, {0, 1}, read_answer(GARDEN, deadline))


def test_what_the_next_sentence_leans_on_stays():
    last = "This is why the roof is new."
    text = f"{TEMPLE} The monks lived there for ages. {TEMPLE} {last}"
    assert untouched(text)


def test_a_step_comes_twice_where_a_procedure_is_asked_for():
    text = (
        "Stir the dough with a wooden spoon. Add two eggs and the sugar. "
        "Stir the dough with a wooden spoon. Bake it for an hour."
    )
    assert untouched(text, "Give me a recipe for a cake")


@pytest.mark.parametrize(
    "block",
    [
        "```\nprint('The same line of code.')\nprint('The same line of code.')\n```",
        "| The same cell. | x |\n| The same cell. | x |\n| The same cell. | x |",
        "> It was the best of times for all.\n> It was the best of times for all.",
        "Row, row, row your boat\nGently down the stream\n\nRow, row, row your boat\nGently down",
        "Tom: I do not know where we are.\n\nAnn: No.\n\nTom: I do not know where we are.",
        '{"a": "It is the same. It is the same.", "b": "It is the same. It is the same."}',
        '"og": "The same sentence of a page."\n"tw": "The same sentence of a page."',
        "/x.py:1: UserWarning: It is deprecated now. Use it.\n/x.py:1: UserWarning: It is "
        "deprecated now. Use it.",
        "# Summary of the day\n\n# Summary of the day",
    ],
)
def test_what_is_no_prose_is_never_cut(block):
    assert untouched(block)
    assert untouched(f"Here it is.\n\n{block}\n\nThat was all.")


def test_poems_and_drills_repeat_when_asked_for():
    text = f"{TEMPLE} {TEMPLE}"
    assert untouched(text, "Write a poem about a temple")
    assert untouched(" ".join([TEMPLE] * 30), "Repeat this sentence 30 times: " + TEMPLE)


# List items.


def test_a_bullet_that_comes_twice_goes():
    text = (
        "Tips:\n\n- Use a strong password.\n- Lock the screen.\n- Use a strong password.\n\nDone."
    )
    verdict = check(text)
    assert verdict.text == "Tips:\n\n- Use a strong password.\n- Lock the screen.\n\nDone."


def test_the_items_behind_are_renumbered_in_the_same_style():
    text = (
        "1) The first long reason of all\n2) The second reason we had\n"
        "3) The first long reason of all\n4) The fourth reason we had"
    )
    verdict = check(text, "Why?")
    assert verdict.text == (
        "1) The first long reason of all\n2) The second reason we had\n3) The fourth reason we had"
    )
    assert "1 list item renumbered" in verdict.rules


def test_a_list_whose_numbers_are_referred_to_is_left_alone():
    text = (
        "1. The first long reason of all\n2. The second reason we had\n"
        "3. The first long reason of all\n4. The fourth reason, see item 2"
    )
    verdict = check(text, "Why?")
    assert verdict.disposition == "refused"
    assert verdict.text is text
    assert "may refer to a number" in verdict.reason


def test_a_list_of_a_length_that_was_asked_for_is_left_alone():
    text = "- It is cheap and quick.\n- It works.\n- It is cheap and quick."
    for asked in ("Name exactly 3 reasons", "Give me three good reasons, please"):
        assert check(text, asked).disposition == "refused"
    for asked in ("Name up to 3 reasons", "Give me two reasons", "Why? 3 people asked me."):
        assert check(text, asked).disposition == "repaired"


def test_a_length_that_the_answer_announces_was_wrong_already():
    text = "Three reasons:\n\n- It is cheap and quick.\n- It works.\n- It is cheap and quick."
    assert check(text).text == "Three reasons:\n\n- It is cheap and quick.\n- It works."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Rent a room\n2. Get a job\n3. Get a job\n4. Move in",
         "1. Rent a room\n2. Get a job\n3. Move in"),
        ("1. Get a job\n2. Get a Job.\n3. Move in", "1. Get a job\n2. Move in"),
        ("Task 1. Rent a room\nTask 2. Get a job\nTask 3. Get a job\nTask 4. Move in",
         "Task 1. Rent a room\nTask 2. Get a job\nTask 3. Move in"),
        ("Idea 1 - Sell tea\nIdea 2 - Sell cake\nIdea 3 - Sell tea\nIdea 4 - Rest",
         "Idea 1 - Sell tea\nIdea 2 - Sell cake\nIdea 3 - Rest"),
        ("**Step 1:** Open it\n**Step 2:** Close the lid tightly\n"
         "**Step 3:** Close the lid tightly",
         "**Step 1:** Open it\n**Step 2:** Close the lid tightly"),
    ],
)  # fmt: skip
def test_an_item_right_after_itself_goes_and_so_does_a_distinct_thing(text, expected):
    assert check(text).text == expected


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Step 1: Restart the pump\nStep 2: Clean it\nStep 3: Restart the pump", ""),
        ("1. Do it again\n2. Do it again\n3. Stop", ""),
        ("1. Red card\n2. Red card\n3. Red card\n4. Blue card", ""),
        ("1. Push-ups for a minute\n2. Push-ups for a minute\n3. Rest", "Plan my workout"),
        ("- Home win\n- Home win\n- Away win", "Simulate a season"),
        ("1. 200 g of flour\n2. 200 g of flour\n3. Salt", ""),
        ("1. Knead the dough very well\n2. Let it rise\n3. Knead the dough very well", "Bread?"),
        ("Day 1: Rest and drink tea\nDay 2: Rest and drink tea\nDay 3: Walk", ""),
        ("Task 1. Get a job\nTask 2. Get a dog\nTask 3. Get two jobs", ""),
    ],
)
def test_items_that_may_be_meant_to_come_twice_stay(text, query):
    assert untouched(text, query)


def test_a_step_of_its_own_kind_goes_in_a_procedure_too():
    text = "1. Grease the baking tin\n2. Peel the onions\n3. Grease the baking tin\n4. Rest"
    expected = "1. Grease the baking tin\n2. Peel the onions\n3. Rest"
    assert check(text, "How do I cook it? List the steps").text == expected


def test_an_item_in_other_words_goes():
    text = (
        "Task 1. Buy bread and milk\nTask 2. Check the door locks\nTask 3. Purchase bread and milk"
    )
    assert check(text).text == "Task 1. Buy bread and milk\nTask 2. Check the door locks"
    text = "- Check the door locks\n- Call a friend\n- Check the locks of the door"
    assert check(text, "Which tasks are left?").edits == 1
    assert untouched(text, "Which tasks are left?", without=("semantics.reworded",))
    verdict = check(text, "Which tasks are left?", embedder=None)
    assert verdict.text is text
    assert "no embedder" in verdict.reason


def test_items_with_another_fact_stay():
    assert untouched("- Add 100 g of sugar\n- Stir\n- Add 50 g of sugar", "Recipe for jam")
    assert untouched("- Fry the first side until brown\n- Fry the second side until brown")
    assert untouched("- A team member may do it\n- A team member may do it and a developer")
    assert untouched("- Send the bill of the client to Tom\n- Send the bill of Tom to the client")


def test_lettered_items_are_left_alone():
    text = "a) The answer is a red ball\nb) The sky\nc) The answer is a red ball"
    assert check(text).disposition == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "- yes\n- no\n- yes",
        "- 1 cup of sugar and some salt\n- flour\n- 1 cup of sugar and some salt",
        "Ingredients:\n\n- Salt and pepper to taste\n- cheese\n- Salt and pepper to taste",
        "1. Push the red button down very slowly\n2. Wait\n3. Push the red button down very slowly",
        "- Who was the king of France?\n- When?\n- Who was the king of France?",
        "- Fruit we like to eat:\n  - apples\n- Fruit we like to eat:\n  - pears",
        "- Use a strong password here.\n\nAnd at work:\n\n- Use a strong password here.",
    ],
)
def test_items_that_may_have_to_come_twice_stay(text):
    assert untouched(text)


def test_nested_items_go_with_theirs():
    fruit = "- Keep all of the fruit cold\n  - apples"
    assert check(f"{fruit}\n- Wash it\n{fruit}").text == f"{fruit}\n- Wash it"


# Loops.


def test_a_loop_collapses_to_one_round_and_its_cut_off_end_goes():
    text = "A first word. " + f"{TEMPLE} {GARDEN} " * 9 + TEMPLE[:20]
    verdict = check(text)
    assert verdict.text == f"A first word. {TEMPLE} {GARDEN}"
    assert verdict.rules == ("a loop of 9 rounds reduced to one",)


def test_a_line_that_comes_fifty_times_collapses():
    assert check("\n".join(["I am sorry about that"] * 50)).text == "I am sorry about that"


def test_a_loop_of_numbered_items_collapses():
    text = "\n".join(f"{n}. Check the oil of the engine." for n in range(1, 41))
    assert check(text).text == "1. Check the oil of the engine."


def test_refrains_and_columns_are_no_loops():
    chorus = "We will rock you now\nSing it\n\n"
    assert untouched(chorus * 5)
    assert untouched("\n".join(["0.0"] * 60))
    assert untouched("#\n" * 40)


# In other words.


def test_a_rewording_with_the_same_facts_goes():
    text = f"The lake freezes over in winter. {GARDEN} In winter, the lake freezes over."
    assert check(text).text == f"The lake freezes over in winter. {GARDEN}"


def test_without_an_embedder_a_rewording_stays_and_the_reason_says_so():
    text = f"The lake freezes over in winter. {GARDEN} In winter, the lake freezes over."
    verdict = check(text, embedder=None)
    assert verdict.text is text
    assert "no embedder" in verdict.reason


def test_the_embedder_is_not_loaded_without_a_pair_to_ask_about():
    def load():
        raise AssertionError("loaded")

    asked = Invocation(AdaptConfig(budget_ms=60_000), embedder=load)
    assert SUCCINCT(f"{TEMPLE} {GARDEN}", asked).disposition == "conforming"
    assert SUCCINCT(f"{TEMPLE} {TEMPLE}", asked).disposition == "repaired"


def test_the_threshold_of_the_configuration_wins():
    text = "You can purchase tickets online now. You can buy tickets online now."
    assert check(text).disposition == "repaired"
    asked = Invocation(AdaptConfig(budget_ms=60_000, tau_redundancy=1.0), embedder=lambda: EMBEDDER)
    assert SUCCINCT(text, asked).disposition == "conforming"


def test_what_says_less_goes_whichever_comes_first():
    text = "The road is closed to cars. The road is closed to cars because a tree fell."
    assert check(text).text == "The road is closed to cars because a tree fell."


# Heuristics.


@pytest.mark.parametrize(
    ("heuristic", "text"),
    [
        ("semantics.sentences", f"{TEMPLE} {TEMPLE}"),
        ("semantics.items", "- Use a strong password.\n- Lock it.\n- Use a strong password."),
        ("semantics.reworded", "The lake freezes in winter. In winter, the lake freezes."),
        ("semantics.loops", "I am sorry about that\n" * 50),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, text):
    assert heuristic in HEURISTICS
    assert check(text).disposition == "repaired"
    assert untouched(text, without=(heuristic,))
    assert untouched(text, without=("semantics",))


# The prompt said again.

QUESTION = "Which museums in Oslo are open on Mondays?"
ANSWER = "The Munch museum and the Fram museum are."


def in_context(text, query=QUESTION, **circumstances):
    return CONTEXT(text, invocation(query, **circumstances))


@pytest.mark.parametrize(
    "opening",
    [
        f"{QUESTION}\n\n",
        f"You asked: {QUESTION}\n",
        f"Q: {QUESTION}\nA: ",
        f"**Question:** {QUESTION.lower()}\n\n**Answer:** ",
        f"{QUESTION} ",
        f"Q: {QUESTION} A: ",
    ],
)
def test_the_question_at_the_start_goes(opening):
    verdict = in_context(opening + ANSWER)
    assert verdict.text == ANSWER
    assert verdict.rules == ("the question removed, which the prompt already says",)


def test_a_system_message_at_the_start_goes():
    system = "You are a helpful guide to museums.\nAnswer shortly and never make things up."
    said = [PromptMessage(role="system", text=system), PromptMessage(role="user", text=QUESTION)]
    assert in_context(f"{system}\n\n{ANSWER}", said=said).text == ANSWER


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (f"{QUESTION}\n\n{ANSWER}", f"Repeat my question, then answer: {QUESTION}"),
        ("It rained all day long.\n\nAnd more.", "Continue this story: It rained all day long."),
        (QUESTION, QUESTION),
        (f"{QUESTION.upper()} {ANSWER}", QUESTION),
        (f"{QUESTION} No.", QUESTION),
        (f"Why is it? {ANSWER}", "Why is it?"),
        (f"{QUESTION} {ANSWER}", f"Write a FAQ. {QUESTION}"),
        (f"{QUESTION}x", QUESTION),
        (f"# {QUESTION[:12]}\n\n{ANSWER}", QUESTION),
        (f"{ANSWER}\n\n{QUESTION}", QUESTION),
        ("Hello there\n\nHow can I help you today?", "Hello there"),
        (f"{QUESTION.replace('Oslo', 'Bergen')}\n\n{ANSWER}", QUESTION),
    ],
)
def test_what_may_be_asked_for_or_is_no_full_echo_stays(text, query):
    verdict = in_context(text, query)
    assert verdict.disposition == "conforming"
    assert verdict.text is text


def test_a_prompt_that_a_model_goes_on_from_goes():
    prompt = "You know all museums. Answer in one sentence: which are free?\nAnswer:"
    assert in_context(f"{prompt} {ANSWER}", prompt).text == ANSWER


def test_what_the_system_message_says_of_formats_is_no_wish_for_an_echo():
    said = [
        PromptMessage(role="system", text="Classify the text and format it as a heading."),
        PromptMessage(role="user", text=QUESTION),
    ]
    assert in_context(f"{QUESTION}\n\n{ANSWER}", said=said).text == ANSWER
    assert in_context(f"{QUESTION}\n\n{ANSWER}", f"Fix it: {QUESTION}").text != ANSWER


EXAMPLES = "Q: What is 1 + 1?\nA: 2\n\nQ: What is 2 + 2?\nA:"


def test_a_further_example_behind_the_answer_goes():
    verdict = in_context(" 4 is the answer.\n\nQ: What is 3 + 3?\nA: 6", EXAMPLES)
    assert verdict.text == " 4 is the answer."


def test_a_label_is_no_further_example_where_the_prompt_has_none():
    text = "Some frequent questions:\n\nQ: What is it?\nA: A museum."
    assert in_context(text, "Write me a FAQ, please").text is text
    assert CONTEXT(text, Invocation(AdaptConfig())).text is text


@pytest.mark.parametrize(
    "head", ["Here is the improved draft:", "Sure! Here\u2019s a revised version:", "**Revised:**"]
)
def test_the_introduction_of_an_iteration_is_nothing_new(head):
    assert repeats(f"{head}\n\n{TEMPLE} {GARDEN}", f"{TEMPLE} {GARDEN}", invocation())
    assert not repeats(f"{head}\n\n{TEMPLE}", f"{TEMPLE} {GARDEN}", invocation())


def test_a_title_is_no_introduction():
    assert not repeats(f"The old temple:\n\n{TEMPLE}", TEMPLE, invocation())


TEMPLATE = (
    "Context:\nBicycles are parked in the yard.\nPackages are kept for a week.\n\n"
    "Question: Where do I park my bicycle?\nUse only the context.\nAnswer:"
)


@pytest.mark.parametrize(
    "opening",
    [
        "Question: Where do I park my bicycle?\nAnswer: ",
        "Where do I park my bicycle?\n\n",
        "**Question:** Where do I park my bicycle?\n\n",
        "Context:\nBicycles are parked in the yard.\n\n"
        "Question: Where do I park my bicycle?\nAnswer: ",
    ],
)
def test_the_question_of_a_template_before_the_answer_goes(opening):
    assert in_context(f"{opening}Park it in the yard.", TEMPLATE).text == "Park it in the yard."


@pytest.mark.parametrize(
    "text",
    [
        "Bicycles are parked in the yard.\nPackages are kept for a week.",
        "Bicycles are parked in the yard.\n\nAnswer: Park it there.",
        "Question: Where do I park my car?\nAnswer: The context does not say.",
        "Question: Where do I park my bicycle?\nAnswer:",
    ],
)
def test_an_answer_out_of_the_context_stays(text):
    assert in_context(text, TEMPLATE).text is text


def test_the_echo_can_be_switched_off():
    text = f"{QUESTION}\n\n{ANSWER}"
    assert in_context(text, without=("semantics.echo",)).text is text
    text = " 4 is the answer.\n\nQ: What is 3 + 3?\nA: 6"
    assert in_context(text, EXAMPLES, without=("semantics.continuation",)).text is text


# Earlier answers.

LONG = f"{TEMPLE} {GARDEN} It was moved to the north of the town in the last century by its owner."


def test_the_same_answer_to_another_question_is_reported_and_delivered():
    session = Session()
    assert check(LONG, "Tell me about it", session=session).disposition == "conforming"
    verdict = check(LONG, "How much is the fee?", session=session)
    assert verdict.disposition == "refused"
    assert verdict.text is LONG
    assert "Tell me about it" in verdict.reason


def test_the_same_answer_is_right_for_the_same_question_and_in_another_session():
    session = Session()
    for _ in range(3):
        assert check(LONG, "Tell me about it", session=session).disposition == "conforming"
    assert check(LONG, "Something else?", session=Session()).disposition == "conforming"
    for query in ("Is it so?", "And this?"):
        assert check("Yes, that is right, it is so.", query, session=session).text


def test_the_history_has_a_length():
    session = Session()
    for number in range(11):
        check(f"{LONG} Number {number} of many answers.", f"Question {number}", session=session)
    first = f"{LONG} Number 0 of many answers."
    assert check(first, "Another one", session=session).disposition == "conforming"


@pytest.mark.parametrize(
    ("answer", "earlier", "expected"),
    [
        (LONG, LONG, True),
        (LONG, f"  {LONG}\n", True),
        ("In winter, the lake freezes over.", "The lake freezes over in winter.", True),
        ("The refund is 120 dollars.", "The refund is 12 dollars.", False),
        (LONG, TEMPLE, False),
        ("```\nx = 1\n```", "```\nx  =  1\n```", True),
        ("```\nx = 1\n```", "```\nx = 2\n```", False),
        ("", "Text.", False),
    ],
)
def test_an_iteration_repeats_the_one_before_only_where_nothing_changed(answer, earlier, expected):
    assert repeats(answer, earlier, invocation()) is expected


def test_without_an_embedder_other_words_are_another_answer():
    one, other = "In winter, the lake freezes over.", "The lake freezes over in winter."
    assert repeats(one, other, invocation(embedder=None))
    one, other = "You can buy spare parts cheaply.", "Spare parts are sold cheaply."
    assert not repeats(one, other, invocation(embedder=None))


@pytest.mark.parametrize(
    ("earlier", "answer"),
    [
        ("Bring a warm coat, for the dome is not heated.",
         "The dome is unheated, so bring a warm coat."),
        ("Spare parts are sold at cost price.", "You can buy spare parts at cost price."),
        ("Reading music is not required.", "You need not read music."),
        ("Our coffee is roasted daily. It is grown in Peru.",
         "Grown in Peru, our coffee is roasted daily."),
        ("Singers are welcome most of all.", "Most welcome of all are singers."),
        (f"{TEMPLE} {GARDEN}", f"{GARDEN} {TEMPLE}"),
    ],
)  # fmt: skip
def test_an_iteration_in_other_words_or_another_order_repeats(earlier, answer):
    assert repeats(answer, earlier, invocation())
    assert repeats(earlier, answer, invocation())


@pytest.mark.parametrize(
    ("earlier", "answer"),
    [
        ("The dome opens at nine.", "The dome opens at ten."),
        ("The dome opens at nine.", "The dome does not open at nine."),
        ("Anna opens the fair at noon.", "Petra opens the fair at noon."),
        ("Anna pays Tom for the work.", "Tom pays Anna for the work."),
        ("The sun rises in the west every morning.", "The sun rises in the east every morning."),
        ("Wash it before cutting it.", "Wash it after cutting it."),
        ("You must register today.", "You may register today."),
        ("Some guests left early.", "All guests left early."),
        ("The tour starts at ten.", "The tour starts at ten. Bring water."),
        ("The tour starts at ten. Bring water.", "The tour starts at ten."),
        ("- Bread\n- Milk", "- Bread\n- Milk\n- Eggs"),
        ("The cat sat on the mat.", "The cat slept on the mat."),
    ],
)
def test_an_iteration_with_another_fact_is_new(earlier, answer):
    assert not repeats(answer, earlier, invocation())
    assert not repeats(answer, earlier, invocation(embedder=None))


def test_a_draft_that_was_sent_along_may_come_back_unchanged():
    session = Session()
    check(LONG, "Draft: nothing yet. Add what it lacks", session=session)
    again = check(LONG, f"Draft: {LONG} Add what it lacks", session=session)
    assert again.disposition == "conforming"


LOG = "Dec  6 03:53:07 web02 systemd[1]: Started the nightly session of user gray."


@pytest.mark.parametrize(
    "text",
    [
        f"{LOG}\nDec  6 03:53:09 web02 systemd[1]: Stopped it.\n{LOG}\n",
        "- [x] Set the colour of it to grey\n- [ ] Sign\n- [x] Set the colour of it to grey\n",
    ],
)
def test_what_was_said_or_done_again_is_on_record_again(text):
    assert untouched(text)
