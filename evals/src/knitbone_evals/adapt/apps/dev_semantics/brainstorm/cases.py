"""One idea a call: an idea that was there before, in other words, ends it."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(
    name="brainstorm", half="dev_semantics", domain="task management", function="collect"
)
TOPICS = {
    "How bees find their way home": "How do bees find their way home?",
    "Why old maps show islands that never existed": (
        "Old maps show islands that never existed: why?"
    ),
    "The invention of the zip fastener": "How the zip fastener was invented",
    "What lighthouse keepers did all day": "What did lighthouse keepers do all day?",
    "The history of the bicycle bell": "The bicycle bell's history",
    "Cooking in submarines": "",
    "Who owns the moon": "Who is the owner of the moon?",
    "The language of whistles on La Gomera": "La Gomera's language of whistles",
    "Sleeping habits of giraffes": "The sleeping habits of giraffes",
    "Paper made of stone": "",
}


def of(topics, note=""):
    end = (topics[-1],) if len(topics) < 5 else ()
    return Base(
        inputs={"theme": "curious things"},
        outputs=(*topics, *end),
        expected=list(topics),
        slots={"topics": topics},
        note=note,
    )


def base(rng, _pool):
    return of(rng.sample(list(TOPICS), rng.randint(2, 5)))


def _end(base, said):
    topics = base.slots["topics"]
    if said is None or len(topics) > 4:
        return None
    rest = [topic for topic in TOPICS if topic not in topics][:1] * (5 - len(topics) - 1)
    return Injected(outputs=(*topics, said, *rest))


@fault("last idea in other words", "semantics")
def last(base, _rng):
    return _end(base, TOPICS[base.slots["topics"][-1]] or None)


@fault("an earlier idea in other words", "semantics")
def earlier(base, rng):
    found = [TOPICS[topic] for topic in base.slots["topics"][:-1] if TOPICS[topic]]
    return _end(base, rng.choice(found) if found else None)


@fault("last idea with a full stop", "semantics")
def stop(base, _rng):
    return _end(base, base.slots["topics"][-1] + ".")


FAULTS = (last, earlier, stop)


def extra(_rng):
    for topics in (
        ["The history of the bicycle bell", "The history of the bicycle lamp"],
        ["Who owns the moon", "Who owns the sea"],
        ["Sleeping habits of giraffes", "Eating habits of giraffes"],
        ["Life before the zip fastener", "Life after the zip fastener"],
    ):
        yield case_of(SPEC, of(topics, topics[0]))
