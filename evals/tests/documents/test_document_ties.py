"""Whether another document lies as near, by hand and by trying everything."""

import random

import pytest

from knitbone_evals.documents.faults import Case, Edit, cases, changed, mends
from knitbone_evals.documents.forms import (
    Document,
    RejectedError,
    accepted,
    document,
)
from knitbone_evals.documents.shapes import SHAPES
from knitbone_evals.documents.ties import ANY, NONE, SAME, Checks, _candidates, _Scan, tie

INNER = {
    "type": "object",
    "properties": {
        "a": {
            "type": "object",
            "properties": {"b": {"type": "integer"}},
            "additionalProperties": False,
        },
        "c": {"type": "integer"},
    },
    "required": ["a", "c"],
}
NESTED = '{"a": {"b": 1}, "c": 2}'
DATE = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}


def case_of(form, target, text, *edits):
    made = Document("matrix", form, text, accepted(text, form, target), target)
    return Case(made, "by hand", changed(text, edits), mends(edits))


@pytest.mark.parametrize(
    ("form", "target", "text", "edits", "expected"),
    [
        # A comma elsewhere, or in place of the blank, gives the same value.
        ("json", "json", '{"a": 1, "b": 2}', [Edit(7, ",", "")], NONE),
        # Without the blank as well it is 12.
        ("json", "json", "[1, 2]", [Edit(2, ",", "")], ANY),
        # A quote over the c ends the text, too.
        ("json", "json", '["ab, c"]', [Edit(7, '"', "")], ANY),
        # The text with a blank before it differs in blanks only.
        ("json schema", {"enum": [{"a": "xy"}]}, '{"a": "xy"}', [Edit(6, '"', "")], NONE),
        ("json", "json", '{"a": "xy"}', [Edit(6, '"', "")], ANY),
        # The brace may stand at the end, if c may be within a.
        ("json", "json", NESTED, [Edit(13, "}", "")], SAME),
        ("json schema", INNER, NESTED, [Edit(13, "}", "")], NONE),
        # a is "", 1 or 12.
        ("csv", ["a", "b"], "a,b\n1,2\n", [Edit(5, ",", "")], SAME),
        ("xml", ["a"], "<r><a>x</a></r>", [Edit(8, "/", "")], NONE),
        ("python", "python", "{'a': True}", [Edit(9, "e", "")], NONE),
        # With one comma back it is [1, 23].
        ("json", "json", "[1, 2, 3]", [Edit(2, ",", ""), Edit(5, ",", "")], ANY),
        ("json", "json", '["abc", "def"]', [Edit(9, 'def"]', "")], ANY),
        ("json schema", {"enum": ["open", "closed"]}, '"open"', [Edit(3, "e", "")], NONE),
        # 2024-01-51 is a date to the pattern.
        ("json schema", DATE, '"2024-01-15"', [Edit(10, "5", "")], SAME),
    ],
)
def test_ties_by_hand(form, target, text, edits, expected):
    assert tie(case_of(form, target, text, *edits)) == expected


@pytest.mark.parametrize("form", ["json", "python"])
def test_the_automaton_stops_at_no_text_that_is_accepted(form):
    """One random edit of a text with up to one fault: what parses has to get through."""
    rng = random.Random(11)
    pool = "{}[],:'\"()\\ \n\t0129.-+eabuTN_#"
    passed = 0
    for name in SHAPES:
        text = document(name, form, 7).text
        if len(text) > 3000:
            continue
        for _ in range(150):
            base = text
            if rng.random() < 0.7:
                at = rng.randrange(len(base))
                base = base[:at] + rng.choice(["", rng.choice(pool)]) + base[at + 1 :]
            scan = _Scan(base, form)
            at = rng.randint(0, min(scan.end, len(base)))
            old = rng.choice(["", base[at : at + 1]])
            new = rng.choice(["", rng.choice(pool)])
            text_after = base[:at] + new + base[at + len(old) :]
            try:
                accepted(text_after, form, form)
            except RejectedError:
                continue
            passed += 1
            assert scan.may_pass(at, old, new), (base, at, old, new)
    assert passed > 1000


def test_behind_where_no_document_continues_nothing_helps():
    rng = random.Random(12)
    for case in list(cases(5, "development", forms=("json", "python")))[::25]:
        scan = _Scan(case.text, case.document.syntax)
        for _ in range(20 if scan.end < len(case.text) else 0):
            at = rng.randint(scan.end + 1, len(case.text))
            text = case.text[:at] + rng.choice('{}[],:"') + case.text[at:]
            with pytest.raises(RejectedError):
                accepted(text, case.document.form, case.document.target)


def test_the_edit_that_gives_the_original_is_tried():
    tried = 0
    for case in list(cases(6, "development"))[::15]:
        mend = case.mends[0]
        if len(case.mends) > 1 or mend.cost != 1 or len(case.text) > 2000:
            continue
        tried += 1
        assert case.document.text in _candidates(case.text, Checks(case), mend)
        alike = _candidates(case.text, Checks(case), mend, alike=True)
        assert case.document.text in alike
    assert tried > 100


@pytest.mark.parametrize("text", ["[1]", "1", "'a'", "{'a': 1}", "[1] # one"])
def test_a_comma_and_a_comment_at_the_end_get_through(text):
    for new in [",", " ", "\n"]:
        accepted(text + new, "python", "python")
        assert _Scan(text, "python").may_pass(len(text), "", new)
