"""A text that is cut every 200 characters. It conforms where the cuts fall between sentences."""

import itertools
from functools import lru_cache

from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="handbook_search",
    half="unseen",
    domain="context QA",
    function="rule_about",
    kind="splitter",
    feeds="handbook",
)
CHUNK = 200
RULES = {
    "badge": "Every visitor wears a yellow badge and signs the book at the front desk.",
    "laptop": "A lost laptop is reported to the help desk within one hour.",
    "kitchen": "Whoever uses the kitchen last switches off the coffee machine.",
    "parking": "Parking on the courtyard is allowed after six in the evening only.",
    "holiday": "Holiday of more than two weeks is agreed with the team in January.",
    "invoice": "An invoice above five hundred euros needs a second signature.",
    "password": "A password is never sent by mail, not even to the manager.",
    "alarm": "When the alarm rings, everybody walks to the oak behind the school.",
    "bicycle": "A bicycle may stand in the hall while it rains.",
    "training": "Three days of training a year are paid by the company.",
    "printer": "The big printer is for posters and plans only.",
    "dog": "A dog in the office needs the consent of all who share the room.",
    "travel": "Travel by train is preferred to flights below six hundred kilometres.",
    "meeting": "No meeting begins before nine or after four.",
    "window": "The last person closes every window on the upper floor.",
    "phone": "A private phone may be charged at the desk.",
    "guest": "A guest network exists; its code changes each Monday.",
    "archive": "Paper goes to the archive after two years and is shredded after ten.",
}


def text_of(keys):
    return " ".join(RULES[key] for key in keys)


@lru_cache(maxsize=1)
def exact_chunks():
    """Keys of rules that fill one chunk to the last character, the blank at its end included."""
    return [
        keys
        for keys in itertools.combinations(RULES, 3)
        if sum(len(RULES[key]) + 1 for key in keys) == CHUNK
    ]


def of_keys(keys, keyword, note=""):
    return Base(
        inputs={"keyword": keyword},
        outputs=(text_of(keys),),
        expected={"rules": [RULES[keyword]], "answer": SPEC.reply},
        slots={"keys": keys},
        note=note,
    )


def only_once(keys, keyword):
    return sum(keyword in RULES[key].lower() for key in keys) == 1


def base(rng, _pool):
    while True:
        keys = list(rng.choice(exact_chunks())) if rng.random() < 0.7 else []
        rng.shuffle(keys)
        rest = [key for key in RULES if key not in keys]
        keys += rng.sample(rest, 2)
        keyword = rng.choice(keys)
        if only_once(keys, keyword) and len(text_of(keys[-2:])) < CHUNK:
            return of_keys(keys, keyword)


FAULTS = ()
WORD, SENTENCE = "word cut at a border", "sentence cut at a border"


def cut_sentence(keys):
    """The rule that a border cuts, and whether a word of it is cut."""
    text, at = text_of(keys), 0
    for key in keys:
        for border in range(CHUNK, len(text), CHUNK):
            inner = border - at
            if 8 < inner < len(RULES[key]) - 8:
                around = RULES[key][inner - 1 : inner + 1]
                return key, " " not in around
        at += len(RULES[key]) + 1
    return None, False


def extra(rng):
    wanted = {WORD: 40, SENTENCE: 18}
    while any(wanted.values()):
        keys = rng.sample(list(RULES), rng.randint(4, 8))
        key, in_word = cut_sentence(keys)
        name = WORD if in_word else SENTENCE
        if key is None or not wanted[name] or not only_once(keys, key):
            continue
        wanted[name] -= 1
        yield case_of(
            SPEC, of_keys(keys, key), defects=("segmentation",), faults=(name,), repairable=True
        )
    opening = "The office opens at 8 a.m."
    for filler in ("Mr. Lee has the keys, Dr. Roy the codes, etc.", "Ask Ms. Ito."):
        text = f"{opening} {filler} " + RULES["dog"]
        built = of_keys(["dog"], "dog", "abbreviations; shorter than a chunk")
        yield case_of(SPEC, built, outputs=(text,))
    text = "The desk closes at 5 p.m. ".rjust(CHUNK, "=") + RULES["guest"]
    built = of_keys(["guest"], "guest", "a chunk that ends in an abbreviation, at a sentence's end")
    yield case_of(SPEC, built, outputs=(text,))
