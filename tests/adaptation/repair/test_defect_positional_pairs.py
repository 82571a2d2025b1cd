"""Lines of two parts around a mark that is told by all lines together."""

# ruff: noqa: RUF001 - marks that models write
import pytest
from positional_templates import GLOSSARY, judged

WANTED = "well-being :: a: b - c\na priori :: d"


@pytest.mark.parametrize(
    "form",
    [
        "{}: {}", "{} - {}", "{} – {}", "{} — {}", "{} = {}", "{} → {}", "{} -> {}", "{} => {}",
        "- {}: {}", "1. {} - {}", "**{}**: {}", "**{}:** {}", "`{}` - {}", "{} : : {}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "The words:\n\n{}", "{}\nGood luck!"])
def test_one_other_mark_in_all_lines_is_written_as_the_code_cuts(form, around):
    pairs = (("well-being", "a: b - c"), ("a priori", "d"))
    answer = around.format("\n".join(form.format(*pair) for pair in pairs))
    verdict = judged(GLOSSARY, answer)
    assert verdict.text == around.format(WANTED)
    assert judged(GLOSSARY, verdict.text).disposition == "conforming"


@pytest.mark.parametrize(
    "answer",
    [
        WANTED,
        "Here:\n\na::b\n c :: d: e - f\n\nNote: all - of them - are hard.",
        "There are no hard words: it is a simple text.",
        "",
    ],
)
def test_what_the_code_reads_is_the_same_object(answer):
    verdict = judged(GLOSSARY, answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    "answer",
    [
        "a: b\nc - d",
        "a: b\nc",
        "a: b\nHere is more. And this: c",
        "a :: b\nc - d\ne :: f",
        "a: b\n" + "c" * 80 + ": d",
    ],
)
def test_marks_that_not_all_lines_share_stay(answer):
    verdict = judged(GLOSSARY, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer
