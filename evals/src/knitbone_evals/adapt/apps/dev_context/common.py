"""A staff handbook, its questions, and the parts of an application that looks passages up in it."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

HANDBOOK = {
    "wifi": {
        "questions": (
            "guest wifi password",
            "How do visitors get onto the wireless network?",
            "wifi for guests and its limits",
        ),
        "passages": (
            "Visitors connect to the network 'Hof-Guest'; the password hangs at the reception.",
            "The guest network cuts off every device after eight hours.",
            "Streaming is throttled on the visitors' Wi-Fi to five megabits.",
            "Ask the IT desk for a voucher if a guest stays longer than a day.",
        ),
    },
    "leave": {
        "questions": (
            "parental leave",
            "How do I apply for parental leave and who pays me meanwhile?",
            "When must I tell HR about parental leave?",
        ),
        "passages": (
            "Parental leave is requested in writing seven weeks before it begins.",
            "During parental leave the state pays an allowance of up to two thirds of the "
            "net wage.",
            "Mothers and fathers may share the months as they like.",
            "Your post is kept free until you come back from parental leave.",
        ),
    },
    "printer": {
        "questions": (
            "printer paper jam",
            "The printer on floor 3 says paper jam. What do I do?",
            "How do I clear a jam and order new toner?",
        ),
        "passages": (
            "Open flap C and pull the jammed sheet out in the direction of the arrow.",
            "Toner for the printers is ordered through the shop of the facility team.",
            "If error E-42 stays on the display, switch the printer off for a minute.",
            "Damp paper jams more often; keep the ream closed.",
        ),
    },
    "parking": {
        "questions": (
            "parking fees",
            "Where can I park my car and what does it cost?",
            "bicycle and car parking",
        ),
        "passages": (
            "Employees park in garage B; a month costs 25 euros, taken from the salary.",
            "Bicycles go to the cage next to gate two, which opens with your badge.",
            "Two charging points for electric cars are on the lower deck.",
            "Guests' cars may stand in the yard for three hours.",
        ),
    },
    "security": {
        "questions": (
            "lost badge",
            "I lost my badge. Whom do I tell?",
            "What happens when my badge is gone, and what does a new one cost?",
        ),
        "passages": (
            "Report a lost badge to security at once, day or night, under 3333.",
            "The old card is blocked within minutes.",
            "The first replacement is free; a second one costs 15 euros.",
            "Until the new badge is printed you get a day pass at the gate.",
        ),
    },
}
OTHER = (
    "The choir rehearses Haydn on Thursdays in the basement.",
    "In 1911 the mill burnt down and was rebuilt by the Vogel brothers.",
    "Tomato soup and rye bread are on the menu this Tuesday.",
    "The aquarium in the lobby holds two koi called Castor and Pollux.",
    "Share prices of the group fell by four percent in March.",
    "The summer party takes place at the lake; bring swimwear.",
)
"""Passages that answer no question of the handbook."""
FOLLOW = {
    "wifi": "And how long does it last?",
    "leave": "And who gets the money?",
    "printer": "And if that does not help?",
    "parking": "What about bikes?",
    "security": "How much is that?",
}
"""What is asked next, by topic."""
PAGES = [text for topic in HANDBOOK.values() for text in topic["passages"]] + list(OTHER)
"""All passages; the place of one is its page."""


def entries(texts):
    """What a search finds: each text with the page it stands on."""
    return [{"text": text, "source": f"p{PAGES.index(text) + 1}"} for text in texts]


def kit(name, function, results, more_inputs=lambda _topic: {}):
    """``SPEC``, ``base``, ``FAULTS`` and ``extra`` of an application.

    Args:
        name: its folder.
        function: in its ``app.py``.
        results: ``(spec, found) -> expected``.
        more_inputs: inputs besides ``question``, by the question's topic.
    """
    spec = AppSpec(
        name=name,
        half="dev_context",
        domain="context QA",
        function=function,
        kind="retriever",
        feeds="passages",
    )

    def of(question, texts, topic, note=""):
        found = entries(texts)
        return Base(
            inputs={"question": question} | more_inputs(topic),
            outputs=tuple(found),
            expected=results(spec, found),
            slots={"topic": topic},
            note=note,
        )

    def base(rng, _pool):
        topic = rng.choice(list(HANDBOOK))
        question = rng.choice(HANDBOOK[topic]["questions"])
        passages = HANDBOOK[topic]["passages"]
        return of(question, rng.sample(passages, rng.randint(2, 4)), topic)

    def extra(_rng):
        for note, question, topic, texts in TRAPS:
            yield case_of(spec, of(question, texts, topic, note))

    return spec, base, FAULTS, extra


def _put(texts_of, place):
    def inject(base, rng):
        (entry,) = entries([rng.choice(texts_of(base))])
        index = place(base, rng)
        return Injected(outputs=(*base.outputs[:index], entry, *base.outputs[index:]))

    return inject


def _anywhere(base, rng):
    return rng.randrange(len(base.outputs) + 1)


def _of_other_topics(base):
    return [
        text
        for topic, known in HANDBOOK.items()
        if topic != base.slots["topic"]
        for text in known["passages"]
    ]


def _two(base, rng):
    one, other = entries(rng.sample(OTHER, 2))
    return Injected(outputs=(base.outputs[0], one, *base.outputs[1:], other))


FAULTS = (
    fault("of nothing", "context")(_put(lambda _: OTHER, _anywhere)),
    fault("of nothing first", "context")(_put(lambda _: OTHER, lambda *_: 0)),
    fault("of another topic", "context")(_put(_of_other_topics, _anywhere)),
    fault("two of nothing", "context")(_two),
)


def _of(topic, number):
    return HANDBOOK[topic]["passages"][number]


TRAPS = (
    (
        "two facets",
        "Can a visitor park and use the wifi?",
        "parking",
        (_of("parking", 3), _of("wifi", 0)),
    ),
    (
        "two facets again",
        "I lost my badge and my car is in the garage. What now?",
        "security",
        (_of("security", 0), _of("parking", 0), _of("security", 3)),
    ),
    ("one entry", "electric vehicle", "parking", (_of("parking", 2),)),
    (
        "a code",
        "E-42",
        "printer",
        (_of("printer", 2), _of("printer", 0)),
    ),
    (
        "no word in common",
        "baby",
        "leave",
        (_of("leave", 0), _of("leave", 2)),
    ),
    (
        "broad question",
        "What should a new colleague know about the building?",
        "wifi",
        (_of("parking", 1), _of("wifi", 0), _of("security", 3), _of("printer", 1)),
    ),
    (
        "comparison",
        "Compare the costs: parking, badge, canteen",
        "parking",
        (_of("parking", 0), _of("security", 2), OTHER[2]),
    ),
    (
        "odd but asked for",
        "history of the house",
        "wifi",
        (OTHER[1], OTHER[3]),
    ),
    (
        "events that share nothing",
        "What is on this week?",
        "wifi",
        (OTHER[0], OTHER[2], OTHER[5]),
    ),
    (
        "two odd facets",
        "Where do I find the koi and when is choir?",
        "wifi",
        (OTHER[0], OTHER[3]),
    ),
    (
        "terse and vague",
        "help",
        "printer",
        (_of("printer", 0), _of("wifi", 3), _of("security", 0)),
    ),
    (
        "rests on one word",
        "Tell me about the allowance",
        "leave",
        (_of("leave", 1), _of("leave", 3), _of("leave", 2)),
    ),
)
"""Answers in which every passage is wanted: what to call them, question, topic, passages."""
