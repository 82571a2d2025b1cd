"""Points that begin with a dash."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import BULLETS, repeated_item
from knitbone_evals.adapt.faults.wording import foreign_sentence
from knitbone_evals.adapt.pools import POINTS

SPEC = AppSpec(name="minute_taker", half="unseen", domain="context QA", function="page")
USES_SENTENCES = True
TITLES = ("Jour fixe", "Kick-off", "Quarterly review", "Stand-up")


def write(items):
    return "\n".join(f"- {item}" for item in items)


def results_of(title):
    return lambda items: {"title": title, "points": list(items)}


def of_points(title, items, reworded=None, source="constructed", note=""):
    return Base(
        inputs={"title": title, "transcript": "(the recording of the meeting, half an hour)"},
        outputs=(write(items),),
        expected=results_of(title)(items),
        slots={"items": items, "reworded": reworded or {}},
        source=source,
        note=note,
    )


def base(rng, pool):
    count = rng.randint(3, 6)
    if pool.source == "real":
        return of_points(TITLES[0], pool.some(rng, count), source="real")
    drawn = dict(rng.sample(POINTS, count))
    return of_points(TITLES[0], list(drawn), drawn)


FAULTS = (
    *BULLETS,
    repeated_item(write, results_of(TITLES[0]), reworded=False),
    repeated_item(write, results_of(TITLES[0]), reworded=True),
    foreign_sentence("(\n- )"),
)

TRAPS = (
    (
        "persons differ",
        ["Ada reviews the contract by Friday", "Bruno reviews the contract by Friday"],
    ),
    (
        "decided and not decided",
        ["The rent contract is signed", "The rent contract is not extended"],
    ),
    ("numbers differ", ["Team A gets 3 desks", "Team B gets 3 desks", "Team C gets 5 desks"]),
    (
        "before and after",
        ["Before the move all cables are labelled", "After the move all cables are checked"],
    ),
    ("a dash and a star in a point", ["The code is A * B - 7", "Hours: 9 - 17"]),
    ("short points", ["Budget", "Budget plan 2026", "Risks"]),
    (
        "a quotation that repeats a point",
        ["The client says: 'too slow'", "'Too slow' was the title of the talk"],
    ),
)


def extra(rng):
    for note, items in TRAPS:
        yield case_of(SPEC, of_points(rng.choice(TITLES), items, note=note))
    built = of_points(
        TITLES[1], ["The office moves", "The phone numbers stay"], note="prose around"
    )
    text = f"Summary:\n\n{write(built.slots['items'])}\n\nAll agreed - nobody abstained."
    yield case_of(SPEC, built, outputs=(text,))
