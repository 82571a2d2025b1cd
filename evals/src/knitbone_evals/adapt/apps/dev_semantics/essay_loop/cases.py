"""Drafts that grow; then drafts that say nothing new."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(name="essay_loop", half="dev_semantics", domain="task management", function="write")
GOALS = {
    "announce the library's new opening hours": (
        (
            "From March on, the library opens at eight in the morning.",
            "The library will open at eight in the morning from March on.",
        ),
        ("On Saturdays it stays open until six.", "It remains open until six on Saturdays."),
        ("The reading room can be booked online.", "You can book the reading room online."),
        (
            "Returned books go into the box at the side entrance.",
            "Books that are returned go into the box at the side entrance.",
        ),
        (
            "The café on the first floor serves lunch.",
            "Lunch is served in the café on the first floor.",
        ),
    ),
    "explain why we compost": (
        (
            "Compost keeps kitchen waste out of the landfill.",
            "Kitchen waste is kept out of the landfill by compost.",
        ),
        ("It feeds the soil in the school garden.", "The soil in the school garden is fed by it."),
        (
            "Worms turn peels into humus within months.",
            "Within months, worms turn peels into humus.",
        ),
        ("Meat and bones do not belong on the heap.", "Don't put meat and bones on the heap."),
        (
            "Every class takes care of the heap for a week.",
            "Each class looks after the heap for one week.",
        ),
    ),
}
ROUNDS = 4


def text(sentences, wording=0):
    return " ".join(each[wording] for each in sentences)


def of(goal, sentences, count, note=""):
    drafts = [text(sentences[: n + 1]) for n in range(count)]
    outputs = (*drafts, drafts[-1]) if count <= ROUNDS else tuple(drafts)
    return Base(
        inputs={"goal": goal},
        outputs=outputs,
        expected={"final": drafts[-1], "versions": count},
        slots={"sentences": sentences, "count": count},
        note=note,
    )


def base(rng, _pool):
    goal, sentences = rng.choice(list(GOALS.items()))
    return of(goal, rng.sample(sentences, 5), rng.randint(1, 5))


def _then(base, said):
    """After the last new draft, ``said(turn)`` until the rounds are spent."""
    count = base.slots["count"]
    left = ROUNDS + 1 - count
    if left < 1:
        return None
    return Injected(outputs=(*base.outputs[:count], *[said(turn) for turn in range(left)]))


@fault("draft in other words", "semantics")
def rephrased(base, _rng):
    sentences, count = base.slots["sentences"], base.slots["count"]
    return _then(base, lambda turn: text(sentences[:count], 1 - turn % 2))


@fault("one sentence of the draft in other words", "semantics")
def one(base, _rng):
    sentences, count = base.slots["sentences"], base.slots["count"]
    return _then(
        base,
        lambda turn: (
            text(sentences[: count - 1])
            + (" " if count > 1 else "")
            + sentences[count - 1][1 - turn % 2]
        ),
    )


@fault("draft behind an introduction", "semantics")
def introduced(base, _rng):
    sentences, count = base.slots["sentences"], base.slots["count"]
    heads = ("Here is the improved draft:\n\n", "Sure! Here's a revised version:\n\n")
    return _then(base, lambda turn: heads[turn % 2] + text(sentences[:count]))


@fault("sentences turned round", "semantics")
def turned(base, _rng):
    sentences, count = base.slots["sentences"], base.slots["count"]
    if count < 2:
        return None
    return _then(
        base,
        lambda turn: text((sentences[:count][::-1], [*sentences[1:count], sentences[0]])[turn % 2]),
    )


FAULTS = (rephrased, one, introduced, turned)


def extra(_rng):
    goal, sentences = next(iter(GOALS.items()))
    first = text(sentences[:2])
    for old, new, note in (
        ("eight", "nine", "hour"),
        ("March", "May", "month"),
        ("stays", "does not stay", "negation"),
        ("Saturdays", "Sundays", "day"),
        ("the library", "the town library", "more exact"),
    ):
        changed = first.replace(old, new)
        yield case_of(
            SPEC,
            of(goal, sentences, 2, note),
            outputs=(first, changed, changed),
            expected={"final": changed, "versions": 2},
        )
    shorter = sentences[0][0]
    yield case_of(
        SPEC,
        of(goal, sentences, 2, "made shorter"),
        outputs=(first, shorter, shorter),
        expected={"final": shorter, "versions": 2},
    )
