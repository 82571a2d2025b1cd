"""Templates of programs that read a date, a time or a score."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.scalars.single_base import (
    Built,
    either,
    fill,
    pad,
    pick,
    prose,
    same,
    template,
)


@template("date in one format")
def date_one_format(random: Random) -> Built:
    """`strptime` with one format."""
    layout = random.choice(("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y%m%d", "%Y-%m"))
    source = random.choice(
        (
            """
            from datetime import datetime

            FORMAT = <<=layout>>


            def handle():
                return datetime.strptime(<<ask>>.strip(), FORMAT).date()
            """,
            """
            import datetime as dt


            def handle():
                when = dt.datetime.strptime(<<ask>>.strip(), <<=layout>>)
                return when.isoformat()
            """,
        )
    )

    def draw(random: Random) -> str:
        day = random.choice((random.randint(1, 28), 1, 9))
        month, year = random.randint(1, 12), random.randint(1970, 2060)
        parts = {
            "%Y": f"{year}",
            "%y": f"{year % 100:02d}",
            "%m": f"{month:02d}",
            "%d": f"{day:02d}",
        }
        if layout[:2] != "%Y" and random.random() < 0.3:
            parts.update({"%m": str(month), "%d": str(day)})
        text = layout
        for code, value in parts.items():
            text = text.replace(code, value)
        return pad(random, text)

    return Built(fill(random, f"Date of the letter, as {layout}", source, layout=layout), draw)


@template("date in several formats with default")
def date_many_formats(random: Random) -> Built:
    """Formats are tried in turn, else the text stays."""
    source = random.choice(
        (
            """
            from datetime import datetime

            FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%m-%y", "%Y")


            def handle():
                <<v>> = <<ask>>.strip()
                for layout in FORMATS:
                    try:
                        return datetime.strptime(<<v>>, layout).strftime("%Y-%m-%d")
                    except ValueError:
                        continue
                return <<v>>
            """,
            """
            from contextlib import suppress
            from datetime import date, datetime


            def <<f>>(<<v>>):
                for layout in "%Y-%m-%d %d.%m.%Y %m/%d/%Y %d-%m-%y %Y".split():
                    with suppress(ValueError):
                        return datetime.strptime(<<v>>.strip(), layout).date()
                return date(1900, 1, 1)


            def handle():
                return <<f>>(<<ask>>)
            """,
        )
    )
    said = ("2024-02-29", "1.3.2024", "01.03.2024", "12/31/1999", "5-6-07", "1848", "0042")
    others = (
        "early March",
        "2024-02-30",
        "c. 1900",
        "~1850",
        "44 BC",
        "n/a",
        "not dated",
        "31.12.",
        "May 5 or 6",
        "1999/2000",
        "Q3",
    )
    return Built(fill(random, "When was it signed?", source), pick(said, others, pad))


@template("ISO date with default")
def iso_date(random: Random) -> Built:
    """`date.fromisoformat`, else a default."""
    source = random.choice(
        (
            """
            from datetime import date


            def handle():
                try:
                    return date.fromisoformat(<<ask>>.strip())
                except ValueError:
                    return "undated"
            """,
            """
            import datetime

            EPOCH = datetime.date(1970, 1, 1)


            def days(<<v>>):
                try:
                    return (datetime.date.fromisoformat(<<v>>.strip()) - EPOCH).days
                except ValueError:
                    return -1


            def handle():
                return {"days": days(<<ask>>)}
            """,
        )
    )
    said = ("2024-03-01", "1999-12-31", "0042-01-01", "2024-02-29", "9999-12-31")
    others = (
        "unknown",
        "2023-02-29",
        "2024",
        "March",
        "not 2024-03-01",
        "soon",
        "99-12-31",
        "--05-01",
    )
    return Built(fill(random, "Deadline (YYYY-MM-DD)?", source), pick(said, others, pad))


@template("ISO date and time")
def iso_moment(random: Random) -> Built:
    """`datetime.fromisoformat`, with a Z for UTC."""
    source = """
    from datetime import datetime


    def handle():
        <<v>> = <<ask>>.strip()
        if <<v>>.endswith("Z"):
            <<v>> = <<v>>[:-1] + "+00:00"
        return datetime.fromisoformat(<<v>>)
    """
    said = (
        "2024-03-01T12:00:00Z",
        "2024-03-01 12:00:00",
        "2024-03-01T12:00:00+05:30",
        "2024-03-01",
        "2024-03-01T12:00",
        "2024-03-01T12:00:00.123456-08:00",
        "1969-12-31T23:59:59Z",
    )
    return Built(fill(random, "Start of the meeting, ISO 8601", source), pick(said, dress=pad))


@template("timestamp")
def timestamp(random: Random) -> Built:
    """`fromtimestamp` in UTC."""
    source = """
    from datetime import datetime, timezone


    def handle():
        seconds = float(<<ask>>)
        return datetime.fromtimestamp(seconds, tz=timezone.utc)
    """
    said = (
        "0",
        "1709294400",
        "1709294400.5",
        "1e9",
        "+86400",
        "0042",
        "1_700_000_000",
        "999999999.",
    )
    return Built(fill(random, "Unix timestamp of the event?", source), pick(said, dress=pad))


@template("time of day")
def time_of_day(random: Random) -> Built:
    """A time with or without am and pm."""
    source = r"""
    import re
    from datetime import time

    CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?m\.?|p\.?m\.?|Uhr)?", re.IGNORECASE)


    def handle():
        hour, minute, half = CLOCK.fullmatch(<<ask>>.strip()).groups()
        hour = int(hour)
        if half and half[0] in "pP" and hour < 12:
            hour += 12
        return time(hour % 24, int(minute or 0))
    """
    said = (
        "14:30",
        "2:30 PM",
        "2.30 p.m.",
        "9am",
        "07:05",
        "0:00",
        "12 a.m.",
        "14h30",
        "8 Uhr",
        "23",
    )
    return Built(fill(random, "When does the train leave?", source), pick(said, dress=pad))


@template("month and year with default")
def month_and_year(random: Random) -> Built:
    """A month by its name, and a year."""
    source = """
    MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


    def handle():
        match <<ask>>.replace(",", " ").split():
            case [month, year] if month[:3].lower() in MONTHS and year.isdigit():
                return (int(year), MONTHS.index(month[:3].lower()) + 1)
            case [year] if year.isdigit():
                return (int(year), 1)
            case _:
                return (0, 0)
    """
    said = ("March 2024", "Dec. 1999", "may, 2001", "SEPT 0042", "1984", "August\t1914")
    others = (
        "2024 March",
        "5 May 1821",
        "n/a",
        "not before 1990",
        "44 BC",
        "March",
        "1990s",
        "~1850",
    )
    return Built(fill(random, "Month and year of the event?", source), pick(said, others, pad))


@template("weekday")
def weekday(random: Random) -> Built:
    """A weekday by its first letters, with or without default."""
    source = """
    DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


    def handle():
        <<v>> = <<ask>>.strip().lower()[:3]
        return DAYS.index(<<v>>) if <<v>> in DAYS else 7
    """
    said = ("Monday", "tue", "Wed.", "THURSDAY", "fri", "Sat", "sun")
    others = (
        "any",
        "no day",
        "weekend",
        "never on Monday",
        "2024-03-01",
        "?",
        "Feiertag",
        "not Fri",
    )
    text = fill(random, "On which day?", source)
    return Built(text, pick(said, others, pad), ("mon", "tue", "wed", "thu", "fri", "sat", "sun"))


@template("year")
def signed_year(random: Random) -> Built:
    """A year that may lie before our era."""
    source = """
    def handle():
        <<v>> = <<ask>>.strip()
        if <<v>>.endswith(("BC", "BCE", "v. Chr.")):
            return -int(<<v>>.split()[0])
        return int(<<v>>.removeprefix("AD").removesuffix("AD").removesuffix("CE"))
    """
    said = (
        "44 BC",
        "1066",
        "AD 79",
        "476 AD",
        "-753",
        "+33",
        "0800",
        "9 v. Chr.",
        "300 BCE",
        "5 CE",
    )
    return Built(fill(random, "Year of the battle?", source), pick(said, dress=pad))


@template("measured value kept as text")
def value_as_text(random: Random) -> Built:
    """A value is stripped and stored as text."""
    source = random.choice(
        (
            """
            from dataclasses import dataclass


            @dataclass
            class Finding:
                name: str
                value: str


            def handle():
                return Finding("lab value", <<ask>>.strip())
            """,
            """
            from pydantic import BaseModel, Field


            class Finding(BaseModel):
                value: str = Field(min_length=1)


            def handle():
                return Finding(value=<<ask>>)
            """,
            """
            def handle():
                return {"value": <<ask>>.strip()}
            """,
        )
    )
    said = (
        "A-",
        "-5",
        "+3",
        "<5",
        "~10",
        "1,000",
        "1.000,5",
        "5%",
        "3 kg",
        "$12",
        "0042",
        "1e3",
        "v2.0.",
        "12.",
        ">= 7.4",
        "(neg.)",
        "++",
        "[3.5–5.1]",
        "±0.5",
        "1:160",
        "120/80",
        "*",
        "-",
        "#3",
        '"trace"',
        "`0`",
        "99.9 °F",
        "1.",
        "- 2",
        "{}",
        "null",
        "N/A",
    )
    return Built(fill(random, "Value of the marker as printed?", source), pick(said, dress=pad))


@template("first of several numbers")
def score_on_labelled_line(random: Random) -> Built:
    """A score on a labelled line among others, else nothing scored."""
    source = random.choice(
        (
            r"""
            import re


            def handle():
                m = re.search(r"^score\s*[:=]\s*([-+]?\d+(?:\.\d+)?)", <<ask>>, re.M | re.I)
                return float(m[1]) if m else 0.5
            """,
            """
            def handle():
                for line in <<ask>>.splitlines():
                    key, _, value = line.partition(":")
                    if key.strip().lower() == "score":
                        return float(value)
                return 0.5
            """,
        )
    )

    def scored(random: Random) -> str:
        number = random.choice(("5", "-5", "+3", "0.25", "007", "10"))
        line = random.choice(("Score: ", "score:", "SCORE:  ")) + number
        return random.choice((line, f"{prose(random)}\n{line}", f"{line}\n{prose(random)}"))

    def unscored(random: Random) -> str:
        return prose(random) + random.choice(
            ("", "\nNo score: n/a", "\nThe score is hard to tell.")
        )

    return Built(
        fill(random, "Review it and give a line 'Score: <n>'", source), either(scored, unscored)
    )


@template("score of a judge")
def judge_in_brackets(random: Random) -> Built:
    """The score in double brackets at the end of a judgement."""
    source = r"""
    import re


    def handle():
        found = re.findall(r"\[\[(\d+(?:\.\d+)?|[ABC])\]\]", <<ask>>)
        return found[-1] if found else "tie"
    """

    def judged(random: Random) -> str:
        mark = random.choice(("[[A]]", "[[B]]", "[[C]]", "[[7]]", "[[8.5]]", "[[010]]"))
        return random.choice(
            (mark, f"{prose(random)}\n\n{mark}", f"Rating: {mark}.", f"**{mark}**")
        )

    def unjudged(random: Random) -> str:
        return prose(random) + random.choice(("", "\nNeither [A] nor [B].", "\n[[none]]"))

    return Built(
        fill(random, 'Which is better? Write "[[A]]", "[[B]]" or "[[C]]".', source),
        either(judged, unjudged, dress=same),
    )


@template("arithmetic expression")
def arithmetic(random: Random) -> Built:
    """An expression is evaluated by walking its tree."""
    source = """
    import ast
    import operator

    OPERATORS = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.USub: operator.neg,
        ast.Pow: operator.pow,
    }


    def evaluate(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](evaluate(node.operand))
        return OPERATORS[type(node.op)](evaluate(node.left), evaluate(node.right))


    def handle():
        return evaluate(ast.parse(<<ask>>.strip(), mode="eval").body)
    """
    said = ("2*(3+4)", "-5", "1 + 2 * 3", "2**8", "(1)", "1e3 - .5", "-(-2)", "((4))*-1", "10-9-8")
    return Built(
        fill(random, "Write the sum as a Python expression.", source), pick(said, dress=pad)
    )
