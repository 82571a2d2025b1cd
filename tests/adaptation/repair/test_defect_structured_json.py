"""JSON and JSON Lines: what is repaired, what is left alone, and the contracts."""

import json
import re

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured import HEURISTICS
from knitbone.adaptation.repair.structured.json import MAX_TEXT
from knitbone.adaptation.repair.structured.json_consumer import JsonConsumer
from knitbone.adaptation.testing import (
    Evidence,
    Invocation,
    Step,
    StructuredTemplate,
    prepare_check,
)
from knitbone.common.structured import Field, Shape, fits
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="json.loads(text)")


def field(name, kind="string", required=True, **more):
    return Field(name=name, shape=Shape(type=kind, **more), required=required)


ORDER = Shape(
    type="object",
    fields=(
        field("customer"),
        field("item"),
        field("quantity", "integer"),
        field("due", required=False),
    ),
)
ORDERS = Shape(type="array", items=ORDER)
ANY = Shape()
ONE = '{"customer": "Zoe", "item": "lamp", "quantity": 3}'
TWO = '{"customer": "Bob", "item": "desk", "quantity": 1}'


def check_of(shape=ORDER, parser="json.loads", form="json", on_violation="raises", steps=()):
    template = StructuredTemplate(
        format=form,
        shape=shape,
        parser=parser,
        evidence=EVIDENCE,
        on_violation=on_violation,
        steps=steps,
    )
    check = prepare_check(template)
    assert check is not None
    return check


def run(text, shape=ORDER, *, without=(), **more):
    invocation = Invocation(AdaptConfig(budget_ms=60_000, without=without))
    return check_of(shape, **more)(text, invocation)


CONFORMING = [
    (ORDER, ONE),
    (ORDER, f"\n {ONE} \n"),
    (ORDER, ONE[:-1] + ', "extra": [1, {"a": null}]}'),
    (ORDER, ONE[:-1] + ', "quantity": 4}'),
    (ORDER, ONE[:-1] + ', "due": null}'),
    (ORDER, ONE[:-1] + ', "note": NaN, "big": 1e999, "half": "\\ud800"}'),
    (ORDER, ONE.replace("lamp", "```json {} ```, 'x' // y")),
    (ORDERS, f"[{ONE}, {TWO}]"),
    (ORDERS, "[]"),
    (ANY, "3"),
    (ANY, '{"a": 1, "a": 2}'),
    (Shape(type="object", fields=(field("n", "integer", convertible=True),)), '{"n": " 12 "}'),
]


@pytest.mark.parametrize(("shape", "text"), CONFORMING)
def test_what_the_parser_and_the_code_take_is_the_same_object(shape, text):
    verdict = run(text, shape)
    assert verdict.disposition == "conforming"
    assert verdict.text is text


REPAIRED = [
    (f"Here you are:\n```json\n{ONE}\n```\nSee [1] and {{name}}.", ONE),
    (f"{ONE},", ONE),
    (f"{ONE}.", ONE),
    (f'{{"order": {ONE}}}', ONE),
    (f"[{ONE}]", ONE),
    (f"{ONE}\n{ONE}", ONE),
    (f"{{{ONE}}}", ONE),
    (f"Draft: {TWO}\nCorrected version: {ONE}", ONE),
    (f"{TWO[:-1]}, and so on\n```json\n{ONE}\n```", ONE),
    (f'Format: {{"customer": "..."}}\nAnswer: {ONE}', ONE),
    (f"```python\nx = {TWO}\n```\n{ONE}", ONE),
    (ONE[:-1], None),
    (ONE[:-1] + ',}', ONE),
    (ONE.replace('"', "'"), ONE),
    (ONE.replace("3", '"3"'), ONE),
    (ONE.replace("3", "3.0"), ONE),
    (ONE.replace('"item"', "Item"), ONE),
    (ONE.replace("customer", "custmer"), ONE),
    (ONE.replace('"Zoe"', "Smith, John"), ONE.replace("Zoe", "Smith, John")),
    (ONE.replace('"lamp"', "1.50"), ONE.replace("lamp", "1.50")),
    (ONE.replace('"lamp"', "02139"), ONE.replace("lamp", "02139")),
    (ONE.replace("}", ', "Due": "May"}'), ONE.replace("}", ', "due": "May"}')),
    (json.dumps(ONE), ONE),
    (f"```json\n{json.dumps(ONE)}\n```", ONE),
    (json.dumps(ONE[:-1] + ",}"), ONE),
    (ONE.replace('"', '\\"'), ONE),
    (ONE[1:], ONE),
    (f"```json\n{ONE[1:-1]}\n```", ONE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), REPAIRED)
