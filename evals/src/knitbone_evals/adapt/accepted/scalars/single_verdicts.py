"""Templates of programs that read a verdict, a sentinel word or a choice."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.scalars.single_base import (
    PHRASES,
    Built,
    either,
    fill,
    pad,
    pad_cased,
    pick,
    prose,
    template,
)


@template("bool word without default")
def bool_table(random: Random) -> Built:
    """A table of words for true and false."""
    source = """
    BOOLS = {
        "yes": True, "y": True, "true": True, "1": True, "on": True, "ja": True, "oui": True,
        "no": False, "n": False, "false": False, "0": False, "off": False, "nein": False,
        "non": False,
    }


    def handle() -> bool:
        return BOOLS[<<ask>>.strip().lower()]
    """
    words = [
        "yes",
        "y",
        "true",
        "1",
        "on",
        "ja",
        "oui",
        "no",
        "n",
        "false",
        "0",
        "off",
        "nein",
        "non",
    ]
    prompts = ("Is it raining?", "Ist die Rechnung bezahlt? Ja oder nein", "Answer true or false.")
    return Built(fill(random, prompts, source), pick(words, dress=pad_cased))


@template("bool word without default")
def bool_from_json(random: Random) -> Built:
    """`json.loads` or `ast.literal_eval` of true or false."""
    if random.random() < 0.5:
        source = "import json\n\n\ndef handle():\n    return json.loads(<<ask>>.lower()) is True\n"
        words = ("true", "false", "True", "False", "FALSE", "null")
    else:
        source = (
            "import ast\n\n\ndef handle():\n    return bool(ast.literal_eval(<<ask>>.strip()))\n"
        )
        words = ("True", "False", "1", "0", " False")
    prompt = "True or false: the contract may be cancelled."
    return Built(fill(random, prompt, source), pick(words, dress=pad))


@template("bool word without default")
def bool_pydantic(random: Random) -> Built:
    """pydantic turns a word into a bool."""
    source = random.choice(
        (
            """
            from pydantic import TypeAdapter

            ADAPTER = TypeAdapter(bool)


            def handle():
                return ADAPTER.validate_python(<<ask>>.strip())
            """,
            """
            from pydantic import BaseModel


            class Flag(BaseModel):
                value: bool


            def handle():
                return Flag(value=<<ask>>.strip().lower())
            """,
        )
    )
    words = [
        "yes",
        "no",
        "true",
        "false",
        "y",
        "n",
        "t",
        "f",
        "on",
        "off",
        "1",
        "0",
        "True",
        "False",
        "YES",
        "NO",
    ]
    return Built(fill(random, "Does the image show a cat?", source), pick(words, dress=pad))


@template("bool word with default")
def bool_negation(random: Random) -> Built:
    """Everything but a negation counts as true, or everything but an affirmation as false."""
    source = random.choice(
        (
            """
            NEGATIONS = ("no", "nein", "non", "false", "never", "not at all")


            def handle():
                <<v>> = <<ask>>.strip().lower().rstrip(".!")
                return <<v>> not in NEGATIONS
            """,
            """
            NEGATIONS = ("no", "nein", "non", "false", "never", "not at all")


            def handle():
                return "stop" if <<ask>>.strip().rstrip(".!").lower() in NEGATIONS else "go"
            """,
        )
    )
    words = ("no", "nein", "non", "false", "never", "not at all")
    said = (*words, "No.", "Nein!", "NEVER", "Not at all.")
    others = ("yes", "Yes.", "ja", "sure", "why not", "no doubt about it", "no problem", "Noted!")
    return Built(fill(random, "May I go on?", source), pick(said, others, pad), words)


@template("bool word with default")
def first_word_yes(random: Random) -> Built:
    """The first word without its punctuation."""
    source = """
    def handle():
        first, *_ = <<ask>>.split(maxsplit=1)
        return first.strip(".,:;!").lower() == <<=word>>
    """
    word, other = random.choice((("yes", "no"), ("ja", "nein"), ("true", "false")))
    said = (word, f"{word}.", f"{word.title()}, with 5% doubt", f"{word.upper()}: see no. 4")
    others = (other, f"{other}, not {word}", "maybe", f"not {word}", f"“{other}”", f"{word}-man")
    text = fill(random, f"{word} or {other}? Then explain.", source, word=word)
    return Built(text, pick(said, others, pad, 0.5), (word,))


@template("three-way word with default")
def three_way(random: Random) -> Built:
    """Yes, no, or unsure as a third value."""
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip().lower().rstrip(".")
                return {"yes": True, "no": False}.get(<<v>>, "unsure")
            """,
            """
            from dataclasses import dataclass


            @dataclass(frozen=True)
            class Verdict:
                known: bool
                value: bool


            def handle():
                <<v>> = <<ask>>.strip().lower().rstrip(".")
                if <<v>> == "yes":
                    return Verdict(True, True)
                if <<v>> == "no":
                    return Verdict(True, False)
                return Verdict(False, False)
            """,
        )
    )
    others = ("maybe", "maybe not", "yes and no", "not sure", "nobody knows", "n/a", "unsure", "?")
    draw = pick(("yes", "no", "Yes.", "NO", "No."), others, pad)
    return Built(fill(random, "Yes, no or unsure?", source), draw, ("yes", "no"))


