"""Events of a log: a time in brackets, a person, and what happened."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once, rewritten
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="shift_log", half="dev_positional", domain="conversation", function="log")
WHAT = (
    "checked the boiler",
    "patient in room 4 asked for water",
    "closed gate B - it was open",
    "phoned the electrician: no answer",
    "lights out",
    "found a wallet (brown)",
    "changed the filter",
    "handed over the keys",
    "alarm at the back door",
    "coffee",
)
NAMES = ("Ada", "Bruno", "Carla", "Femi", "Hugo")


def of(rows, note=""):
    return Base(
        inputs={"notes": "a few notes"},
        outputs=("\n".join(f"[{time}] {who}: {what}" for time, who, what in rows),),
        expected={
            "count": len(rows),
            "entries": [{"time": time, "who": who, "what": what} for time, who, what in rows],
        },
        note=note,
    )


def base(rng, _pool):
    what = rng.sample(WHAT, rng.randint(3, 6))
    times = sorted(f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}" for _ in what)
    return of([(time, rng.choice(NAMES), event) for time, event in zip(times, what, strict=True)])


FAULTS = (
    replaced("no brackets", r"^\[(.*?)\] ", r"\1 "),
    replaced("no brackets, dash", r"^\[(.*?)\] ", r"\1 - "),
    replaced("round brackets", r"^\[(.*?)\] ", r"(\1) "),
    replaced("bold time", r"^(\[.*?\]) ", r"**\1** "),
    replaced("bullets", r"^", "- "),
    replaced("bold person", r"^(\[.*?\]) (\w+):", r"\1 **\2:**"),
    replaced("dash after person", r"^(\[.*?\]) (\w+): ", r"\1 \2 - "),
    replaced("colon after time", r"^(\[.*?\]) ", r"\1: "),
    replaced("dash after time", r"^(\[.*?\]) ", r"\1 - "),
    rewritten(
        "numbered",
        lambda answer: "\n".join(f"{n}. {line}" for n, line in enumerate(answer.split("\n"), 1)),
    ),
    replaced("no space after time", r"^(\[.*?\]) ", r"\1"),
    replaced_once("one without brackets", r"^\[(.*?)\] ", r"\1 "),
    replaced_once("one with full-width colon", r"^(\[.*?\] \w+): ", "\\1\uff1a"),
    replaced_once("one hour short", r"^\[0(\d:\d\d)\] ", r"[\1] "),
    replaced_once("one person lost", r"^(\[.*?\] )\w+: ", r"\1", determined=False),
    replaced_once("one time lost", r"^\[.*?\] ", "", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            [("10:00", "Ada", "said [11:00] Bruno: no"), ("23:59", "Bruno", "- **done** -")],
            note="marks",
        ),
    )
    yield case_of(
        SPEC,
        of([("10:00", "Ada", "x")], note="around"),
        outputs=("Here is the log:\n\n   [10:00] Ada: x\n\nTotal: 1 entry - all fine.",),
    )