def test_it_repairs(text, wanted):
    verdict = run(text)
    if wanted is None:  # a number at the very end may be cut off
        assert verdict.disposition == "refused"
        assert "cut off" in verdict.reason
        return
    assert (verdict.disposition, verdict.text) == ("repaired", wanted)
    assert verdict.rules
    assert verdict.edits >= 1
    assert run(verdict.text).text is verdict.text


REFUSED = [
    (ORDER, "I could not find an order."),
    (ORDER, ""),
    (ORDER, ONE[:20]),
    (ORDER, ONE[:-1]),
    (ORDER, ONE[1:-1]),
    (ORDER, ONE[1:].replace("customer", "client")),
    (ORDER, json.dumps(json.dumps(ONE))),
    (ORDER, json.dumps(f"I found {ONE}")),
    (ORDER, "```json\n3\n```"),
    (ANY, "```\nThree of them.\n```"),
    (ORDER, f"{ONE}{TWO}"),
    (ORDER, f"{ONE}, {TWO}"),
    (ORDER, f"Example: {ONE}\nAnswer: {TWO[:-10]}"),
    (ORDER, f"```json\n{TWO}\n```\nOr rather {ONE}"),
    (ORDER, ONE[:-1] + ', "quantity": 4,}'),
    (ORDER, ONE.replace("3", "three")),
    (ORDER, ONE.replace("3", '"02"')),
    (ORDER, ONE.replace("3", "02")),
    (ORDER, ONE.replace('"item"', '"thing"')),
    (ORDER, f"[{ONE}, {TWO}]"),
    (ORDER, f'{{"order": {ONE}, "total": 3}}'),
    (ORDERS, f"[{ONE}, {TWO},"),
    (ORDERS, f'[{ONE}, {{"customer": "x"}}]'),
    (ORDERS, f"[{ONE}, {TWO[:-5]}"),
    (ANY, "See [1] and [2]."),
    (ANY, "no data"),
    (ORDER, "[" * 100_000),
    (ORDER, '{"customer": "\ud800'),
]


@pytest.mark.parametrize(("shape", "text"), REFUSED)
def test_it_refuses_and_says_why(shape, text):
    verdict = run(text, shape)
    assert verdict.disposition == "refused"
    assert verdict.text is text
    assert verdict.reason


@pytest.mark.parametrize("value", ["3", '"a"', "null", "2.50"])
def test_a_single_value_is_taken_out_of_its_fence(value):
    assert run(f"```json\n{value}\n```\n", ANY).text == value


PLAN = Shape(
    type="object",
    fields=(
        field("title"),
        Field(name="steps", shape=Shape(type="array", items=Shape(type="object", fields=(
            field("name"), field("needs", "any"))))),
    ),
)  # fmt: skip
STEPS = '{"title": "t", "steps": [{"name": "a", "needs": ["x"]%s{"name": "b", "needs": []}%s'


def test_a_guessed_bracket_never_hides_a_list():
    inside = STEPS % (', "steps": [', "]}")
    verdict = run(inside, PLAN)
    assert (verdict.disposition, verdict.text) == ("refused", inside)
    assert "cut off" in verdict.reason
    # Nothing was guessed: the code passes over what is there.
    assert run(STEPS % (', "steps": [', "]}]}"), PLAN).disposition == "conforming"


def test_a_list_in_two_parts_has_two_faults_and_is_refused():
    text = STEPS % ("}], [", "]]")
    assert run(text, PLAN).disposition == "refused"


@pytest.mark.parametrize("item", ['5" lamp', 'lamp 5"'])
def test_a_quote_that_may_be_an_inch_mark_or_one_too_many_is_refused(item):
    verdict = run(ONE.replace("lamp", item))
    assert verdict.disposition == "refused"
    assert "two ways" in verdict.reason