@template("sentinel word with default")
def sentinel_none(random: Random) -> Built:
    """A word for nothing, else the text itself."""
    word = random.choice(("NONE", "NULL", "NOTHING", "EMPTY", "N/A"))
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip()
                if <<v>> == <<=word>>:
                    return ("nothing", 0)
                return ("found", <<v>>)
            """,
            """
            from dataclasses import dataclass
            from typing import Optional


            @dataclass
            class Extraction:
                company: Optional[str]


            def handle():
                <<v>> = <<ask>>.strip()
                return Extraction(company=None if <<v>>.upper() == <<=word>> else <<v>>)
            """,
        )
    )
    others = (
        "None of the Above Ltd.",
        "Nothing Technology Ltd.",
        "Nullsoft, Inc.",
        "No Name GmbH",
        "Not-empty & Co.",
        "N/A-Records",
        "none, then one",
        *PHRASES,
    )
    others = tuple(other for other in others if other.upper() not in (word, word + "."))
    prompt = f"Name the company in the text, or {word} if there is none."
    return Built(fill(random, prompt, source, word=word), pick((word,), others, pad, 0.7), (word,))


@template("sentinel word with default")
def sentinel_done(random: Random) -> Built:
    """A word that ends a loop, else the next step."""
    word = random.choice(("DONE", "STOP", "FINISHED", "END"))
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip()
                return {"finished": True} if <<v>> == <<=word>> else {"step": <<v>>}
            """,
            """
            SENTINEL = <<=word>>


            class Planner:
                def __init__(self):
                    self.steps = ["start"]

                def advance(self):
                    if (<<v>> := <<ask>>.strip()) != SENTINEL:
                        self.steps.append(<<v>>)
                    return self.steps


            def handle():
                return Planner().advance()
            """,
        )
    )
    others = (
        f"Not {word} yet: two tests fail",
        "Run `pytest -x` and read no. 3",
        f"1. Write {word.lower()} on the box",
        f"un{word.lower()}",
        f"{word}-marker: remove it",
        "Open config.yaml\nset `debug: true`",
        "```sh\nls -la\n```",
        "Search for “C# vs. F#”",
        "wait",
    )
    prompt = f"Next step? Write {word} when everything is ready."
    return Built(fill(random, prompt, source, word=word), pick((word,), others, pad, 0.6), (word,))


@template("sentinel word with default")
def sentinel_set(random: Random) -> Built:
    """Several spellings of a missing value."""
    source = """
    MISSING = {"", "-", "n/a", "na", "none", "null", "unknown"}


    def handle():
        <<v>> = <<ask>>.strip()
        return {"phone": None if <<v>>.lower() in MISSING else <<v>>}
    """
    said = ("-", "n/a", "N/A", "NA", "none", "None", "NULL", "unknown", "Unknown")
    others = (
        "+49 221 12345-0",
        "(030) 901820",
        "110",
        "0042",
        "none given, call +1 555 0100",
        "555-0100 ext. 3",
        "*21#",
        "unlisted",
        "tel:+41-44-668-18-00",
    )
    text = fill(random, "Phone number in the letter? N/A if absent.", source)
    return Built(text, pick(said, others, pad, 0.6), ("-", "n/a", "na", "none", "null", "unknown"))


@template("sentinel prefix with default")
def sentinel_prefix(random: Random) -> Built:
    """A refusal or stop word at the start, else the answer goes through."""
    word = random.choice(("STOP", "REFUSE", "ERROR", "I don't know"))
    source = """
    def <<f>>():
        <<v>> = <<ask>>
        if <<v>>.strip().startswith(<<=word>>):
            return ("refused", <<v>>.strip()[len(<<=word>>) :].lstrip(" :,.-"))
        return ("ok", <<v>>.strip())


    def handle():
        return <<f>>()
    """
    said = (word, f"{word}: no source", f"{word}, - sorry", f"{word}. Try 'Köln (1998)'")

    def others(random: Random) -> str:
        return random.choice(
            (prose(random), f"Don't say {word}.", f"non-{word}", random.choice(PHRASES))
        )

    text = fill(random, f"Answer, or begin with {word}", source, word=word)
    return Built(text, either(pick(said), others, 0.55, pad), (word,))


@template("verdict on the first line with default")
def first_line_verdict(random: Random) -> Built:
    """The verdict is the first line, the rest is not read."""
    source = """
    def handle():
        first = <<ask>>.strip().splitlines()[0].strip()
        return "relevant" if first.upper() == "RELEVANT" else "skip"
    """

    def draw(random: Random) -> str:
        first = random.choice(
            ("RELEVANT", "Relevant", "relevant ", "IRRELEVANT", "Not relevant", "unsure", "?")
        )
        return pad(random, first + random.choice(("", "\n", "\n\n", "\r\n")) + "\n" + prose(random))

    return Built(fill(random, "RELEVANT or IRRELEVANT?", source), draw, ("RELEVANT",))


