"""A list in two languages on purpose."""

from knitbone_evals.adapt.apps.dev_lexical.common import of_turn, one_bullet, spec
from knitbone_evals.adapt.cases import Base, case_of

SPEC = spec("phrasebook", "page", "task management")
PHRASES = {
    "German": {
        "Good morning": "Guten Morgen",
        "Where is the station?": "Wo ist der Bahnhof?",
        "I would like to pay": "Ich möchte bitte bezahlen",
        "See you tomorrow": "Wir sehen uns morgen",
        "It is too expensive for me": "Das ist mir leider zu teuer",
    },
    "Spanish": {
        "Good morning": "Buenos días",
        "Where is the station?": "¿Dónde está la estación?",
        "I would like to pay": "Quisiera pagar la cuenta, por favor",
        "See you tomorrow": "Hasta mañana",
        "It is too expensive for me": "Es demasiado caro para mí",
    },
    "Japanese": {
        "Good morning": "おはようございます",
        "Where is the station?": "駅はどこですか",
        "I would like to pay": "お会計をお願いします",
        "See you tomorrow": "また明日",
        "It is too expensive for me": "私には高すぎます",
    },
}
EXPLANATIONS = (
    "said until about eleven",
    "polite, also to strangers",
    "in restaurants and shops",
    "among friends",
    "when bargaining",
    "a little formal",
)


def of(phrases, language, text, slots=None, note=""):
    return Base(
        inputs={"phrases": phrases, "language": language},
        outputs=(text,),
        expected={"language": language, "lines": text.strip().splitlines()},
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    language = rng.choice(list(PHRASES))
    drawn = rng.sample(list(PHRASES[language]), 4)
    mark = rng.choice(("- ", "* ", "• "))
    form = rng.choice(
        ("{m}{p}: {t} ({e})", "{m}**{p}** \u2013 {t} \u2013 {e}", "{m}{t} = {p}; {e}")
    )
    return of(
        drawn,
        language,
        "\n".join(
            form.format(m=mark, p=phrase, t=PHRASES[language][phrase], e=rng.choice(EXPLANATIONS))
            for phrase in drawn
        ),
        {"mark": mark},
    )


def one(new):
    return lambda text, base, rng: one_bullet(new, base.slots["mark"])(text, base, rng)


FAULTS = tuple(
    of_turn(f"one bullet {mark!r}", 0, one(mark)) for mark in ("- ", "* ", "• ", "+ ", "◦ ")
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            ["Good morning"],
            "German",
            "Guten Morgen. Das sagt man bis etwa elf Uhr.",
            note="all in the target language",
        ),
    )
    yield case_of(
        SPEC,
        of(
            ["Good morning"],
            "Japanese",
            "- おはようございます (ohayō gozaimasu): said until about eleven",
            note="romanised",
        ),
    )
