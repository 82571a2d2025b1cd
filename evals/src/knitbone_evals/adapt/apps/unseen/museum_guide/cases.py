"""Entries of a museum's catalogue; the rooms are named in the order in which entries came."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(
    name="museum_guide",
    half="unseen",
    domain="context QA",
    function="tell",
    kind="retriever",
    feeds="found",
)
TOPICS = {
    "Tell me about the Viking ship.": (
        ("room 1", "The Viking ship in this hall was built of oak around the year 890."),
        ("room 2", "Oars and shields of the Viking ship hang on the wall as they were found."),
        ("room 3", "Thirty-two Viking oarsmen slept on the ship under a woollen tent."),
        ("room 4", "The ship was dug out of blue clay, which had kept its planks from rotting."),
    ),
    "What do you have on early photography?": (
        ("room 5", "The oldest photograph of the town was taken in 1843 on a silvered plate."),
        ("room 6", "Early photographers carried glass plates and a darkroom tent with them."),
        ("room 7", "Portrait photography needed a head rest, for the exposure took half a minute."),
        ("room 8", "The wet plate had to be exposed and developed before it dried."),
    ),
    "Where can I see clocks?": (
        ("room 9", "The tower clock of 1502 has one hand only and strikes every hour."),
        ("room 10", "Pocket watches and marine clocks are shown in the cabinet by the stairs."),
        ("room 11", "A water clock from Fez shows how hours were measured without wheels."),
        ("room 12", "The clockmaker's bench still carries the tools of three generations."),
    ),
}
OTHER = (
    ("room 20", "Butterflies of the southern valleys are pinned in forty drawers."),
    ("room 21", "The cafeteria's cake of the week is made with local plums."),
    ("room 22", "Tax records of 1911 fill the shelves of the reading room."),
    ("room 23", "A dinosaur's thigh bone lies next to the skeleton of a whale."),
    ("room 24", "Membership costs forty euros a year and includes the newsletter."),
    ("room 25", "The volcano model erupts on the full hour."),
)


def entry(pair):
    return {"source": pair[0], "text": pair[1]}


def of_pairs(question, pairs, note=""):
    return Base(
        inputs={"question": question},
        outputs=tuple(entry(pair) for pair in pairs),
        expected={"text": SPEC.reply, "rooms": list(dict.fromkeys(room for room, _ in pairs))},
        note=note,
    )


def base(rng, _pool):
    question = rng.choice(list(TOPICS))
    return of_pairs(question, rng.sample(TOPICS[question], rng.randint(2, 4)))


@fault("irrelevant entry", "context")
def irrelevant(base, rng):
    where = rng.randrange(1, len(base.outputs) + 1)
    other = entry(rng.choice(OTHER))
    return Injected(outputs=(*base.outputs[:where], other, *base.outputs[where:]))


@fault("irrelevant entry first", "context")
def irrelevant_first(base, rng):
    return Injected(outputs=(entry(rng.choice(OTHER)), *base.outputs))


FAULTS = (irrelevant, irrelevant_first)


def extra(_rng):
    ship = list(TOPICS["Tell me about the Viking ship."])
    yield case_of(
        SPEC,
        of_pairs(
            "Tell me about the Viking ship.",
            [("room 1", ship[0][1]), ("room 1", ship[3][1])],
            "two entries of one room",
        ),
    )
    yield case_of(
        SPEC,
        of_pairs(
            "Anything for children?", [OTHER[5], OTHER[3]], "the question names neither entry"
        ),
    )
    yield case_of(
        SPEC,
        of_pairs(
            "Compare clocks and photographs.",
            [
                TOPICS["Where can I see clocks?"][0],
                TOPICS["What do you have on early photography?"][0],
            ],
            "two subjects were asked for",
        ),
    )
    yield case_of(
        SPEC,
        of_pairs(
            "Tell me about the Viking ship.",
            [("room 1", "Viking ship, 890, oak."), ("room 3", "Slept: 32 oarsmen, tent.")],
            "telegram style",
        ),
    )