def test_documents_side_by_side_are_a_list_where_one_is_expected():
    verdict = run(f"{ONE}\n{TWO}", ORDERS)
    assert json.loads(verdict.text) == [json.loads(ONE), json.loads(TWO)]
    assert "2 documents -> one array" in verdict.rules


def test_a_record_that_does_not_fit_leaves_the_others_where_the_code_goes_on():
    text = f'[{ONE}, {{"customer": "x"}},]'
    assert run(text, ORDERS).disposition == "refused"
    for reaction in ("silent", "handled"):
        verdict = run(text, ORDERS, on_violation=reaction)
        assert verdict.text == f'[{ONE}, {{"customer": "x"}}]'
        assert "[1]" in verdict.reason
        assert run(verdict.text, ORDERS, on_violation=reaction).text is verdict.text


def test_content_and_numbers_stay_byte_for_byte():
    text = '{"customer" : "\\u00e9\\/",  "item": "a  b", "quantity": "3", "x": 1.50, "y": 1E2,}'
    verdict = run(text)
    assert verdict.text == (
        '{"customer" : "\\u00e9\\/",  "item": "a  b", "quantity": 3, "x": 1.50, "y": 1E2}'
    )


def test_an_answer_that_is_too_long_is_passed_on():
    text = '{"a": "' + "x" * MAX_TEXT
    verdict = run(text)
    assert "bound" in verdict.reason
    assert not verdict.known
    assert run(f"[{ONE}{', ' + ONE}" + " " * MAX_TEXT + "]", ORDERS).disposition == "conforming"


def test_time_that_is_spent_is_the_only_error():
    invocation = Invocation(AdaptConfig(budget_ms=0))
    with pytest.raises(TimeoutError):
        check_of()(ONE[:-1] + ",}", invocation)
    assert check_of()(ONE, invocation).disposition == "conforming"


@pytest.mark.parametrize(
    ("heuristic", "text"),
    [
        ("structured.prose", f"Here: {ONE}"),
        ("structured.json_syntax", ONE[:-1] + ",}"),
        ("structured.keys", ONE.replace("item", "Item")),
        ("structured.types", ONE.replace("3", '"3"')),
        ("structured.wrapper", f"[{ONE}]"),
        ("structured.documents", f"Draft: {TWO} Final: {ONE}"),
        ("structured.encoded", json.dumps(ONE)),
        ("structured.braces", ONE[1:]),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, text):
    assert heuristic in HEURISTICS
    assert run(text).disposition == "repaired"
    for name in (heuristic, "structured"):
        verdict = run(text, without=(name,))
        assert (verdict.disposition, verdict.text) == ("refused", text)


# JSON Lines


@pytest.mark.parametrize("text", [ONE, f"{ONE}\n{TWO}\n", f"{ONE}\n\n{TWO}"])
def test_lines_that_conform_stay(text):
    assert run(text, form="jsonl").text is text


@pytest.mark.parametrize(
    "text",
    [
        f"```jsonl\n{ONE}\n{TWO}\n```",
        f"[{ONE},\n {TWO}]",
        f"{ONE},\n{TWO},",
        f"{ONE}{TWO}",
        f"1. {ONE}\n2. {TWO}",
        f"{ONE[:-1]},}}\n{TWO}",
        f"{ONE.replace('3', chr(34) + '3' + chr(34))}\n{TWO}",
        ONE.replace(", ", ",\n ") + "\n" + TWO,
    ],
)
def test_lines_are_made_of_what_is_there(text):
    verdict = run(text, form="jsonl")
    assert verdict.disposition == "repaired"
    lines = [json.loads(line) for line in verdict.text.splitlines()]
    assert lines == [json.loads(ONE), json.loads(TWO)]
    assert verdict.rules


@pytest.mark.parametrize(
    "text",
    [
        *(f"{ONE}\n{TWO[:-9]}", f'{ONE}\n{{"a": 1}}', "none", f"[{ONE}, 3]"),
        *(f"{ONE}\n...\n{TWO}", f"{ONE}\n…\n", f"{ONE}, ..."),
    ],
)
def test_lines_that_lack_something_are_passed_on(text):
    verdict = run(text, form="jsonl")
    assert verdict.disposition == "refused"
    assert verdict.text is text
    assert verdict.reason


@pytest.mark.parametrize(
    "text",
    [
        "def pair(a):\n    return [a, 1]\n" * 2_000,
        "See [1] for this. It is known.",
        f"{ONE}\nmore [here]\n{TWO}",
        f"Total for [name]:\n{ONE}",
        "[def f(a)\n" + "    return a\n" * 4_000,
    ],
)
def test_brackets_in_words_are_no_lines(text):
    verdict = run(text, ANY, form="jsonl")
    assert (verdict.disposition, verdict.text) == ("refused", text)


@pytest.mark.parametrize(
    "text",
    [
        "Pairs:\n[1, 2]\n[3, 4]",
        "1. [1, 2]\n2. [3, 4]",
        "- [1, 2],\n- [3, 4],",
        "[1, 2] [3, 4]",
        "```jsonl\n[1, 2]\n[3, 4]\n```",
        "`[1, 2]`\n`[3, 4]`",
    ],
)
def test_lines_without_keys_are_found_where_they_stand_alone(text):
    assert run(text, ANY, form="jsonl").text == "[1, 2]\n[3, 4]"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[1, 2]\n3, 4\n[5, 6]", "[1, 2]\n[3, 4]\n[5, 6]"),
        ("[1, 2]\n[3, 4,\n[5, 6]\n", "[1, 2]\n[3, 4]\n[5, 6]\n"),
        ('{"a": 1}\n"a": 2},\n{"a": 3}', '{"a": 1}\n{"a": 2}\n{"a": 3}'),
    ],
)
def test_a_line_gets_the_brackets_that_all_others_have(text, wanted):
    assert run(text, ANY, form="jsonl").text == wanted


