"""Two replies in the spelling of the user's first message."""

import re

from knitbone_evals.adapt.apps.dev_lexical.common import (
    flip_all,
    flip_one,
    of_marked,
    of_turn,
    spec,
)
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.pools import varied

SPEC = spec("stream_coach", "converse")
FIRST = (
    "I am writing a humorous story about my neighbo[u|]r. Any tips?",
    "How do I describe the colo[u|]rs of a harbo[u|]r at dawn?",
    "My draft is about a travel[l|]er who reali[s|z]es he is lost. Where to start?",
    "I want to organi[s|z]e my notes. Favo[u|]rite methods?",
    "Should I analy[s|z]e my hero's behavio[u|]r first?",
)
SECOND = (
    "And the ending?",
    "How long should it be?",
    "Can I use dialogue?",
    "What about the title?",
)
SENTENCES = (
    "Try to emphasi[s|z]e one detail in every scene.",
    "Let the colo[u|]r of the light tell the hour.",
    "Readers recogni[s|z]e honest dialogue at once.",
    "A rumo[u|]r can drive the middle of the plot.",
    "Summari[s|z]e the last chapter in one line.",
    "Keep the gr[e|a]y sky for the final page.",
    "Avoid sentences with more than thirty words.",
    "Cut whatever you would skip yourself.",
    "Write the last line first.",
    "Read it aloud to a friend.",
    "Give the villain a sense of humo[u|]r too.",
    "You might visuali[s|z]e the room before you write.",
    "Let him be good at one odd thing.",
    "A scene at the theat[re|er] works well here.",
    "Think of his endeavo[u|]rs as steps.",
    "Be critici[s|z]ed early and often.",
    "Model[l|]ing the dialogue on real talk helps.",
)


def of(lines, replies, slots=None, note=""):
    return Base(
        inputs={"lines": list(lines)},
        outputs=tuple(replies),
        expected=list(replies),
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    variety = rng.choice(("uk", "us"))
    drawn = rng.sample(SENTENCES, 7)
    form = rng.choice(("prose", "prose", "dash", "number"))

    def write(sentences):
        if form == "dash":
            return "\n".join("- " + each for each in sentences)
        if form == "number":
            return "\n".join(f"{number}. {each}" for number, each in enumerate(sentences, 1))
        return " ".join(sentences)

    marked = [write(drawn[:4]), write(drawn[4:])]
    lines = [varied(rng.choice(FIRST), variety), rng.choice(SECOND)]
    return of(
        lines,
        [varied(each, variety) for each in marked],
        {"marked": marked, "variety": variety, "form": form},
    )


def second_dots(text, base, _rng):
    if base.slots["form"] != "dash":
        return None
    return text.replace("- ", "• ")


def second_paren(text, base, _rng):
    if base.slots["form"] != "number":
        return None
    return re.sub(r"^(\d)\. ", r"\1) ", text, flags=re.MULTILINE)


FOREIGN = (
    "Escribe todos los días aunque sea poco.",
    "Schreiben Sie jeden Tag, auch wenn es wenig ist.",
    "毎日少しずつ書くことが大切です。",
)
FAULTS = (
    of_marked("first reply: one word", 0, flip_one),
    of_marked("second reply: one word", 1, flip_one),
    of_marked("second reply all other", 1, flip_all),
    of_marked("first reply all other", 0, flip_all),
    of_turn("second reply's dots", 1, second_dots),
    of_turn("second reply's parentheses", 1, second_paren),
    of_turn(
        "one number in the second reply",
        1,
        lambda text, base, _rng: (
            text.replace("\n2. ", "\n2) ") if base.slots["form"] == "number" else None
        ),
    ),
    of_turn(
        "Chinese words",
        None,
        lambda text, _base, rng: text.replace(
            " ", rng.choice((" 非常 ", " 可以尝试 ", " также ")), 1
        ),
        determined=False,
    ),
    of_turn(
        "a foreign sentence",
        None,
        lambda text, base, rng: (
            text + " " + rng.choice(FOREIGN) if base.slots["form"] == "prose" else None
        ),
        determined=False,
    ),
)
TRAPS = (
    (
        "asks about spelling",
        ["Is it colour or color in American English?"],
        ["In American English it is color; in British English it is colour."],
    ),
    (
        "quotes the user's draft",
        ["My line is: 'The color of honor is gray.' Good, in your favourite style?"],
        ["Your line 'The color of honor is gray.' is strong. Keep it."],
    ),
    (
        "title",
        ["My favourite film is The Color Purple. How do I write like that?"],
        ["The Color Purple works because it is told in letters. Start with one letter."],
    ),
    ("no cue", ["Any tips for a story?"], ["Choose the colour of the sky first."]),
    ("no cue us", ["Any tips for a story?"], ["Choose the color of the sky first."]),
    (
        "foreign idiom",
        ["How do I end my neighbour's story?"],
        [
            (
                "With a touch of je ne sais quoi, a certain joie de vivre and, of course, a "
                "coup de théâtre."
            )
        ],
    ),
    (
        "a line of French dialogue wanted",
        ["My neighbour speaks French. Give me a line for him."],
        ["He could say: « Je ne suis pas d'ici, madame, je cherche la gare. »"],
    ),
    (
        "user mixes",
        ["My neighbour's color chart is gray. Ideas?"],
        ["The gray of the chart and the honour of your neighbour make a scene."],
    ),
)


def extra(_rng):
    for note, lines, replies in TRAPS:
        yield case_of(SPEC, of(lines, replies, note=note))
