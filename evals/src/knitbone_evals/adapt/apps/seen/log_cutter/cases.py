"""A logbook cut every 240 characters by a loop of the application's own."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="log_cutter",
    half="seen",
    domain="context QA",
    function="entry_of",
    kind="splitter",
    feeds="logbook",
)
SIZE = 240
EVENTS = (
    "We passed the lighthouse at dawn and saw two whales.",
    "Rain all day, the cook made pancakes for everybody.",
    "The second mate repaired the pump with a piece of leather.",
    "No wind; the boat drifted slowly to the south.",
    "A fishing boat gave us a basket of mackerel and fresh bread.",
    "Anchor in the bay of the white rocks, eleven metres deep.",
    "The compass was checked against the sun and found right.",
    "Storm from the west until the evening, a sail was torn.",
    "We filled forty barrels with water from the spring.",
    "The ship's cat had kittens under the captain's desk.",
    "Letters were handed over to a steamer bound for Hull.",
)


def of_events(events, day, note=""):
    text = " ".join(f"Day {number}: {event}" for number, event in events)
    return Base(
        inputs={"day": day},
        outputs=(text,),
        expected={"entry": dict(events)[day], "word": SPEC.reply},
        slots={"events": events},
        note=note,
    )


def draw(rng, count):
    first = rng.randint(1, 80)
    return list(enumerate(rng.sample(EVENTS, count), first))


def cut_days(events):
    """Days whose entry a border cuts inside of its text, and whether within a word."""
    at, found = 0, {}
    text = " ".join(f"Day {number}: {event}" for number, event in events)
    for number, event in events:
        length = len(f"Day {number}: {event}")
        for border in range(SIZE, len(text), SIZE):
            if at + 12 < border < at + length - 4:
                found[number] = " " not in text[border - 1 : border + 1]
        at += length + 1
    return found


def base(rng, _pool):
    """Short enough to stay whole."""
    while True:
        events = draw(rng, rng.randint(2, 4))
        built = of_events(events, rng.choice(events)[0])
        if len(built.outputs[0]) <= SIZE:
            return built


FAULTS = ()


def extra(rng):
    wanted = {"entry cut in a word": 34, "entry cut between words": 16}
    while any(wanted.values()):
        events = draw(rng, rng.randint(5, 9))
        for day, in_word in cut_days(events).items():
            name = "entry cut in a word" if in_word else "entry cut between words"
            if wanted[name]:
                wanted[name] -= 1
                yield case_of(
                    SPEC, of_events(events, day), defects=("segmentation",), faults=(name,),
                    repairable=True,
                )  # fmt: skip
    whole = of_events([(1, "Fog."), (2, "No. 4 boat is lost, says Mr. Hay.")], 1, "abbreviations")
    yield case_of(SPEC, whole)