def test_the_last_line_gets_no_bracket_because_it_may_have_been_cut_off():
    text = '{"a": 1}\n"a": 2'
    assert run(text, ANY, form="jsonl").text is text


@pytest.mark.parametrize(
    "beside",
    ["a: 7", "Zoe, 7", "name=Zoe", "3 | 4", '"a": 1, "a": 2', "7"],
)
@pytest.mark.parametrize("where", ["before", "between", "behind"])
def test_a_row_that_is_no_document_is_never_left_out(beside, where):
    rows = {"before": 0, "between": 1, "behind": 2}
    lines = ['{"a": 1, "b": "x"}', '{"a": 2, "b": "y"}']
    lines.insert(rows[where], beside)
    text = "\n".join(lines)
    fields = (Field(name="a", shape=ANY), Field(name="b", shape=ANY))
    shape = Shape(type="object", fields=fields)
    verdict = run(text, shape, form="jsonl")
    assert (verdict.disposition, verdict.text) == ("refused", text)


LINES = (Step(name="strip"), Step(name="splitlines"), Step(name="strip"))


@pytest.mark.parametrize(
    "text", [f"```jsonl\n{ONE}\n{TWO}\n```", f"The rows:\n\n{ONE}\n{TWO}", f"[{ONE},\n {TWO}]"]
)
def test_the_cut_into_lines_is_the_checks_own(text):
    check = check_of(form="jsonl", steps=LINES)
    verdict = check(text, Invocation(AdaptConfig(budget_ms=60_000)))
    assert [json.loads(line) for line in verdict.text.splitlines()] == [
        json.loads(ONE),
        json.loads(TWO),
    ]
    assert check.reads_whole


def test_lines_are_cut_as_the_code_does():
    text = ONE.replace("Zoe", "Zo\u2028e")
    invocation = Invocation(AdaptConfig(budget_ms=60_000))
    feeds = check_of(form="jsonl", steps=(Step(name="split", arguments=("\n",)),))
    assert feeds(text, invocation).text is text
    assert check_of(form="jsonl", steps=LINES)(text, invocation).disposition == "refused"


def test_what_is_done_to_a_line_has_to_be_known():
    steps = (*LINES, Step(name="re.search", arguments=("{.*}",)))
    template = StructuredTemplate(
        format="jsonl", shape=ORDER, parser="json.loads", evidence=EVIDENCE, steps=steps
    )
    assert prepare_check(template) is None


