"""Two or three turns; a sentence, an earlier answer or the question is said again."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(
    name="math_tutor",
    half="dev_semantics",
    domain="conversation",
    function="lesson",
    compare="text",
)
TOPICS = (
    (
        (
            "What is a prime number?",
            (
                "A prime number is a whole number greater than one that has no divisors "
                "except one and itself.",
                "The first few are 2, 3, 5 and 7.",
                "Ten is not prime because it can be divided by two and by five.",
            ),
        ),
        (
            "Is one a prime number?",
            (
                "No, one is not counted as prime.",
                "If it were, a number could be written as a product of primes in many ways.",
                "Mathematicians want that product to be unique.",
            ),
        ),
        (
            "How do I test a big number?",
            (
                "Try to divide it by every prime up to its square root.",
                "If none of them fits, your number is prime.",
                "For 91 you would try 2, 3, 5 and 7, and 7 works.",
            ),
        ),
    ),
    (
        (
            "How do I add fractions?",
            (
                "First bring both fractions to a common denominator.",
                "Then add the numerators and keep the denominator.",
                "At the end, shorten the result if you can.",
            ),
        ),
        (
            "And how do I multiply them?",
            (
                "Multiply numerator by numerator and denominator by denominator.",
                "You need no common denominator for that.",
                "Half of a third, for example, is a sixth.",
            ),
        ),
        (
            "Why does it get smaller?",
            (
                "Taking a half of something gives you less than you started with.",
                "Any factor below one makes a number shrink.",
                "A pizza cut in two gives smaller slices.",
            ),
        ),
    ),
)
OTHER = {
    "Ten is not prime because it can be divided by two and by five.": [
        "Because ten can be divided by two and by five, it is not prime.",
        "Ten is not a prime, since it can be divided by two and by five.",
    ],
    "Mathematicians want that product to be unique.": [
        "Mathematicians would like that product to be unique."
    ],
    "If none of them fits, your number is prime.": [
        "Your number is prime if none of them fits.",
        "When none of them fits, your number is a prime number.",
    ],
    "First bring both fractions to a common denominator.": [
        "Both fractions must first be brought to a common denominator.",
        "Bring the two fractions to a common denominator first.",
    ],
    "Then add the numerators and keep the denominator.": [
        "Add the numerators and keep the denominator the same."
    ],
    "You need no common denominator for that.": [
        "For that you don't need a common denominator.",
        "No common denominator is needed for that.",
    ],
    "Any factor below one makes a number shrink.": [
        "A number shrinks with any factor below one.",
        "A number is made smaller by any factor below one.",
    ],
    "Taking a half of something gives you less than you started with.": [
        "You get less than you started with when you take a half of something."
    ],
    "Multiply numerator by numerator and denominator by denominator.": [
        "You multiply the numerator by the numerator and the denominator by the denominator."
    ],
}


def of(questions, replies, slots=None, note=""):
    return Base(
        inputs={"questions": list(questions)},
        outputs=tuple(replies),
        expected=list(replies),
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    topic = rng.choice(TOPICS)
    count = rng.choice((2, 3))
    turns = topic[:count]
    questions = [question for question, _ in turns]
    replies = [list(said) for _, said in turns]
    turn = rng.randrange(count)

    def say(items):
        return tuple(" ".join(items if i == turn else each) for i, each in enumerate(replies))

    return Base(
        inputs={"questions": questions},
        outputs=say(replies[turn]),
        expected=list(say(replies[turn])),
        slots={
            "items": replies[turn],
            "say": say,
            "result": lambda items: list(say(items)),
            "other": OTHER,
            "turn": turn,
            "replies": replies,
            "questions": questions,
        },
    )


@fault("sentence of an earlier turn again", "semantics", layer=0)
def earlier(base, rng):
    """An answer ends with what was already explained, word by word."""
    if base.slots["turn"] == 0:
        return None
    old = rng.choice(base.slots["replies"][base.slots["turn"] - 1])
    return Injected(outputs=base.slots["say"]([*base.slots["items"], old]))


@fault("earlier answer before the new one", "semantics", layer=0)
def earlier_whole(base, _rng):
    if base.slots["turn"] == 0:
        return None
    old = base.slots["replies"][base.slots["turn"] - 1]
    return Injected(outputs=base.slots["say"]([*old, *base.slots["items"]]))


@fault("question said again", "semantics", layer=0)
def echo(base, _rng):
    question = base.slots["questions"][base.slots["turn"]]
    return Injected(
        outputs=base.slots["say"](
            [question + "\n\n" + base.slots["items"][0], *base.slots["items"][1:]]
        )
    )


FAULTS = (
    kit.again("sentence twice", kit.exact_later),
    kit.again("sentence twice in a row", kit.exact_next),
    kit.again("sentence in other words", kit.reworded),
    kit.again(
        "in other words, said so", kit.led("In other words,", "To summarize,", "Put differently,")
    ),
    kit.again("sentence over and over", kit.run),
    kit.again("answer twice", kit.whole),
    earlier,
    earlier_whole,
    echo,
)
TRAPS = (
    (["What is 3 times 4?", "And 4 times 3?"], ["3 times 4 is 12.", "4 times 3 is 12."]),
    (["Is 7 prime?", "Is 11 prime?"], ["Yes, 7 is a prime number.", "Yes, 11 is a prime number."]),
    (
        ["What is a prime?", "Can you say that again?"],
        [
            "A prime has no divisors except one and itself.",
            "A prime has no divisors except one and itself.",
        ],
    ),
    (
        ["What is a prime?", "Sorry, I did not get it. Once more please, simpler?"],
        [
            "A prime has no divisors except one and itself.",
            "A prime number can only be divided by one and by itself.",
        ],
    ),
    (["Solve x + 2 = 5"], ["Subtract 2 on the left. Subtract 2 on the right. That leaves x = 3."]),
    (
        ["When is a number even?"],
        [
            "A number is even if it can be divided by two. "
            "A number is odd if it cannot be divided by two."
        ],
    ),
    (
        ["Add 1/2 and 1/3"],
        ["One half is three sixths. One third is two sixths. Together that is five sixths."],
    ),
    (["Which is bigger, 2/3 or 3/4?"], ["2/3 is 8/12. 3/4 is 9/12. So 3/4 is bigger than 2/3."]),
    (["Quiz me, three times."], ["What is 6 times 7? What is 7 times 8? What is 6 times 8?"]),
    (
        ["What is a square?"],
        ["All four sides are the same length. All four angles are the same size."],
    ),
)


def extra(_rng):
    for questions, replies in TRAPS:
        yield case_of(SPEC, of(questions, replies, note=questions[-1]))
