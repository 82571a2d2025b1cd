"""Records of the analysis against what labels state: every kind, what agrees and what does not."""

import pytest

from knitbone.adaptation.testing import (
    ChunkSpec,
    ContextRule,
    Element,
    Evidence,
    FencedTemplate,
    Field,
    ParserSyntax,
    PositionalTemplate,
    Reader,
    ScenarioRequirement,
    Shape,
    Step,
    StructuredTemplate,
    Unknown,
)
from knitbone_evals.adapt.requirements.facts import agree, facts_of, merged

EVIDENCE = Evidence(file="app.py", line=3, expression="read(text)")
SLOT = Element(kind="slot")
SPACE = Element(kind="space", text=" ")
NUMBER = Element(kind="number")


def words(*options, optional=False):
    return Element(kind="words", text=options[0], options=options, optional=optional)


def mark(*options, optional=False):
    return Element(kind="delimiter", text=options[0], options=options, optional=optional)


def positional(*elements, **more):
    return facts_of(PositionalTemplate(elements=elements, evidence=EVIDENCE, **more))


def structured(shape, form="json"):
    return facts_of(
        StructuredTemplate(format=form, shape=shape, parser="json.loads", evidence=EVIDENCE)
    )


def record(**fields):
    """An object; ``name_`` is an optional key."""
    return Shape(
        type="object",
        fields=tuple(
            Field(name=name.rstrip("_"), shape=shape, required=not name.endswith("_"))
            for name, shape in fields.items()
        ),
    )


def array(items=None):
    return Shape(type="array", items=items)


ANY, INTEGER, STRING = Shape(), Shape(type="integer"), Shape(type="string")


QUESTION_OR_ANSWER = Element(
    kind="choice", alternatives=((words("Q"), NUMBER), (words("A"), NUMBER))
)


@pytest.mark.parametrize(
    ("elements", "identifiers"),
    [
        ((NUMBER, mark("."), SPACE, SLOT), ["#", "."]),
        ((NUMBER, mark(".", ")"), SPACE, SLOT), ["#", ")"]),
        ((words("Final Answer"), mark(":"), SLOT), ["Final Answer:"]),
        ((words("Final Answer"), mark(":"), SLOT), ["Final", "Answer", ":"]),
        (
            (words("Tool"), SPACE, mark(":"), SLOT, words("Tool Input"), mark(":")),
            ["Tool:", "Tool Input:"],
        ),
        ((mark("**", optional=True), words("Title"), mark(":"), SLOT), ["Title:"]),
        ((mark("**", optional=True), words("Title"), mark(":"), SLOT), ["**Title:"]),
        ((words("Step"), SPACE, NUMBER, mark(":"), SLOT), ["Step", "#", ":"]),
        ((QUESTION_OR_ANSWER, SLOT), ["A", "#"]),
    ],
)  # fmt: skip
def test_fixed_texts_agree_however_they_are_cut(elements, identifiers):
    assert agree({"identifiers": identifiers}, positional(*elements))


@pytest.mark.parametrize("identifiers", [["Answer"], ["Answer:", "End"], ["answer:"], ["#"]])
def test_other_fixed_texts_do_not_agree(identifiers):
    found = positional(words("Answer"), mark(":"), SLOT)
    assert not agree({"identifiers": identifiers}, found)


def test_accepted_literals_are_a_set():
    found = positional(words("yes", "no"))
    assert agree({"one_of": ["no", "yes"]}, found)
    assert not agree({"one_of": ["yes"]}, found)
    assert not agree({"one_of": ["yes", "no", "maybe"]}, found)


def test_case_of_literals_counts_unless_the_code_ignores_it():
    assert not agree({"one_of": ["YES"]}, positional(words("yes")))
    assert agree({"one_of": ["YES"]}, positional(words("yes"), ignore_case=True))
    lowered = positional(words("yes"), steps=(Step(name="strip"), Step(name="lower")))
    assert agree({"one_of": ["Yes"]}, lowered)


def test_one_fixed_text_and_a_choice_of_one_are_the_same():
    found = positional(words("KEEP"), mark(":"), SPACE, SLOT)
    assert agree({"one_of": ["KEEP: "]}, found)
    assert agree({"identifiers": ["KEEP:"]}, found)
    assert not agree({"one_of": ["KEEP"]}, found)


def test_a_text_that_goes_on_behind_a_slot_is_no_choice():
    found = positional(words("<quote>"), SLOT, words("</quote>"))
    assert not agree({"one_of": ["<quote></quote>"]}, found)


def test_a_choice_after_a_fixed_text_may_be_stated_apart():
    found = positional(words("VERDICT"), mark(":"), SPACE, words("PASS", "FAIL"))
    assert agree({"identifiers": ["VERDICT:"], "one_of": ["PASS", "FAIL"]}, found)
    assert not agree({"identifiers": ["VERDICT:"], "one_of": ["PASS", "ERROR"]}, found)


def test_converted_values_separators_and_repetition():
    integer = positional(Element(kind="slot", type="integer"), repeated=False)
    assert agree({"value": "integer", "repeated": False}, integer)
    assert not agree({"value": "number"}, integer)
    assert not agree({"repeated": True}, integer)
    assert agree({"value": "integer"}, positional(NUMBER))
    listed = positional(SLOT, separator=" | ")
    assert agree({"separator": "|"}, listed)
    assert not agree({"separator": ","}, listed)
    assert not agree({"value": "integer"}, listed)