# The consumer


def test_what_a_tolerant_parser_takes_is_not_touched():
    fenced = f"Here:\n```json\n{ONE}\n```"
    for parser in (
        "langchain_core.output_parsers.JsonOutputParser().parse",
        "langchain_core.utils.json.parse_json_markdown",
    ):
        assert run(fenced, parser=parser).text is fenced
    assert run(fenced).text == ONE
    broken = f"{ONE} and {{"
    assert run(broken, parser="json.JSONDecoder().raw_decode").text is broken


def test_a_parser_that_converts_by_itself_gets_its_texts():
    text = ONE.replace("3", '"3"')
    assert run(text, parser="Order.model_validate_json").text is text
    assert run(text).text == ONE


def test_what_only_python_reads_is_refused_to_a_strict_parser():
    text = ONE.replace("3", "NaN")
    assert run(text[:-1] + ",}", ANY).text == text
    assert run(text[:-1] + ",}", ANY, parser="orjson.loads").disposition == "refused"


# Contracts

NAMES = st.sampled_from(["customer", "item", "quantity", "due", "Item", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
GOOD = st.fixed_dictionaries(
    {"customer": st.text(), "item": st.text(), "quantity": st.integers()},
    optional={"due": st.none() | st.text(), "x": VALUES},
)
SHAPES = st.sampled_from([ORDER, ORDERS, ANY, Shape(type="array", items=Shape(type="string"))])


@settings(max_examples=contract_examples(), deadline=None)
@given(GOOD, st.booleans(), st.sampled_from([None, 2]))
def test_conforming_is_the_same_object(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert run(text).text is text


@settings(max_examples=contract_examples(), deadline=None)
@given(VALUES, SHAPES)
def test_the_quick_test_and_the_walk_agree(value, shape):
    text = json.dumps(value)
    consumer = JsonConsumer("json.loads", shape)
    if consumer.accepts_at_once(text):
        assert fits(json.loads(text), shape)
    assert consumer.accepts(text) == fits(json.loads(text), shape)


def broken(data, text):
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        if data.draw(st.booleans()):
            text = text[:place] + text[place + data.draw(st.integers(1, 4)) :]
        else:
            text = text[:place] + data.draw(st.sampled_from("{}[],:\"'\n 1a`")) + text[place:]
    return text


def strings_in(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)
    elif isinstance(value, str):
        yield value


WORDS = st.text("abcXY é", min_size=1, max_size=8)
PLAIN = st.fixed_dictionaries({"customer": WORDS, "item": WORDS, "quantity": st.integers(0, 999)})


@settings(max_examples=contract_examples(), deadline=None)
@given(st.lists(PLAIN, min_size=1, max_size=2), SHAPES, st.data())
def test_a_repair_is_proven_comes_to_rest_and_makes_nothing_up(values, shape, data):
    written = json.dumps(values if len(values) > 1 else values[0], ensure_ascii=False)
    text = broken(data, written)
    form = data.draw(st.sampled_from(["json", "jsonl"]))
    verdict = run(text, shape, form=form)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    read = [json.loads(line) for line in (
        verdict.text.splitlines() if form == "jsonl" else [verdict.text]
    )]  # fmt: skip
    assert all(fits(value, shape) for value in read)
    assert all(said in text for said in strings_in(read)), (text, verdict.text)
    assert all(number in text for number in re.findall(r"\d+", verdict.text))
    assert run(verdict.text, shape, form=form).text is verdict.text


@settings(max_examples=contract_examples(), deadline=None)
@given(
    st.text(st.characters(), max_size=40)
    | st.text("{}[]:,\"'\\ \n`/*#=-01eaju“”…", max_size=60)
    | st.text(max_size=20).map(lambda t: f"{ONE}{t}{TWO}"),
    SHAPES,
    st.sampled_from(["json", "jsonl"]),
)
def test_whatever_comes_no_error_goes(text, shape, form):
    verdict = run(text, shape, form=form)
    if verdict.disposition != "repaired":
        assert verdict.text is text
    else:
        assert run(verdict.text, shape, form=form).text is verdict.text


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        '{"a": ' * 300_000,
        "[1] " * 300_000,
        "[x {y " * 100_000,
        '{"a": "' + "\\" * 1_000_001,
        '{"a": "' + 'x" ' * 300_000,
        "[" + "1 " * 400_000,
        ONE[:-1] + "," * 1_000_000,
    ],
    ids=lambda text: text[:8],
)
def test_hostile_text_ends_with_the_budget(text):
    try:
        verdict = check_of()(text, Invocation(AdaptConfig(budget_ms=2_000)))
    except TimeoutError:
        return
    assert verdict.text is text


def dated(reading):
    return Shape(
        type="object",
        fields=(
            Field(name="day", shape=Shape(type="date", convertible=True, reading=reading)),
            Field(name="note", shape=Shape(), required=False),
        ),
    )


@pytest.mark.parametrize(
    ("reading", "text", "wanted"),
    [
        ("%Y-%m-%d", '{"day": "21 May 2026"}', '{"day": "2026-05-21"}'),
        ("%d.%m.%Y", '{"day": "2026-05-21"}', '{"day": "21.05.2026"}'),
        ("%d.%m.%Y", '{"day": 20260521}', '{"day": "21.05.2026"}'),
        ("pydantic.date", '{"day": "May 21, 2026"}', '{"day": "2026-05-21"}'),
        ("date.fromisoformat", "```\n{'day': '05/21/2026'}\n```", '{"day": "2026-05-21"}'),
    ],
)
def test_dates_are_written_as_the_code_reads_them(reading, text, wanted):
    verdict = run(text, dated(reading))
    assert (verdict.disposition, verdict.text) == ("repaired", wanted)
    assert run(wanted, dated(reading)).text is wanted


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        ("%Y-%m-%d", '{"day": "2026-5-1"}'),
        ("%Y-%m-%d", '{"day": "2026-05-21", "note": "21 May 2026"}'),
        ("pydantic.date", '{"day": "2026-05-21T00:00:00"}'),
        ("pydantic.datetime", '{"day": 1779321600}'),
        ("", '{"day": "21 May 2026"}'),
    ],
)
def test_dates_that_the_code_reads_stay(reading, text):
    verdict = run(text, dated(reading))
    assert verdict.disposition == "conforming"
    assert verdict.text is text


