"""Questions and answers; a pair comes again, to the letter or in other words."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="faq_builder", half="dev_semantics", domain="context QA", function="faq")
ENTRIES = {
    ("How long does the battery last?", "The battery lasts for up to twelve hours."): [
        ("What is the battery life?", "The battery lasts up to twelve hours."),
        (
            "How long does the battery last on one charge?",
            "The battery lasts for up to twelve hours on one charge.",
        ),
    ],
    ("Is the speaker waterproof?", "Yes, the speaker is waterproof to a depth of one metre."): [
        ("Is the speaker water-proof?", "Yes, it is waterproof to a depth of one metre."),
    ],
    (
        "How do I pair the speaker with my phone?",
        "Hold the blue button for three seconds and pick the speaker in your phone's "
        "Bluetooth menu.",
    ): [
        (
            "How can I pair the speaker with my phone?",
            "Press and hold the blue button for three seconds, then pick the speaker in your "
            "phone's Bluetooth menu.",
        ),
    ],
    ("Can I return it?", "You can return the speaker within thirty days."): [
        ("Can I send it back?", "The speaker can be returned within thirty days."),
    ],
    ("What is in the box?", "The box contains the speaker, a cable and a pouch."): [
        ("What comes in the box?", "In the box you find the speaker, a cable and a pouch."),
    ],
    ("Where is it made?", "It is assembled in Portugal."): [
        ("In which country is it made?", "It is assembled in Portugal."),
    ],
    ("How heavy is it?", "It weighs 640 grams."): [
        ("What does it weigh?", "It weighs 640 grams."),
    ],
    ("Does it support two speakers at once?", "Two speakers can be linked in the app."): [],
    ("Which colours are there?", "It comes in sand, moss and black."): [],
}


def write(items):
    return ("\n\n".join(f"Q: {question}\nA: {answer}" for question, answer in items),)


def result(items):
    return [{"question": question, "answer": answer} for question, answer in items]


def of(items, note=""):
    return Base(
        inputs={"sheet": "Portable speaker, 640 g."},
        outputs=write(items),
        expected=result(items),
        note=note,
        slots={"items": items, "say": write, "result": result, "other": ENTRIES},
    )


def base(rng, _pool):
    return of(rng.sample(list(ENTRIES), rng.randint(3, 6)))


FAULTS = (
    kit.again("entry twice", kit.exact_later),
    kit.again("entry twice in a row", kit.exact_next),
    kit.again("entry in other words", kit.reworded),
    kit.again("entry over and over", kit.run),
    kit.again("page twice", kit.whole),
)
TRAPS = (
    [("Is it waterproof?", "Yes."), ("Is it dustproof?", "Yes."), ("Is it made of glass?", "No.")],
    [
        ("How long is the warranty in Europe?", "Two years."),
        ("How long is the warranty in Norway?", "Five years."),
    ],
    [
        ("Can I charge it by USB-C?", "Yes, with any USB-C charger."),
        ("Can I charge it without a cable?", "No, it has to be charged by USB-C."),
    ],
    [
        ("How do I turn it on?", "Press the button for two seconds."),
        ("How do I turn it off?", "Press the button for two seconds."),
    ],
    [
        ("What if it breaks?", "Contact our support."),
        ("What if it gets lost?", "Contact our support."),
    ],
)


def extra(_rng):
    for items in TRAPS:
        yield case_of(SPEC, of(items, items[0][0]))