def test_items_on_lines_of_their_own_are_separated_by_a_line_break():
    reader = Reader(kind="split", method="split", separator=":", steps=(Step(name="splitlines"),))
    assert agree({"separator": "\n"}, positional(SLOT, reader=reader))
    assert agree({"separator": "\n"}, positional(SLOT, separator="\n"))
    assert not agree({"separator": "\n\n"}, positional(SLOT, separator="\n"))


ORDER = record(items=array(record(qty=INTEGER, note_=STRING)), title=ANY)


@pytest.mark.parametrize(
    ("keys", "same"),
    [
        (["items[].qty:integer", "items[].note?:string", "title"], True),
        (["title", "items[].note?", "items[].qty"], True),
        (["items", "items[].qty", "items[].note?", "title"], True),
        (["items[].qty:number", "items[].note?", "title"], False),
        (["items[].qty", "items[].note", "title"], False),
        (["items[].qty", "items[].note?", "title?"], False),
        (["items[].qty", "items[].note?", "title:string"], False),
        (["items.qty", "items.note?", "title"], False),
        (["items[].qty", "title"], False),
        (["items[].qty", "items[].note?", "title", "total"], False),
        (["items?[].qty", "items[].note?", "title"], False),
        ([], False),
    ],
)
def test_keys(keys, same):
    assert agree({"format": "json", "keys": keys}, structured(ORDER)) is same


def test_an_optional_parent_counts_where_the_label_says_so():
    found = structured(record(items_=array(record(qty=ANY))))
    assert agree({"keys": ["items[].qty"]}, found)
    assert agree({"keys": ["items[]?.qty"]}, found)
    assert agree({"keys": ["items?[].qty"]}, found)


@pytest.mark.parametrize("key", ["tags", "tags:array", "tags[]", "tags[]:string"])
def test_an_array_of_plain_items(key):
    assert agree({"keys": [key]}, structured(record(tags=array(STRING))))


def test_an_array_of_unknown_items_is_not_one_of_strings():
    assert not agree({"keys": ["tags[]:string"]}, structured(record(tags=array())))
    assert not agree({"keys": ["tags[]"]}, structured(record(tags=STRING)))


def test_an_array_at_the_top_counts_but_not_around_rows():
    listed = array(record(word=STRING))
    assert agree({"keys": ["[].word"]}, structured(listed))
    assert not agree({"keys": ["word"]}, structured(listed))
    assert agree({"format": "csv", "keys": ["word"]}, structured(listed, "csv"))
    assert agree({"format": "csv", "keys": ["[].word"]}, structured(record(word=STRING), "csv"))


@pytest.mark.parametrize("shape", [ANY, array(), array(STRING), record()])
def test_nothing_read_by_name_is_no_key(shape):
    assert agree({"keys": []}, structured(shape))


def test_another_format_does_not_agree():
    assert not agree({"format": "yaml", "keys": []}, structured(ANY))


def test_fences():
    python = facts_of(FencedTemplate(languages=("Python", ""), evidence=EVIDENCE))
    assert agree({"languages": ["", "python"]}, python)
    assert not agree({"languages": ["python"]}, python)
    assert agree({"languages": [""]}, facts_of(FencedTemplate(evidence=EVIDENCE)))


def test_syntax():
    sql = facts_of(
        ParserSyntax(language="sql", dialect="postgresql", parser="execute", evidence=EVIDENCE)
    )
    assert agree({"language": "sql", "dialect": "postgres"}, sql)
    assert agree({"language": "sql"}, sql)
    assert not agree({"language": "sql", "dialect": "sqlite"}, sql)
    shell = facts_of(ParserSyntax(language="bash", parser="run", evidence=EVIDENCE))
    assert agree({"language": "shell"}, shell)
    assert not agree({"language": "shell", "dialect": "posix"}, shell)


def test_settings_that_the_record_leaves_open_do_not_agree():
    chunk = facts_of(ChunkSpec(size=800, separators=("\n",), splitter="S", evidence=EVIDENCE))
    assert agree({"size": 800, "separators": ("\n",), "length": "characters"}, chunk)
    assert not agree({"size": 800, "overlap": 0}, chunk)
    assert not agree({"size": 900}, chunk)
    context = facts_of(ContextRule(k=4, threshold=0.5, retriever="r", evidence=EVIDENCE))
    assert agree({"k": 4, "threshold": 0.5}, context)
    assert not agree({"joiner": "\n"}, context)


def test_unknowns_and_scenarios_are_not_compared():
    assert facts_of(Unknown(reason="recursion", evidence=EVIDENCE)) is None
    assert facts_of(ScenarioRequirement(name="intact_text", evidence=EVIDENCE)) is None


def test_what_completes_each_other_is_one():
    head = positional(words("Score"), mark(":"), SLOT)
    value = positional(Element(kind="slot", type="integer"), repeated=False)
    both = merged(head, value)
    assert agree({"identifiers": ["Score:"], "value": "integer"}, both)


def test_what_differs_stays_apart():
    assert merged(positional(words("a")), positional(words("b"))) is None
    assert merged(structured(record(a=ANY)), structured(record(b=ANY))) is None
    assert merged(positional(words("a")), structured(ANY)) is None
