"""Programs that read a number, a date, a truth word or what an expression finds."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import (
    Parts,
    blanks,
    cased,
    fill,
    paragraph,
    prose,
    template,
)


@template("score-int", "number")
def score_int(random: Random) -> Parts:
    """int() of the answer, checked or clipped."""
    source = fill(
        random,
        """
        def handle():
            <<a>> = ask("Rate the change in mood from -10 to 10. Only the number.")
            n = int(<<a>>)
            return <<result>>
        """,
        result=random.choice(("n", "max(-10, min(10, n))", '{"mood": n}', "(n, n < 0)")),
    )

    def draw(random: Random) -> str:
        return blanks(
            random, random.choice(("-5", "+3", "0", "-0", "0042", "1_000", "10", "٣", "7"))
        )

    return source, draw, ()


@template("score-float", "number")
def score_float(random: Random) -> Parts:
    """float() of the answer with a threshold."""
    source = fill(
        random,
        """
        THRESHOLD = <<threshold>>

        class Grader:
            def __init__(self, rubric: str) -> None:
                self.rubric = rubric

            def score(self, essay: str) -> float:
                return float(ask(f"{self.rubric}\\n\\nEssay: {essay}\\n\\nScore (0-1):"))

            def passed(self, essay):
                s = self.score(essay)
                return s, s >= THRESHOLD

        def handle():
            return Grader("Judge clarity.").passed("It was a dark and stormy night.")
        """,
        threshold=random.choice(("0.5", "0.7", ".25")),
    )

    def draw(random: Random) -> str:
        texts = ("1e3", "-0.5", ".5", "1.", "0", "+.75", "1E-3", "inf", "0.70", "1_0.5", "00.1")
        return blanks(random, random.choice(texts))

    return source, draw, ()


@template("number-or-none", "number with fallback")
def number_or_none(random: Random) -> Parts:
    """A number in try, a fixed number in except."""
    source = fill(
        random,
        """
        def estimate(question: str, default: float = -1.0) -> float:
            <<a>> = ask(question + " Answer with a number or 'unknown'.")
            try:
                return float(<<a>>.strip()<<comma>>)
            except ValueError:
                return default

        def handle():
            return estimate("How many moons does Mars have?")
        """,
        comma=(comma := random.choice(("", '.replace(",", "")'))),
    )

    def draw(random: Random) -> str:
        if random.random() < 0.4:
            return blanks(random, random.choice(("unknown", "Unknown", "N/A", "nobody", "½")))
        numbers = ["2", "-5", "+3", "1e3", "0042", "0.0", "1_000"]
        return blanks(random, random.choice(numbers + ["1,000", "12,345.6"] * bool(comma)))

    return source, draw, ("unknown",)


@template("money-decimal", "number")
def money_decimal(random: Random) -> Parts:
    """An amount with a currency sign and thousands separators."""
    sign = random.choice("$€£")
    source = fill(
        random,
        """
        from decimal import Decimal

        def amount(text: str) -> Decimal:
            text = text.strip()
            negative = text.startswith("(") and text.endswith(")")
            text = text.strip("()").replace("<<sign>>", "").replace(",", "").strip()
            return -Decimal(text) if negative else Decimal(text)

        def handle():
            return amount(ask("What is the total of the invoice? Like <<sign>>1,234.50"))
        """,
        sign=sign,
    )

    def draw(random: Random) -> str:
        number = random.choice(
            ("12", "1,000", "1,234,567.89", "0.50", "9.990", "007", "1E+3", ".5")
        )
        form = random.choice(("{s}{n}", "{n} {s}", "-{s}{n}", "({s}{n})", "{n}", "{s} {n}", "+{n}"))
        return blanks(random, form.format(s=sign, n=number))

    return source, draw, ()


@template("score-of-ten", "regular expression")
def score_of_ten(random: Random) -> Parts:
    """A score like 7/10 in free text."""
    best = random.choice((5, 10, 100))
    source = fill(
        random,
        r"""
        import re

        SCORE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*<<best>>\b")

        def handle():
            <<a>> = ask("Review the code, then give a score like 4/<<best>>.")
            if not (m := SCORE.search(<<a>>)):
                raise ValueError("no score")
            return {"score": float(m.group(1)), "review": <<a>>[: m.start()]}
        """,
        best=best,
    )

    def draw(random: Random) -> str:
        number = random.choice(("4", "0", "3.5", "05", str(best)))
        score = random.choice((f"{number}/{best}", f"{number} / {best}", f"**{number}/{best}**"))
        form = random.choice(("{s}", "Score: {s}", "{p}\n\n{s}", "{p} So it's a {s}.", "({s}) {p}"))
        return form.format(s=score, p=paragraph(random).replace("/", "per"))

    return source, draw, ()


@template("math-last-number", "regular expression")
def math_last_number(random: Random) -> Parts:
    """The number behind a mark, or the last number of the text."""
    source = fill(
        random,
        r"""
        import re

        def extract(text):
            if match := re.search(r"####\s*(-?[\d.,]+)", text):
                number = match.group(1)
            else:
                number = re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)[-1]
            return float(number.replace(",", "").rstrip("."))

        def handle():
            return extract(ask("Solve it. End with '#### <number>'.\nQ: 3 boxes hold ..."))
        """,
    )

    def draw(random: Random) -> str:
        steps = [
            "3 * 4 = 12",
            "12 - 17 = -5, as 12 < 17.",
            "So he pays $1,000.50 (5% off).",
            "x² = 9",
        ]
        random.shuffle(steps)
        final = random.choice(("-5", "1,000", "42", "42.", "0.25", "1,234.5"))
        end = random.choice(("#### {}", "####{}", "The answer is {}", "#### {}\n", "= {}\n\nDone."))
        return "\n".join([*steps[: random.randint(0, 4)], end.format(final)])

    return source, draw, ()


@template("choice-letter", "regular expression with default")
def choice_letter(random: Random) -> Parts:
    """The letter of a multiple choice, else no letter."""
    source = fill(
        random,
        r"""
        import re

        def pick(text: str) -> str:
            m = re.search(r"<<pattern>>", text)
            return m[1] if m else "?"

        def handle():
            <<a>> = ask("Question: ...\nA) 3\nB) -3\nC) C++\nD) none\n\nReason, then 'Answer: X'.")
            choice = pick(<<a>>)
            return choice, choice == "<<right>>"
        """,
        pattern=random.choice((r"Answer: ?([A-D])\b", r"(?:Answer|ANSWER): *\(?([A-D])\b")),
        right=random.choice("ABCD"),
    )

    def draw(random: Random) -> str:
        if random.random() < 0.4:
            return random.choice(
                (
                    "None of the options fits; all four are wrong.",
                    "I refuse to choose between A and B.",
                    "Answers vary: it could be A, it could be D.",
                    prose(random),
                )
            )
        thought = random.choice(("", "", paragraph(random) + "\n\n", "A is tempting, but wrong. "))
        return (
            thought + f"Answer: {random.choice('ABCD')}" + random.choice(("", ".", ") none", "\n"))
        )

    return source, draw, tuple(f"Answer: {letter}" for letter in "ABCD")


@template("date-iso", "date")
def date_iso(random: Random) -> Parts:
    """A date by fromisoformat or strptime."""
    form, texts = random.choice(
        (
            (None, ("2024-02-29", "0999-01-01", "1970-01-01", "2031-12-31")),
            ("%d.%m.%Y", ("29.02.2024", "1.1.1970", "31.12.1999")),
            ("%B %d, %Y", ("February 29, 2024", "May 4, 1977", "march 01, 2001")),
            ("%m/%d/%y", ("02/29/24", "1/1/70")),
        )
    )
    read = f'datetime.strptime(text, "{form}").date()' if form else "date.fromisoformat(text)"
    source = fill(
        random,
        """
        from datetime import date, datetime

        def due_date(mail: str) -> date:
            text = ask(f"When is the invoice due? Format: <<form>>\\n\\n{mail}").strip()
            return <<read>>

        def handle():
            day = due_date("Please pay within two weeks.")
            return day, day.weekday() < 5
        """,
        form=form or "YYYY-MM-DD",
        read=read,
    )
    return source, lambda random: blanks(random, random.choice(texts)), ()


@template("truth-words", "bool words")
def truth_words(random: Random) -> Parts:
    """Words for true and false, strict."""
    yes, no = ("yes", "y", "true", "1", "on"), ("no", "n", "false", "0", "off")
    source = fill(
        random,
        """
        TRUE = frozenset({"yes", "y", "true", "1", "on"})
        FALSE = frozenset({"no", "n", "false", "0", "off"})


        def to_bool(text: str) -> bool:
            word = text.strip().lower()<<dot>>
            if word in TRUE:
                return True
            if word in FALSE:
                return False
            raise ValueError(f"not a yes/no answer: {text!r}")


        def handle():
            return to_bool(ask("Does the code have side effects? yes/no"))
        """,
        dot=(dot := random.choice(("", '.rstrip(".")'))),
    )

    def draw(random: Random) -> str:
        word = cased(random, random.choice(yes + no))
        return blanks(random, word + "." * bool(dot and random.random() < 0.4))

    return source, draw, ()


@template("percent", "number")
def percent(random: Random) -> Parts:
    """A percentage or a share."""
    source = fill(
        random,
        """
        def share(text: str) -> float:
            text = text.strip()
            return float(text[:-1]) / 100 if text.endswith("%") else float(text)

        def handle():
            return round(share(ask("How sure are you? e.g. 85%")), 4)
        """,
    )

    def draw(random: Random) -> str:
        texts = ("5%", "0.05", "-5%", "+12.5%", "100 %", "0%", "1e2%", "1", ".5%", "007%")
        return blanks(random, random.choice(texts))

    return source, draw, ()


@template("quantity-unit", "regular expression")
def quantity_unit(random: Random) -> Parts:
    """A quantity with bound, sign and unit."""
    source = fill(
        random,
        r"""
        import re
        from typing import NamedTuple

        class Quantity(NamedTuple):
            bound: str
            value: float
            unit: str

        PATTERN = re.compile(r"\s*([<>~≈]?=?)\s*([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*(.*)", re.I)

        def handle():
            m = PATTERN.match(ask("How heavy is it? Quantity with unit, e.g. ~10 kg or <5 mg/dL"))
            return Quantity(m[1], float(m[2].replace(",", "")), m[3].strip())
        """,
    )

    def draw(random: Random) -> str:
        number = random.choice(("5", "-5", "+3", "1,000", "1e3", "0042", ".5", "12.50"))
        unit = random.choice(("kg", "°C", "%", "mg/dL", "", "m²", "µm (est.)", "C$", "fl. oz."))
        bound = random.choice(("", "<", "~", ">=", "≈ "))
        return blanks(random, bound + number + random.choice(("", " ")) + unit)

    return source, draw, ()


@template("version", "regular expression")
def version(random: Random) -> Parts:
    """A version number by full match."""
    source = fill(
        random,
        r"""
        import re

        def handle():
            <<a>> = ask("Which release introduced walrus support? Just the version.")
            m = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.(\d+))?([-+.\w]*)", <<a>>.strip())
            assert m, <<a>>
            major, minor, patch, suffix = m.groups()
            return int(major), int(minor), int(patch or 0), suffix
        """,
    )

    def draw(random: Random) -> str:
        texts = ("v2.0.", "3.8", "3.8.0rc1", "v1.10.0-beta.2+x86-64", "0.0.1", "2024.02", "v03.010")
        return blanks(random, random.choice(texts))

    return source, draw, ()
