"""Lines of a scene, each with its speaker before a colon."""

from collections import Counter

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="stage_dialogue", half="dev_positional", domain="conversation", function="play")
SAID = (
    "Where are we?",
    "I hear water: listen!",
    "The door opens - slowly.",
    "No. Not again",
    "We should go back",
    "A cold wind blows through the hall.",
    "Give me the lamp!",
    "You first.",
    "It is locked",
    "Somebody was here before us",
    "Then we wait",
)
CAST = ("Mira", "Tobin", "Narrator")


def of(script, note=""):
    return Base(
        inputs={"scene": "a cave"},
        outputs=("\n".join(f"{who}: {said}" for who, said in script),),
        expected={
            "script": [list(entry) for entry in script],
            "lines": dict(sorted(Counter(who for who, _ in script).items())),
        },
        note=note,
    )


def base(rng, _pool):
    return of([(rng.choice(CAST), said) for said in rng.sample(SAID, rng.randint(3, 7))])


FAULTS = (
    replaced("bold speakers", r"^(\w+): ", r"**\1:** "),
    replaced("bold speakers outside", r"^(\w+): ", r"**\1**: "),
    replaced("capitals", r"^(\w+):", lambda match: match[0].upper()),
    replaced("small letters", r"^(\w+):", lambda match: match[0].lower()),
    replaced("dash", r"^(\w+): ", r"\1 - "),
    replaced("long dash", r"^(\w+): ", r"\1 — "),
    replaced("blank before colon", r"^(\w+): ", r"\1 : "),
    replaced("bullets", r"^", "- "),
    replaced("indented", r"^", "  "),
    replaced("quoted", r"^", "> "),
    replaced("full-width colon", r"^(\w+): ", "\\1\uff1a"),
    replaced("said on the next line", r"^(\w+): ", r"\1:\n"),
    replaced("speaker in brackets", r"^(\w+): ", r"[\1]: "),
    replaced_once("one speaker bold", r"^(\w+): ", r"**\1:** "),
    replaced_once("one speaker misspelt", r"^Narrator:", "Narator:", "Narrrator:"),
    replaced_once("a stranger", r"^\w+:", "Ghost:", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            [("Mira", "Tobin: come!"), ("Narrator", "Mira - tired - sits. **Silence**")],
            note="marks",
        ),
    )
    yield case_of(
        SPEC,
        of([("Mira", "Hi")], note="around"),
        outputs=("Scene one: the cave\n\nMira:Hi\n\nThe end - for now.",),
    )
