"""American comments on code with British names."""

from knitbone_evals.adapt.apps.dev_lexical.common import (
    flip_all,
    flip_one,
    of_marked,
    of_turn,
    one_bullet,
    spec,
)
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.pools import varied

SPEC = spec("review_bot", "comment", "program synthesis")
DIFFS = (
    "+def normalise(colour):\n+    return colour.lower()",
    "+CENTRE = (0, 0)\n+def draw(): ...",
    "-x = 1\n+x = 2",
)
SENTENCES = (
    "The loop can be vectori[s|z]ed with one call.",
    "Please initiali[s|z]e the list outside of the function.",
    "This behavio[u|]r differs from the documentation.",
    "Consider a dictionary, it is optimi[s|z]ed for lookups.",
    "The dialog is cancel[l|]ed twice here.",
    "The cache should be seriali[s|z]ed under a lock.",
    "A comment would clarify why the label[l|]ed rows are skipped.",
    "Use the model[l|]ing helper instead.",
    "Raise an error instead of printing.",
    "Tests for the empty list are missing.",
    "The colo[u|]r is hard-coded.",
    "I would favo[u|]r a generator here.",
    "Names should say what they hold.",
    "Line three is never reached.",
    "The result is not normali[s|z]ed before it is stored.",
    "The cent[re|er] of the circle is computed twice.",
)
CODE = ("`normalise(colour)`", "`CENTRE`", "`self.cancelled`", "`analyse.py`", "`get_item()`")
BLOCK = "```python\ndef normalise(colour):\n    # keeps the colour grey\n    return colour\n```"


def of(diff, text, slots=None, note=""):
    return Base(
        inputs={"diff": diff},
        outputs=(text,),
        expected={"event": "COMMENT", "body": text},
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    drawn = rng.sample(SENTENCES, 5)
    code = rng.choice(CODE)
    form = rng.choice(("list", "prose", "block"))
    if form == "list":
        marked = (
            "Some remarks:\n\n" + "\n".join("- " + each for each in drawn) + f"\n- Rename {code}."
        )
    elif form == "prose":
        marked = " ".join(drawn) + f" See also {code}."
    else:
        marked = " ".join(drawn[:3]) + "\n\n" + BLOCK + "\n\n" + " ".join(drawn[3:])
    return of(
        rng.choice(DIFFS), varied(marked, "us"), {"marked": [marked], "variety": "us", "form": form}
    )


FOREIGN = (
    "建议添加更多的单元测试。",
    "Bitte fügen Sie noch mehr Tests hinzu.",
    "Además convendría añadir más pruebas.",
)
FAULTS = (
    of_marked("one British word", 0, flip_one),
    of_marked("all British", 0, flip_all),
    of_turn(
        "one star bullet",
        0,
        lambda text, base, rng: (
            one_bullet("* ")(text, base, rng) if base.slots["form"] == "list" else None
        ),
    ),
    of_turn(
        "one dot bullet",
        0,
        lambda text, base, rng: (
            one_bullet("• ")(text, base, rng) if base.slots["form"] == "list" else None
        ),
    ),
    of_turn(
        "foreign sentence",
        0,
        lambda text, base, rng: (
            text + " " + rng.choice(FOREIGN) if base.slots["form"] == "prose" else None
        ),
        determined=False,
    ),
    of_turn(
        "Chinese words",
        0,
        lambda text, _base, rng: text.replace(" is ", rng.choice((" 可能 is ", " is 非常 ")), 1),
        determined=False,
    ),
)
TRAPS = (
    (
        "identifiers",
        "Rename `colour` to `hue`, and `normalise_all` to `clean`. The class `GreyBox` is fine.",
    ),
    (
        "bare identifiers",
        (
            "The argument colour_map of normalise_rows() shadows self.colour, see "
            "CentreFinder.analyse()."
        ),
    ),
    ("quoted", 'The message "The colour is cancelled" should end with a period.'),
    ("comment", "```python\n# the neighbour's behaviour\nx = 1\n```\nLooks good."),
    (
        "foreign comment in code",
        "The comment in line 2 says `# Hier wird der Wert gesetzt`, please translate it.",
    ),
    ("path", "See docs/colour/normalisation.md and tests/test_behaviour.py for details."),
    ("package", "Import it from the colour package (pip install colour-science) instead."),
    ("suggestion", "```suggestion\n    return grey(colour)\n```"),
)


def extra(_rng):
    for note, text in TRAPS:
        yield case_of(SPEC, of(DIFFS[0], text, note=note))
