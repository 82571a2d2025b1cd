"""Rows of which a few bear a list's mark, which the code would take for content."""

import msgspec
import pytest
from positional_templates import RATED, ROWS, judged, template_of

from knitbone.adaptation.testing import PromptMessage

PRICES = template_of(r"^(.+?) \| (\d+)$", 8)
LABELLED = template_of(r"^(.+?): (\d+)$", 8)
HANDLED = msgspec.structs.replace(ROWS, on_violation="silent", confidence="medium")


@pytest.mark.parametrize(
    ("template", "answer", "repaired"),
    [
        (ROWS, "- Ann|Oslo|3\nBob|Rome|4\nCy|Graz|5", "Ann|Oslo|3\nBob|Rome|4\nCy|Graz|5"),
        (HANDLED, "Ann|Oslo|3\n* Bob|Rome|4\nCy|Graz|5", "Ann|Oslo|3\nBob|Rome|4\nCy|Graz|5"),
        (RATED, "Ann,3\nBob,4\n•  Cy,5", "Ann,3\nBob,4\nCy,5"),
        (PRICES, "nail | 1\n- bolt | 2\nnut | 3\n", "nail | 1\nbolt | 2\nnut | 3\n"),
        (PRICES, "- a | 1\n- b | 2\nc | 3\nd | 4\ne | 5", "a | 1\nb | 2\nc | 3\nd | 4\ne | 5"),
        # Beside what else is repaired.
        (ROWS, "Ann|Oslo|3\n- Bob;Rome;4\nCy|Graz|5", "Ann|Oslo|3\nBob|Rome|4\nCy|Graz|5"),
    ],
)
def test_the_mark_that_few_rows_bear_is_left_out(template, answer, repaired):
    verdict = judged(template, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)
    assert judged(template, repaired).disposition == "conforming"


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (PRICES, "- nail | 1\n- bolt | 2\n- nut | 3"),
        (PRICES, "- nail | 1\nbolt | 2"),
        (PRICES, "- nail | 1"),
        # signs, and words that begin with them
        (PRICES, "- 5 | 1\n7 | 2\n9 | 3"),
        (PRICES, "-nail | 1\nbolt | 2\nnut | 3"),
        # flags: of several kinds, or said what they are
        (PRICES, "- nail | 1\n+ bolt | 2\nnut | 3\nrod | 4\nbar | 5"),
        (PRICES, "- nail | 1\n* bolt | 2\nnut | 3\nrod | 4\nbar | 5"),
        (PRICES, "* nail | 1\nbolt | 2\nnut | 3\n\n* out of stock"),
        # a list below a line, as prose has it
        (LABELLED, "Total: 3\nItems: 2\n- nail: 1"),
    ],
)
def test_a_mark_that_may_be_meant_stays(template, answer):
    verdict = judged(template, answer)
    assert (verdict.disposition, verdict.text) == ("conforming", answer)


def test_a_mark_that_the_model_was_shown_stays():
    shown = PromptMessage(
        role="user", text="One item a line, those on offer marked:\n- nail | 1\nbolt | 2"
    )
    answer = "- nail | 1\nbolt | 2\nnut | 3"
    assert judged(PRICES, answer, said=[shown]).text == answer


def test_it_can_be_switched_off():
    answer = "- nail | 1\nbolt | 2\nnut | 3"
    assert judged(PRICES, answer, without=("positional.frame",)).text == answer