@template("verdict on the last line with default")
def last_line_verdict(random: Random) -> Built:
    """The reasoning comes first, the verdict is the last line."""
    first, second = random.choice((("A", "B"), ("correct", "incorrect"), ("True", "False")))
    source = random.choice(
        (
            """
            def handle():
                last = <<ask>>.strip().splitlines()[-1].strip()
                if last == <<=first>>:
                    return 1.0
                return 0.0 if last == <<=second>> else 0.5
            """,
            """
            SCORES = {<<=first>>: 1, <<=second>>: 2}


            def handle():
                *thoughts, last = <<ask>>.strip().split("\\n")
                return SCORES.get(last.strip(), "tie")
            """,
        )
    )

    def draw(random: Random) -> str:
        last = random.choice((first, second, first, second, "tie", "C", f"not {first}", "neither"))
        return prose(random) + random.choice(("\n", "\n\n", "\r\n")) + pad(random, last)

    text = fill(
        random,
        f"Think, then {first} or {second} on a line of its own",
        source,
        first=first,
        second=second,
    )
    return Built(text, draw, (first, second))


@template("letter of a choice")
def letter_choice(random: Random) -> Built:
    """One letter of a multiple choice question, by its first character."""
    with_default = random.random() < 0.5
    if with_default:
        source = """
        def handle():
            <<v>> = <<ask>>.strip().upper()
            return <<v>> if <<v>> in ("A", "B", "C", "D") else "?"
        """
        others = ("A or B", "AB", "none", "E", "not A", "A+", "A-", "B/C", "Ä", "-", "0")
        draw = pick(("A", "B", "C", "D", "a", "d"), others, pad)
        return Built(fill(random, "A, B, C or D?", source), draw, ("A", "B", "C", "D"))
    source = """
    OPTIONS = dict(zip("ABCD", ["red", "green", "blue", "C#"]))


    def handle():
        return OPTIONS[<<ask>>.strip()[0].upper()]
    """
    said = (
        "A",
        "b",
        "C)",
        "D.",
        "A: red",
        "B - green",
        "C because of 4.2",
        "d) C#",
        "A\n\nB is no",
    )
    return Built(fill(random, "Which option (A-D)?", source), pick(said, dress=pad))


@template("number of a choice")
def number_choice(random: Random) -> Built:
    """An option by its number, with or without a check of the range."""
    with_default = random.random() < 0.5
    options = '["accept", "counter-offer", "walk away", "ask again"]'
    if with_default:
        source = """
        OPTIONS = <<options>>


        def handle():
            try:
                return OPTIONS[int(<<ask>>) - 1]
            except (ValueError, IndexError):
                return "ask again"
        """
        others = ("7", "5", "none", "1 or 2", "1.5", "2-3", "not 1", "accept it", "99")
    else:
        source = """
        OPTIONS = <<options>>


        def handle():
            return OPTIONS[int(<<ask>>) - 1]
        """
        others = ()
    said = ("1", "2", "3", "4", "+1", "02", "004")
    text = fill(random, "Number of the best option?", source, options=options)
    return Built(text, pick(said, others, pad), ("1", "2", "3", "4") if with_default else ())


@template("emoji and signs with default")
def emoji_mood(random: Random) -> Built:
    """A sign or emoji stands for a value."""
    source = """
    MOODS = {"🙂": 1, "😐": 0, "🙁": -1, "+": 1, "-": -1, "++": 2, "--": -2, "±": 0, "👍": 1}


    def handle():
        return MOODS.get(<<ask>>.strip(), 99)
    """
    signs = ("🙂", "😐", "🙁", "+", "-", "++", "--", "±", "👍")
    others = ("🎉", "-+", "+++", "---", "0", ":-)", "*", "👍🏽", "🙂🙂", "none")
    return Built(
        fill(random, "Mood as one sign: 🙂 😐 🙁 + -", source), pick(signs, others, pad), signs
    )


@template("comparison with default")
def compare_with_constant(random: Random) -> Built:
    """The answer is compared with an expected solution, as in an evaluation."""
    gold = random.choice(
        ("C++", "A-", "-5", "Yahoo!", "O'Brien", "$12", "Köln", "No.", "v2.0.", "F#")
    )
    source = random.choice(
        (
            """
            EXPECTED = <<=gold>>


            def handle() -> dict:
                prediction = <<ask>>.strip()
                return {"prediction": prediction, "correct": prediction == EXPECTED}
            """,
            """
            def score(prediction, expected):
                return float(prediction.strip().casefold() == expected.casefold())


            def handle():
                return score(<<ask>>, <<=gold>>)
            """,
        )
    )
    others = ("C", "A", "5", "Yahoo", "OBrien", "12", "Koln", "No", "v2.0", "F", "+5", "not C++")
    return Built(
        fill(random, "Short answer only.", source, gold=gold), pick((gold,), others, pad), (gold,)
    )