@pytest.mark.parametrize("day", ['"03/04/2026"', '"21 May"', '"2026-05-21T10:30"', "null", "3"])
def test_dates_that_may_be_others_are_passed_on(day):
    text = f'{{"day": {day}}}'
    verdict = run(text, dated("%Y-%m-%d"))
    assert verdict.disposition == "refused"
    assert verdict.text is text


TAGGED = Shape(
    type="object",
    fields=(
        field("name"),
        Field(name="tags", shape=Shape(type="array", items=Shape(type="string"))),
        Field(name="items", shape=Shape(type="array", items=ORDER), required=False),
    ),
)


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ('["a", "b"]', ["a", "b"]),
        ('["a"]', ["a"]),
        ("[]", []),
        ("a", ["a"]),
        ("[a, b]", None),
        ("a, b", None),
        ("", None),
    ],
)
def test_a_list_that_is_encoded_as_a_text_is_one(tags, wanted):
    text = json.dumps({"name": "[1, 2]", "tags": tags})
    verdict = run(text, TAGGED)
    if wanted is None:
        assert verdict.text is text
        assert verdict.disposition == "refused"
    else:
        assert json.loads(verdict.text) == {"name": "[1, 2]", "tags": wanted}
        assert run(verdict.text, TAGGED).text is verdict.text


def test_records_in_an_encoded_list_are_brought_into_their_shape():
    record = json.loads(ONE)
    encoded = json.dumps([{**record, "quantity": "3"}])
    text = "```json\n" + json.dumps({"name": "x", "tags": [], "items": encoded}) + "\n```"
    verdict = run(text, TAGGED)
    assert json.loads(verdict.text)["items"] == [{**record, "quantity": 3}]
    assert "items: text -> array" in verdict.rules
    without = run(text, TAGGED, without=("structured.encoded",))
    assert without.disposition == "refused"
