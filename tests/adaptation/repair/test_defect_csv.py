"""CSV: what is repaired, what is left alone, and the contracts."""

import csv
import io
import re

import msgspec
import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured.csv import HEURISTICS, MAX_TEXT
from knitbone.adaptation.testing import (
    Evidence,
    Invocation,
    PromptMessage,
    StructuredTemplate,
    prepare_check,
)
from knitbone.common.structured.shape import Field, Shape
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="parse(text)")


def template(fields=None, parser="csv.DictReader", delimiter=",", cells=()):
    columns = tuple(
        Field(name=name, shape=Shape(type=kind, convertible=kind != "any"))
        for name, kind in (fields or {}).items()
    )
    inner = Shape(type="object", fields=columns) if columns else Shape(type="array")
    return StructuredTemplate(
        format="csv",
        shape=Shape(type="array", items=inner),
        parser=parser,
        delimiter=delimiter,
        columns=tuple(Shape(type=kind, convertible=kind != "any") for kind in cells),
        evidence=EVIDENCE,
    )


PEOPLE = template({"name": "any", "age": "integer"})
ADDRESSES = template({"name": "any", "city": "any"})
ROWS = template(parser="csv.reader")
PRICES = template(parser="csv.reader", cells=("any", "any", "number"))
DATED = msgspec.structs.replace(
    PEOPLE,
    shape=Shape(
        type="array",
        items=Shape(
            type="object",
            fields=(
                Field(name="name", shape=Shape()),
                Field(name="born", shape=Shape(type="date", convertible=True, reading="%Y-%m-%d")),
            ),
        ),
    ),
)
SEMICOLONS = template({"name": "any", "age": "integer"}, delimiter=";")


def run(requirement, text, *, said="", without=(), budget_ms=60_000):
    config = AdaptConfig(without=tuple(without), budget_ms=budget_ms)
    messages = [PromptMessage(role="user", text=said)] if said else []
    return prepare_check(requirement)(text, Invocation(config, asked=lambda: messages))


