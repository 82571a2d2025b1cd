"""Which joins put retrieved entries together, and what decides which entries these are."""

import pytest
from use_trees import described, read

from knitbone.adaptation.testing import Computed

CONTENT = ("getattr", "page_content", [("join", "\n")])

WAYS = {
    "the text of the entries": ([("iterate", [CONTENT])], ['joined with "\\n"']),
    "a label before the text": (
        [("iterate", [("getattr", "page_content", [("format", "- ", "", [("join", "\n")])])])],
        ['joined with "\\n"'],
    ),
    "entries that are texts": ([("iterate", [("join", "; ")])], ['joined with "; "']),
    "the addresses of the entries": (
        [("iterate", [("getattr", "metadata", [("getitem", "url", [("join", "\n")])])])],
        [],
    ),
    "a part of the metadata beside the text": (
        [("iterate", [("getattr", "metadata", [(".get", "title", [("join", ", ")])]), CONTENT])],
        ['joined with "\\n"'],
    ),
    "a list of texts": (
        [("getitem", "documents", [("getitem", 0, [("iterate", [("join", "\n")])])])],
        ['joined with "\\n"'],
    ),
    "the parts of one entry": (
        [("iterate", [("getitem", "snippets", [("iterate", [("join", "\n")])])])],
        [],
    ),
    "the parts of one entry, and the entries": (
        [("iterate", [("getitem", "snippets", [("iterate", [("join", " ", [("join", "\n")])])])])],
        ['joined with "\\n"'],
    ),
    "joined again": (
        [("iterate", [("getattr", "page_content", [("join", "\n", [("join", "---")])])])],
        ['joined with "\\n"'],
    ),
    "the first of them": (
        [("slice", None, 3, None, [("iterate", [CONTENT])])],
        ['at most 3 entries, joined with "\\n"'],
    ),
    "the beginning of their texts": (
        [
            (
                "iterate",
                [("getattr", "page_content", [("slice", None, 300, None, [("join", "\n")])])],
            )
        ],
        ['joined with "\\n"'],
    ),
    "all but the first": (
        [("slice", 1, 3, None, [("iterate", [CONTENT])])],
        ['joined with "\\n"'],
    ),
    "those that score": (
        [("iterate", [("getattr", "score", [("ge", 0.5)]), CONTENT])],
        ['score >= 0.5, joined with "\\n"'],
    ),
    "those whose metadata scores": (
        [
            (
                "iterate",
                [("getattr", "metadata", [("getitem", "relevance_score", [("lt", 1)])]), CONTENT],
            )
        ],
        ['score >= 1, joined with "\\n"'],
    ),
    "a score beside each": (
        [("iterate", [("unpack", 1, 2, [("gt", 0.7)]), ("unpack", 0, 2, [CONTENT])])],
        ['score >= 0.7, joined with "\\n"'],
    ),
    "a distance": (
        [("iterate", [("unpack", 1, 2, [("lt", 0.7)]), ("unpack", 0, 2, [CONTENT])])],
        ['joined with "\\n"'],
    ),
    "two bounds": (
        [("iterate", [("getattr", "score", [("ge", 0.5), ("ge", 0.8)]), CONTENT])],
        ['joined with "\\n"'],
    ),
    "a bound of run time": (
        [("iterate", [("getattr", "score", [("ge", Computed("least"))]), CONTENT])],
        ['joined with "\\n"'],
    ),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_rule_for_each_way_in_which_entries_are_joined(name):
    uses, expected = WAYS[name]
    assert described(uses, form="documents", kind="retriever") == expected


def test_each_join_is_a_rule_with_its_own_evidence():
    first = ("iterate", [("getattr", "page_content", [("join", "\n", {"line": 5})])])
    second = ("iterate", [("getattr", "page_content", [("join", "; ", {"line": 9})])])
    found = read([first, second], form="documents", kind="retriever", settings={"k": 4})
    assert [(r.evidence.line, r.k, r.joiner) for r in found] == [(5, 4, "\n"), (9, 4, "; ")]


def test_the_settings_are_the_evidence_of_the_only_rule():
    uses = [("iterate", [("getattr", "page_content", [("join", "\n", {"line": 5})])])]
    (found,) = read(uses, form="documents", kind="retriever", settings={"k": 4})
    assert found.evidence.line == 1
    (found,) = read(uses, form="documents", kind="retriever")
    assert found.evidence.line == 5


def test_the_smaller_of_two_limits_holds():
    uses = [("slice", None, 3, None, [("iterate", [CONTENT])])]
    (found,) = read(uses, form="documents", kind="retriever", settings={"k": 10})
    assert found.k == 3
