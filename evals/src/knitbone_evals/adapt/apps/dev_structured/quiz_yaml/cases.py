"""Quiz cards as a YAML list."""

import json

import yaml

from knitbone_evals.adapt.apps.dev_structured.kit import replaced, wrapped
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT, THINKING

SPEC = AppSpec(name="quiz_yaml", half="dev_structured", domain="conversation", function="quiz")
QUESTIONS = (
    ("Which planet is the largest?", ["Mars", "Jupiter", "Venus"]),
    ("Who wrote the letter?", ["Ada", "Bruno", "Nobody"]),
    ("What melts at zero degrees?", ["Ice", "Iron", "Wax"]),
    ("When did the bridge open?", ["in 1932", "in 1951", "in 1889"]),
    (
        "What is photosynthesis?",
        ["a way to make sugar from light", "a kind of camera", "a disease"],
    ),
)


def draw(rng):
    return [
        {
            "question": question,
            "options": rng.sample(options, 3),
            "answer": rng.randint(0, 2),
            "difficulty": rng.choice(("easy", "medium", "hard")),
        }
        for question, options in rng.sample(QUESTIONS, rng.randint(1, 4))
    ]


def of(cards, note="", text=None):
    return Base(
        inputs={"chapter": "The sky", "count": len(cards)},
        outputs=(text or write(cards),),
        expected=[
            {
                "q": card["question"],
                "right": card["options"][card["answer"]],
                "wrong": [
                    option for i, option in enumerate(card["options"]) if i != card["answer"]
                ],
                "points": {"easy": 1, "medium": 2, "hard": 5}[card["difficulty"]],
            }
            for card in cards
        ],
        note=note,
    )


def write(cards):
    return "\n".join(
        f"- question: {card['question']}\n  options:\n"
        + "".join(f"    - {option}\n" for option in card["options"])
        + f"  answer: {card['answer']}\n  difficulty: {card['difficulty']}"
        for card in cards
    )


def base(rng, _pool):
    return of(draw(rng))


def of_cards(name, make, **more):
    """A fault of the list of cards."""

    def change(text, rng):
        new = make(yaml.safe_load(text), rng)
        if new is None:
            return None
        return yaml.safe_dump(new, sort_keys=False, allow_unicode=True, width=200)

    return on_text(name, "template", change, layer=CONTENT, **more)


FAULTS = (
    THINKING,
    wrapped("fence", "```yaml\n", "\n```"),
    wrapped("yml fence and intro", "Here are the questions:\n\n```yml\n", "\n```"),
    wrapped("outro", "", "\n\nLet me know if you would like more questions!"),
    wrapped("intro", "Sure! Here are your quiz questions in YAML format:\n\n"),
    replaced(
        "colon in the question",
        r"question: (\w+) (.*)$",
        r"question: \1: \2",
        defect="syntax",
        determined=False,
        tolerated=True,
    ),
    replaced(
        "difficulty capital",
        r"difficulty: (\w)(\w+)",
        lambda match: f"difficulty: {match[1].upper()}{match[2]}",
    ),
    replaced("difficulty unknown", r"difficulty: \w+", "difficulty: tricky", determined=False),
    replaced("answer as quoted text", r"answer: (\d)", r'answer: "\1"'),
    replaced(
        "answer as letter",
        r"answer: (\d)",
        lambda match: "answer: " + "ABC"[int(match[1])],
        determined=False,
        tolerated=True,
    ),
    of_cards("under a key", lambda cards, rng: {rng.choice(("questions", "quiz")): cards}),
    of_cards("one without list", lambda cards, _rng: cards[0] if len(cards) == 1 else None),
    of_cards(
        "capital keys",
        lambda cards, _rng: [
            {key.capitalize(): item for key, item in card.items()} for card in cards
        ],
    ),
    of_cards(
        "key answer renamed",
        lambda cards, _rng: [
            {("answr" if key == "answer" else key): item for key, item in card.items()}
            for card in cards
        ],
    ),
    of_cards(
        "answer missing",
        lambda cards, _rng: [
            {key: item for key, item in card.items() if key != "answer"} for card in cards
        ],
        determined=False,
    ),
    replaced("tabs", r"^    - ", "\t- ", defect="syntax", count=0),
    replaced("option at wrong depth", r"^    - (.*)$", r"   - \1", defect="syntax"),
)


def extra(rng):
    cards = draw(rng)
    yield case_of(SPEC, of(cards, "document start", text="---\n" + write(cards)))
    cards = draw(rng)
    yield case_of(SPEC, of(cards, "json is yaml", text=json.dumps(cards)))
    cards = [
        {
            "question": "Is it ```code```?",
            "options": ["a", "b", "c"],
            "answer": 1,
            "difficulty": "hard",
        }
    ]
    yield case_of(SPEC, of(cards, "fence inside"))
    cards = [
        {"question": "Pick one", "options": [True, 3, "Easy"], "answer": 2, "difficulty": "easy"}
    ]
    yield case_of(
        SPEC,
        of(
            cards,
            "options of other types",
            text="- question: Pick one\n  options: [yes, 3, Easy]\n  answer: 2\n  difficulty: easy",
        ),
    )
    cards = draw(rng)
    yield case_of(SPEC, of(cards, "comments", text="# quiz\n" + write(cards)))
    cards = [
        {
            "question": "Note: what is it?",
            "options": ["Sure! Here", "b", "c"],
            "answer": 0,
            "difficulty": "easy",
        }
    ]
    yield case_of(SPEC, of(cards, "quoted colon", text=yaml.safe_dump(cards)))