GOOD = "name,age\nAda,36\nBob,25\n"
REPAIRED = {
    "dates": (
        DATED,
        'name,born\nAda,"December 10, 1815"\nBob,1815/12/11\nCy,1815-12-12\n',
        "name,born\nAda,1815-12-10\nBob,1815-12-11\nCy,1815-12-12\n",
    ),
    "fence": (PEOPLE, f"```csv\n{GOOD}```", GOOD.strip()),
    "prose before and behind": (PEOPLE, f"Here is the data:\n\n{GOOD}\nLet me know!", GOOD.strip()),
    "prose and fence": (PEOPLE, f"Sure:\n```csv\n{GOOD}```\nBye.\n", GOOD),
    "a byte order mark": (PEOPLE, f"\ufeff{GOOD}", GOOD),
    "a byte order mark, rows by position": (ROWS, "\ufeffa,1\nb,2\n", "a,1\nb,2\n"),
    "a comment above the header": (PEOPLE, f"# people, 2 of them\n{GOOD}", GOOD),
    "a title above the header": (PEOPLE, f"People\n{GOOD}", GOOD),
    "unclosed fence": (PEOPLE, f"```csv\n{GOOD}", GOOD),
    "blank behind each comma": (PEOPLE, "name, age\nAda, 36\n", "name,age\nAda,36\n"),
    "blank before a quotation mark": (
        PEOPLE,
        'name, age\n"Lovelace, Ada", 36\n',
        'name,age\n"Lovelace, Ada",36\n',
    ),
    "header in another case": (PEOPLE, "Name,Age\nAda,36\n", "name,age\nAda,36\n"),
    "semicolons": (PEOPLE, "name;age\nAda;36\n", "name,age\nAda,36\n"),
    "commas where semicolons are read": (SEMICOLONS, GOOD, GOOD.replace(",", ";")),
    "tabs": (PEOPLE, "name\tage\nAda, Lady\t36\n", 'name,age\n"Ada, Lady",36\n'),
    "a table of Markdown": (
        PEOPLE,
        "| name | age |\n|------|-----|\n| Ada  | 36  |\n| Bob | 25 |\n",
        GOOD,
    ),
    "a comma that was not quoted, by type": (
        PEOPLE,
        "name,age\nSmith, John,36\nBob,25\n",
        'name,age\n"Smith, John",36\nBob,25\n',
    ),
    "a comma that was not quoted, by its blank": (
        ADDRESSES,
        "name,city\nSmith, John,Paris\nBob,Rome\n",
        'name,city\n"Smith, John",Paris\nBob,Rome\n',
    ),
    "numbers in front": (PEOPLE, "Name,Age\n1. Ada,36\n2. Bob,25\n", GOOD),
    "bullets in front": (PEOPLE, "Name,Age\n- Ada,36\n- Bob,25\n", GOOD),
    "a number that the code cannot read": (
        PEOPLE,
        'name,age\nAda,"1,036"\nBob,25\n',
        "name,age\nAda,1036\nBob,25\n",
    ),
    "rows by position": (ROWS, "Here they are:\n\na,1\nb,2\nc,3\n", "a,1\nb,2\nc,3\n"),
    "cells by position, an unquoted comma": (
        PRICES,
        "Smith, John,new,3.50\nBob,old,2\n",
        '"Smith, John",new,3.50\nBob,old,2\n',
    ),
    "cells by position, a number that the code cannot read": (
        PRICES,
        'a,b,"1,000.50"\nc,d,2\n',
        "a,b,1000.50\nc,d,2\n",
    ),
    "rows by position, blank line": (ROWS, "a,1\n\nb,2\n", "a,1\nb,2\n"),
    "rows by position, the first wider": (
        ROWS,
        "Cardana, drug store,30.00\nMedicines,45.00\nPharmacy,44.50\n",
        '"Cardana, drug store",30.00\nMedicines,45.00\nPharmacy,44.50\n',
    ),
    "a sentence with a comma": (
        PEOPLE,
        f"Sure, here are two:\n{GOOD}Let me know, please.\n",
        GOOD,
    ),
    "rows by position, tabs": (ROWS, "a\t1\nb\t2\n", "a,1\nb,2\n"),
    "line breaks in a cell": (
        PEOPLE,
        'name;age\n"A\nB";36\n',
        'name,age\n"A\nB",36\n',
    ),
    "line ends are kept": (PEOPLE, "Name,Age\r\nAda,36\r\n", "name,age\r\nAda,36\r\n"),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_tables_are_brought_into_the_dialect_of_the_code(name):
    requirement, text, expected = REPAIRED[name]
    verdict = run(requirement, text)
    assert (verdict.disposition, verdict.text) == ("repaired", expected), verdict.reason
    assert verdict.rules
    assert verdict.edits
    assert run(requirement, expected).text is expected


CONFORMING = {
    "longer than what is repaired": (PEOPLE, GOOD + "Ada,36\n" * (MAX_TEXT // 7)),
    "as wanted": (PEOPLE, GOOD),
    "another delimiter, as wanted": (SEMICOLONS, "name;age\nAda, Lady;36\n"),
    "more columns": (PEOPLE, "id,name,age\n1,Ada,36\n"),
    "blank lines, which the code skips": (PEOPLE, "name,age\n\nAda,36\n\n"),
    "blanks that int takes off": (PEOPLE, "name,age\nAda, 36\n"),
    "quoted": (PEOPLE, 'name,age\n"Smith, ""J""",36\n'),
    "a header alone": (PEOPLE, "name,age\n"),
    "by position": (ROWS, "a,1\nb,2\n"),
    "as many cells as are taken": (PRICES, "a,b,1\nc,d, 2.50\n"),
    "one column by position": (ROWS, "a\nb\n"),
    "line breaks in a cell": (PEOPLE, 'name,age\n"A\nB",36\n'),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_what_the_code_reads_is_left_alone(name):
    requirement, text = CONFORMING[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is text


REFUSED = {
    "a date that may be another": (DATED, "name,born\nAda,10/12/1815\n"),
    "a date with a time": (DATED, "name,born\nAda,1815-12-10 10:30\n"),
    "dots for records that were left out": (PEOPLE, GOOD + "...\n"),
    "dots between records": (PEOPLE, "Name,Age\nAda,36\n…\nBob,25\n"),
    "the first row is wider": (ROWS, "Cardana,drug store,x\nSalts,1\nSoap,2\n"),
    "records above the header": (PEOPLE, "Ada,36\nName,Age\nBob,25\n"),
    "a record with a number above the header": (PEOPLE, "#1,36\nName,Age\nBob,25\n"),
    "a comment between records": (PEOPLE, "Name,Age\nAda,36\n# one more\nBob,25\n"),
    "a last row that lacks cells": (PEOPLE, "Name,Age\nAda,36\nBob\n"),
    "a last row of text that lacks a cell": (
        template({"name": "any", "note": "any", "price": "any"}),
        "name,note,price\nCar paper,It is good.,3\nBook paper,It is great.\n",
    ),
    "fewer cells than are taken": (PRICES, "a,1\nb,2\n"),
    "more cells than are taken": (PRICES, "a,b,c,1\nd,e,f,2\n"),
    "no number in the cell of one": (PRICES, "a,b,1000g\nc,d,2\n"),
    "a first row without a number": (PRICES, "name,kind,unknown\nc,d,2\n"),
    "prose": (PEOPLE, "I am sorry, I do not know."),
    "empty": (PEOPLE, ""),
    "another table": (PEOPLE, "fruit,price\napple,1\n"),
    "no header": (PEOPLE, "Ada,36\nBob,25\n"),
    "an invented column in every row": (PEOPLE, "name,age\nAda,36,x\nBob,25,y\n"),
    "a number in words": (PEOPLE, "name,age\nAda,thirty\n"),
    "a comma with two readings": (ADDRESSES, "name,city\nSmith,John,Paris\nBob,Rome\n"),
    "a cut-off quotation": (PEOPLE, 'name,age\nAda,36\n"Bob'),
    "a row that lacks a cell": (PEOPLE, "name,age\nAda,36\nBob\nEve,25\n"),
    "the name twice": (PEOPLE, "name,name,age\nA,B,36\n"),
    "other names": (template({"a_b": "any", "c_d": "any"}), "x,y\n1,2\n"),
}


def test_a_header_that_the_prompt_gives_is_no_row():
    text, said = "Name,kind,price\na,b,1\n", "Rows of `name, kind, price`. No header."
    verdict = run(PRICES, text, said=said)
    assert (verdict.disposition, verdict.text) == ("repaired", "a,b,1\n")
    assert "header removed" in verdict.rules
    for other in (said.replace("kind", "sort"), ""):
        assert run(PRICES, text, said=other).disposition == "refused"


def test_a_row_that_comes_first_counts_like_any_other():
    verdict = run(PRICES, "a,b\nSmith, John,new,3.50\nc,d,2\n")
    assert (verdict.disposition, verdict.reason) == ("refused", "record 1 has 2 cells, not 3")


@pytest.mark.parametrize("name", REFUSED)
def test_in_doubt_nothing_is_done(name):
    requirement, text = REFUSED[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "refused", verdict.text
    assert verdict.text is text
    assert verdict.reason


@pytest.mark.parametrize(
    "said",
    [
        "Answer as CSV with these columns:\nname,age\n",
        "Answer as CSV with the header name,age and one line for each person.",
        "Columns: `name,age`.",
        'A table ("name,age"), please.\nname,age\nZoe,1\n',
    ],
)
def test_a_header_that_the_prompt_gives_is_added(said):
    verdict = run(PEOPLE, "Ada,36\nBob,25\n", said=said)
    assert verdict.text == GOOD


@pytest.mark.parametrize(
    "said",
    [
        "Answer with name and age.",
        "I need the name, age and town of each.",
        "Write the name, age",
        "The header is name,age. Columns are sorted: age,name",
    ],
)
def test_a_prompt_that_only_talks_of_columns_gives_no_header(said):
    assert run(PEOPLE, "Ada,36\nBob,25\n", said=said).disposition == "refused"


def test_a_record_beyond_repair_is_not_delivered_beside_the_others():
    text = "Name,City\nSmith,John,Paris\nBob,Rome\n"
    verdict = run(ADDRESSES, text)
    assert verdict.text is text
    assert verdict.reason == "record 1 has 3 cells, not 2"


@pytest.mark.parametrize(
    "requirement", [template({"a": "any"}, delimiter=""), template({"a": "any"}, parser="petl.csv")]
)
def test_a_dialect_that_is_not_known_is_not_checked(requirement):
    assert prepare_check(requirement) is None


@pytest.mark.parametrize(
    ("heuristic", "text"),
    [
        ("structured.csv_region", f"```csv\n{GOOD}```"),
        ("structured.csv_delimiter", "name;age\nAda;36\n"),
        ("structured.csv_cells", "name,age\nSmith, John,36\nBob,25\n"),
        ("structured.csv_header", "Name,Age\nAda,36\n"),
        ("structured.csv_types", 'name,age\nAda,"1,036"\n'),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, text):
    assert heuristic in HEURISTICS
    assert run(PEOPLE, text).disposition == "repaired"
    without = run(PEOPLE, text, without=[heuristic])
    assert without.disposition == "refused" or without.reason


@pytest.mark.parametrize(
    "text",
    [
        '"' * 400_000,
        "," * 400_000,
        "\n" * 400_000,
        "a,b\n" * 100_000,
        "name,age\n" + "1," * 200_000,
        "| " * 200_000,
        "name,age\n" + "1. a,1\n" * 50_000,
        "```\n" * 100_000,
        "-" * 400_000,
        "\0,\0",
        "\ud800,\udfff\n1,2",
        "name,age\n" + '"' + "x" * 300_000,
    ],
    ids=range(12),
)
def test_hostile_text_is_passed_on(text):
    for requirement in (PEOPLE, ROWS, SEMICOLONS):
        try:
            verdict = run(requirement, text)
        except TimeoutError:
            continue
        assert verdict.disposition != "repaired" or verdict.text != text


_PARTS = st.sampled_from(
    [
        "name,age\n",
        "Name, Age\n",
        "Ada,36\n",
        "Bob, 25\n",
        "name;age\n",
        "Eve;1\n",
        "```\n",
        "\n",
        "| name | age |\n",
        "|---|---|\n",
        "| Ada | 36 |\n",
        '"a, b",3\n',
        "Smith, John,36\n",
        '"',
        "Here it is:\n",
        "1. ",
        "- ",
        "\t",
        ",",
        "\r\n",
        "\ud800",
        "x",
        "1,036",
    ]
)
_TEXTS = st.one_of(st.lists(_PARTS, max_size=8).map("".join), st.text(',;|\n" a1', max_size=40))


@settings(max_examples=contract_examples(), deadline=None)
@given(requirement=st.sampled_from([PEOPLE, ADDRESSES, ROWS, SEMICOLONS]), text=_TEXTS)
def test_contracts(requirement, text):
    verdict = run(requirement, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    again = run(requirement, verdict.text)
    assert again.text is verdict.text
    rows = list(csv.reader(io.StringIO(verdict.text), delimiter=requirement.delimiter))
    assert rows
    # No cell holds a character that the answer does not have, in another order.
    flat = "".join(c for c in text.lower() if c.isalnum())
    for row in rows:
        for cell in row:
            assert "".join(c for c in cell.lower() if c.isalnum()) in flat


_CELLS = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=contract_examples(), deadline=None)
@given(rows=st.lists(st.tuples(_CELLS, st.integers()), max_size=5))
def test_what_a_writer_wrote_comes_back_as_it_is(rows):
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("name", "age"), *rows])
    text = written.getvalue()
    assert run(PEOPLE, text).text is text


_WORDS = st.lists(
    st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4), max_size=6
)


@settings(max_examples=contract_examples(), deadline=None)
@given(rows=_WORDS, mark=st.sampled_from([",", ";", ", "]), header=st.booleans())
def test_no_cell_is_dropped(rows, mark, header):
    rows = [["Name", "City"], *rows] if header else rows
    text = "\n".join(mark.join(row) for row in rows)
    for requirement in (ROWS, ADDRESSES):
        found = run(requirement, text).text
        assert sorted(re.findall(r"\w+", found.lower())) == sorted(re.findall(r"\w+", text.lower()))
