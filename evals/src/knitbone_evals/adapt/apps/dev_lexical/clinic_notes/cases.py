"""A leaflet in the spelling of a country."""

import re

from knitbone_evals.adapt.apps.dev_lexical.common import spec
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = spec("clinic_notes", "leaflet", "task management")
TOPICS = ("flu", "asthma", "a broken wrist", "blood tests")
COLUMN = {"US": 0, "AU": 1, "IN": 1, "CA": 2}
WORDS = {
    "colour": ("color", "colour", "colour"),
    "centre": ("center", "centre", "centre"),
    "organise": ("organize", "organise", "organize"),
    "recognise": ("recognize", "recognise", "recognize"),
    "behaviour": ("behavior", "behaviour", "behaviour"),
    "analyse": ("analyze", "analyse", "analyze"),
    "labelled": ("labeled", "labelled", "labelled"),
    "favourite": ("favorite", "favourite", "favourite"),
    "litre": ("liter", "litre", "litre"),
    "anaemia": ("anemia", "anaemia", "anemia"),
    "paediatric": ("pediatric", "paediatric", "pediatric"),
    "fibre": ("fiber", "fibre", "fibre"),
    "tumour": ("tumor", "tumour", "tumour"),
    "travelling": ("traveling", "travelling", "travelling"),
    "minimise": ("minimize", "minimise", "minimize"),
    "odour": ("odor", "odour", "odour"),
    "neighbour": ("neighbor", "neighbour", "neighbour"),
    "immunisation": ("immunization", "immunisation", "immunization"),
    "counselling": ("counseling", "counselling", "counselling"),
    "diarrhoea": ("diarrhea", "diarrhoea", "diarrhea"),
}
"""American, British (also Australian, Indian) and Canadian spelling, by the slot in a sentence."""
SENTENCES = (
    "Drink a {litre} of water in the morning.",
    "Watch the {colour} of the skin around it.",
    "Our {centre} is open on Saturdays.",
    "Please {organise} a lift home before the test.",
    "You will {recognise} it by a dry cough.",
    "Changes of {behaviour} are common in small children.",
    "The laboratory will {analyse} the sample within two days.",
    "Bring the {labelled} tube with you.",
    "Let the child take a {favourite} toy along.",
    "Tell us if you have had {anaemia} before.",
    "The {paediatric} nurse answers calls after four.",
    "Eat food that is rich in {fibre}.",
    "A {tumour} is very rarely the cause.",
    "Ask for advice before {travelling} abroad.",
    "To {minimise} the pain, keep the arm raised.",
    "An unusual {odour} should be reported.",
    "Ask a {neighbour} to look in at night.",
    "The {immunisation} is free for members.",
    "We offer {counselling} in small groups.",
    "Call us if {diarrhoea} lasts longer than two days.",
    "Rest until the fever has gone.",
    "Wash your hands often.",
    "Take the tablets after a meal.",
)


def spelt(sentence, column):
    return re.sub(r"\{(\w+)\}", lambda match: WORDS[match.group(1)][column], sentence)


def filled(sentences, country, wrong=None):
    return [
        spelt(sentence, _other(country) if place == wrong else COLUMN[country])
        for place, sentence in enumerate(sentences)
    ]


def _other(country):
    return COLUMN["AU"] if country == "US" else COLUMN["US"]


def document(lines):
    return "\n\n".join(["# What you should know", " ".join(lines[:3]), " ".join(lines[3:])])


def of(country, topic, text, slots=None, note=""):
    title, _, body = text.strip().partition("\n")
    return Base(
        inputs={"country": country, "topic": topic},
        outputs=(text,),
        expected={"title": title.lstrip("# "), "body": body.strip(), "country": country},
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    country = rng.choice(("AU", "CA", "IN", "US"))
    drawn = rng.sample(SENTENCES, 6)
    text = document(filled(drawn, country))
    return of(country, rng.choice(TOPICS), text, {"sentences": drawn})


def wrong(name, country):
    def inject(base, rng):
        if base.inputs["country"] != country:
            return None
        drawn = base.slots["sentences"]
        right = filled(drawn, country)
        places = [place for place in range(6) if right != filled(drawn, country, place)]
        if not places:
            return None
        return Injected(outputs=(document(filled(drawn, country, rng.choice(places))),))

    return fault(name, "lexical")(inject)


def all_wrong(base, _rng):
    column = _other(base.inputs["country"])
    text = document([spelt(sentence, column) for sentence in base.slots["sentences"]])
    return None if text == base.outputs[0] else Injected(outputs=(text,))


def ise_in_canada(base, rng):
    if base.inputs["country"] != "CA":
        return None
    drawn = base.slots["sentences"]
    places = [
        place
        for place, sentence in enumerate(drawn)
        if any(
            word in sentence for word in ("{organise}", "{recognise}", "{minimise}", "{analyse}")
        )
    ]
    if not places:
        return None
    place = rng.choice(places)
    lines = filled(drawn, "CA")
    lines[place] = spelt(drawn[place], COLUMN["AU"])
    return Injected(outputs=(document(lines),))


FAULTS = (
    wrong("one American word (AU)", "AU"),
    wrong("one American word (IN)", "IN"),
    wrong("one American word (CA)", "CA"),
    wrong("one British word (US)", "US"),
    fault("all words of the other standard", "lexical")(all_wrong),
    fault("-ise in Canada", "lexical")(ise_in_canada),
)
TRAPS = (
    (
        "program is Australian",
        "AU",
        (
            "# Flu\n\n"
            "The vaccination program starts in May. The organisation publishes a program of "
            "colour charts."
        ),
    ),
    (
        "jail, cheque",
        "CA",
        (
            "# Flu\n\n"
            "Pay by cheque at the centre. Organize a ride home; the colour of the card does "
            "not matter."
        ),
    ),
    (
        "hospital names",
        "AU",
        (
            "# Flu\n\n"
            "The Centers for Disease Control and the Sydney Children's Medical Center agree "
            "on the colour code."
        ),
    ),
    (
        "drug names",
        "IN",
        (
            "# Flu\n\n"
            "Estrogen Plus® and Hemo-Color tablets need a prescription; our centre keeps both."
        ),
    ),
    (
        "units in code",
        "US",
        "# Flu\n\nThe form field `colour` must be filled in. Any color will do.",
    ),
    (
        "lakh and crore",
        "IN",
        "# Flu\n\nTwo lakh doses reached the centre; kindly do the needful and prepone your visit.",
    ),
    (
        "practice",
        "US",
        "# Flu\n\nOur practice is licensed. We practice good hygiene at the center.",
    ),
    (
        "either way",
        "AU",
        (
            "# Flu\n\n"
            "The inquiry desk gets annual enquiries; focused or focussed, learnt or learned, "
            "it helps."
        ),
    ),
)


def extra(_rng):
    for note, country, text in TRAPS:
        yield case_of(SPEC, of(country, "flu", text, note=note))
