"""Questions and answers in blocks with an empty line between."""

import re

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once, rewritten
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="quiz_maker", half="dev_positional", domain="context QA", function="quiz")
CARDS = (
    ("Which planet is the largest?", "Jupiter"),
    ("What is H2O?", "Water"),
    ("Who wrote Faust?", "Johann Wolfgang von Goethe"),
    ("Which gas do plants take in?", "Carbon dioxide: CO2"),
    ("How many bones has an adult?", "206"),
    ("What does CPU stand for?", "Central processing unit"),
    ("Where is the Louvre?", "Paris - in the first district"),
    ("When did the Berlin Wall fall?", "In November 1989"),
    ("Which metal is liquid at room temperature?", "Mercury"),
    ("What is the square root of 144?", "12"),
    ("Which sea lies between Europe and Africa?", "The Mediterranean"),
)


def of(cards, note=""):
    return Base(
        inputs={"topic": "general"},
        outputs=("\n\n".join(f"Q: {question}\nA: {answer}" for question, answer in cards),),
        expected=[{"front": question, "back": answer} for question, answer in cards],
        note=note,
    )


def base(rng, _pool):
    return of(rng.sample(CARDS, rng.randint(2, 6)))


def blocks(answer):
    return enumerate(answer.split("\n\n"), 1)


def numbered(answer):
    return "\n\n".join(
        re.sub(r"^([QA]): ", rf"\g<1>{number}: ", block, flags=re.MULTILINE)
        for number, block in blocks(answer)
    )


def listed(answer):
    return "\n\n".join(f"{number}. {block}" for number, block in blocks(answer))


FAULTS = (
    replaced("bold labels", r"^([QA]): ", r"**\1:** "),
    replaced("bold labels outside", r"^([QA]): ", r"**\1**: "),
    replaced(
        "spelt out", r"^([QA]): ", lambda match: {"Q": "Question: ", "A": "Answer: "}[match[1]]
    ),
    rewritten("numbered labels", numbered),
    rewritten("numbered blocks", listed),
    replaced("full stop labels", r"^([QA]): ", r"\1. "),
    replaced("small letters", r"^([QA]): ", lambda match: match[0].lower()),
    replaced("no blank line between", r"\n\n", "\n", flags=0),
    replaced("blank line inside", r"\nA: ", "\n\nA: ", flags=0),
    replaced("answer on the question line", r"\nA: ", " A: ", flags=0),
    replaced("answer indented", r"^A: ", "   A: "),
    replaced("rules between", r"\n\n", "\n---\n", flags=0),
    replaced_once("one answer label bold", r"^A: ", "**A:** "),
    replaced_once("one answer lost", r"\nA: .*$", "", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of([("What is meant by Q: in a quiz?", "The A: comes after it")], note="labels inside"),
    )
    yield case_of(
        SPEC,
        of([("Fill in: **___** is red", "**Mars**"), ("1. or 2.?", "2.")], note="marks inside"),
    )
    yield case_of(
        SPEC,
        of([("a?", "b"), ("c?", "d")], note="prose around"),
        outputs=("Here you go!\n\nQ: a?\nA: b\n\nQ:c?\nA:d\n\nGood luck!",),
    )
