"""What the benchmarks of broken documents draw: values conform, faults are faults, seeds repeat."""

import hashlib
import json
from collections import Counter

import jsonschema
import pytest

from knitbone_evals.documents.catalogue import DRAWS, FAULTS, REFUSALS, REFUSE, named_cases
from knitbone_evals.documents.faults import Edit, cases, changed, mends, streams
from knitbone_evals.documents.fields import Draw, size
from knitbone_evals.documents.forms import (
    FORMS,
    RejectedError,
    accepted,
    document,
    same,
    tokens,
)
from knitbone_evals.documents.shapes import HALVES, LARGEST, SHAPES, SMALLEST, names_of, value_of


@pytest.fixture(scope="module")
def drawn():
    return list(cases(3, "development"))


@pytest.fixture(scope="module")
def named():
    return list(named_cases(3, "development"))


def test_the_halves_share_no_shape():
    first, second = (set(names_of(half)) for half in HALVES)
    assert first | second == set(SHAPES)
    assert not first & second
    assert min(len(first), len(second)) > 25
    assert len(SHAPES) >= 60


@pytest.mark.parametrize("name", SHAPES)
def test_every_value_conforms_to_its_schema(name):
    jsonschema.Draft202012Validator.check_schema(SHAPES[name].schema)
    validator = jsonschema.Draft202012Validator(SHAPES[name].schema)
    for number in range(20):
        value = value_of(name, Draw(f"{name}/{number}"))
        assert validator.is_valid(value)
        assert SMALLEST <= size(value) <= LARGEST


@pytest.mark.parametrize("form", FORMS)
def test_every_document_is_accepted_as_the_value_that_it_was_written_from(form):
    made = [document(name, form, seed) for name in SHAPES for seed in range(4)]
    documents = [each for each in made if each is not None]
    assert len(documents) >= 40
    for each in documents:
        assert same(accepted(each.text, form, each.target), each.value)
        for token in tokens(each.text, each.syntax):
            assert each.text[token.at :].startswith(token.text)


def test_every_fault_is_rejected_and_taken_back_by_its_mends(drawn):
    for case in drawn:
        made = case.document
        assert case.text != made.text
        assert changed(case.text, case.mends) == made.text
        with pytest.raises(RejectedError):
            accepted(case.text, made.form, made.target)
    assert {case.document.form for case in drawn} == set(FORMS)
    assert {case.document.half for case in drawn} == {"development"}


def test_mends_of_edits_that_change_lengths():
    edits = (Edit(1, "b", ""), Edit(3, "", "xy"), Edit(4, "ef", "fe"))
    text = changed("abcdefg", edits)
    assert text == "acxydfeg"
    assert changed(text, mends(edits)) == "abcdefg"


def test_an_edit_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        changed("abc", (Edit(1, "x", ""),))


def test_named_faults_are_rejected_and_differ(named):
    counts = Counter(case.kind for case in named)
    assert set(counts) == {*FAULTS, *REFUSALS}
    assert min(counts.values()) == max(counts.values()) == DRAWS
    assert len({(case.kind, case.shape, case.text) for case in named}) == len(named)
    for case in named:
        assert (case.value is REFUSE) == (case.kind in REFUSALS)
        with pytest.raises(RejectedError):
            accepted(case.text, "json schema", case.target)
        if case.value is not REFUSE:
            assert same(accepted(json.dumps(case.value), "json schema", case.target), case.value)


def test_the_same_seed_gives_the_same_bytes(drawn, named):
    def digest(items):
        texts = [(item.kind, item.text) for item in items]
        return hashlib.sha256(repr(texts).encode()).hexdigest()

    assert digest(drawn) == digest(cases(3, "development"))
    assert digest(drawn) != digest(cases(4, "development"))
    assert digest(named) == digest(named_cases(3, "development"))
    assert list(streams(3, 20)) == list(streams(3, 20))


def test_chunks_make_the_document():
    drawn = list(streams(3, 200))
    assert len(drawn) == 200
    assert all("".join(chunks) == made.text and all(chunks) for made, chunks in drawn)
    assert max(len(chunks) for _, chunks in drawn) > 100
