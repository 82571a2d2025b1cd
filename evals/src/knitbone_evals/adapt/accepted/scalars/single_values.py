"""Templates of programs that make a number or a quantity of an answer."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.scalars.single_base import (
    Built,
    either,
    fill,
    pad,
    pick,
    template,
)


def integer(random: Random) -> str:
    """A whole number as int() reads it."""
    number = random.choice(
        (random.randint(0, 12), random.randint(-99, 99), random.randint(0, 10**7))
    )
    style = random.randrange(8)
    if style == 0:
        return f"+{abs(number)}"
    if style == 1:
        return f"{abs(number):05d}"
    if style == 2:
        return f"{number:_}"
    if style == 3:
        return f"-{abs(number)}"
    return str(number)


def real(random: Random) -> str:
    """A number as float() reads it."""
    number = random.uniform(-1000, 1000)
    styles = (
        f"{number:.2f}",
        f"{number:.0f}",
        f"{number:+.1f}",
        f"{number:.3e}",
        f"{number:.1E}",
        "1e3",
        "-0.0",
        ".5",
        "5.",
        "-.25",
        "0042",
        "1_000.5",
        "inf",
        "-Infinity",
        "1e-9",
        "+3",
    )
    return random.choice(styles)


def near_number(random: Random) -> str:
    """Text with a number in it that is no number."""
    return random.choice(
        (
            "unknown",
            "n/a",
            "<5",
            "~10",
            "3-4",
            "3 to 4",
            "between 10 and 20",
            "a dozen or so",
            "more than 100",
            "5%",
            "1/2",
            "v2",
            "not 7",
            "10 or 11",
            "none",
            "#1",
            "2nd",
            "1.2.3",
            "0x1F",
            "minus two",
            "∞",
        )
    )


@template("whole number")
def int_plain(random: Random) -> Built:
    """`int(answer)`."""
    source = random.choice(
        (
            "def handle():\n    return int(<<ask>>)\n",
            "def handle() -> dict[str, int]:\n    return {'count': int(<<ask>>.strip())}\n",
            "def <<f>>() -> int:\n    <<v>> = <<ask>>\n    return int(<<v>>, 10)\n\n\n"
            "def handle():\n    return (<<f>>(), 'units')\n",
        )
    )
    prompts = ("How many people are named? Just the number.", "Net change since May? Integer only")
    return Built(fill(random, prompts, source), either(integer, integer, dress=pad))


@template("whole number with default")
def int_or_default(random: Random) -> Built:
    """`int(answer)`, else a default."""
    default = random.choice((-1, 0, 999))
    source = random.choice(
        (
            """
            def handle():
                try:
                    return int(<<ask>>)
                except ValueError:
                    return <<default>>
            """,
            """
            def to_int(<<v>>, default=<<default>>):
                <<v>> = <<v>>.strip()
                return int(<<v>>) if <<v>>.isdecimal() else default


            def handle():
                return to_int(<<ask>>)
            """,
        )
    )
    text = fill(random, "How many exits? Only the number", source, default=default)
    return Built(text, either(integer, near_number, dress=pad))


@template("whole number with bounds")
def int_clamped(random: Random) -> Built:
    """A score that is kept within its bounds."""
    source = """
    LOW, HIGH = 0, 10


    def handle():
        score = int(<<ask>>.strip())
        return max(LOW, min(HIGH, score))
    """
    return Built(fill(random, "Score from 0 to 10:", source), either(integer, integer, dress=pad))


@template("number")
def float_plain(random: Random) -> Built:
    """`float(answer)`, alone or compared with a threshold."""
    source = random.choice(
        (
            "def handle():\n    return float(<<ask>>)\n",
            """
            THRESHOLD = 0.5


            def handle():
                <<v>> = float(<<ask>>.strip())
                return {"p": <<v>>, "positive": <<v>> >= THRESHOLD}
            """,
            """
            from pydantic import BaseModel


            class Estimate(BaseModel):
                value: float


            def handle():
                return Estimate(value=float(<<ask>>))
            """,
        )
    )
    return Built(fill(random, "Your estimate as a number.", source), either(real, real, dress=pad))


@template("number with default")
def float_or_default(random: Random) -> Built:
    """`float(answer)`, else a default."""
    source = """
    def handle():
        <<v>> = <<ask>>
        try:
            value = float(<<v>>)
        except ValueError:
            value = <<default>>
        return round(value, 4)
    """
    text = fill(random, "Confidence (0-1)?", source, default=random.choice(("0.0", "0.5", "-1.0")))

    def confidence(random: Random) -> str:
        return random.choice((f"{random.random():.3f}", "1", "0", ".9", "1e-3", "+0.5", "1."))

    return Built(text, either(confidence, near_number, dress=pad))


@template("decimal amount")
def decimal_money(random: Random) -> Built:
    """A sum of money without its currency sign and separators."""
    source = """
    from decimal import Decimal


    def handle():
        <<v>> = <<ask>>.strip().replace(",", "").replace("$", "").strip()
        return Decimal(<<v>>)
    """

    def draw(random: Random) -> str:
        amount = random.choice((random.uniform(0, 20), random.uniform(-5000, 10**6)))
        return pad(
            random,
            random.choice(
                (f"${abs(amount):,.2f}", f"{amount:.2f}", f"-${abs(amount):,.2f}", "$12", "1,000")
                + (f"+{abs(amount):.1f}", "$ 0.99", "12.", "$0042.10", f"{abs(amount):,.2f} $")
            ),
        )

    return Built(fill(random, "Total of the invoice in dollars?", source), draw)


@template("number in German notation")
def german_number(random: Random) -> Built:
    """A number with points for thousands and a decimal comma."""
    source = """
    def <<f>>(<<v>>: str) -> float:
        <<v>> = <<v>>.strip().removesuffix("€").strip()
        return float(<<v>>.replace(".", "").replace(",", "."))


    def handle():
        return <<f>>(<<ask>>)
    """
    said = ("1.000,5", "1.000.000", "0,5", "-3,25", "12 €", "1.299,00 €", "+7", "5,", ",5", "0042")
    return Built(fill(random, "Preis in Euro (z. B. 1.234,56)?", source), pick(said, dress=pad))


@template("percentage")
def percentage(random: Random) -> Built:
    """A percentage, with the sign or as a fraction."""
    source = random.choice(
        (
            """
            def handle():
                return float(<<ask>>.strip().rstrip("%")) / 100
            """,
            """
            def handle():
                <<v>> = <<ask>>.strip()
                if <<v>>.endswith("%"):
                    return ("percent", float(<<v>>[:-1]))
                return ("fraction", float(<<v>>))
            """,
        )
    )
    said = (
        "5%",
        "5 %",
        "0.05",
        "-3.5%",
        "+12%",
        "100%",
        "1e1%",
        "0",
        ".5%",
        "007%",
        "250 %",
        "5.%",
    )
    return Built(fill(random, "Growth in percent?", source), pick(said, dress=pad))


@template("amount with currency")
def amount_with_currency(random: Random) -> Built:
    """A full match of amount and currency, else nothing known."""
    source = r"""
    import re

    MONEY = re.compile(r"(?P<sign>[-+]?)(?P<amount>\d[\d,]*(?:\.\d+)?)\s*(?P<code>[A-Z]{3})")


    def handle():
        if found := MONEY.fullmatch(<<ask>>.strip()):
            value = float(found["amount"].replace(",", ""))
            return (-value if found["sign"] == "-" else value, found["code"])
        return (0.0, "XXX")
    """
    said = ("12 EUR", "1,000 USD", "-5.50 CHF", "+3GBP", "0042 JPY", "1,000,000.00 INR", "7  SEK")
    others = ("free", "n/a", "between 5 and 7 EUR", "<5 EUR", "EUR", "not stated", "12 or 13 USD")
    return Built(
        fill(random, "Price and currency, e.g. 12.50 EUR", source), pick(said, others, pad)
    )


@template("grade")
def letter_grade(random: Random) -> Built:
    """A school grade with plus or minus, from a table."""
    with_default = random.random() < 0.5
    grades = ("A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D", "F")
    pairs = ", ".join(f'"{grade}": {round(4.3 - n * 0.35, 2)}' for n, grade in enumerate(grades))
    lookup = ".get(<<v>>, 0.0)" if with_default else "[<<v>>]"
    source = """
    GPA = {<<pairs>>}


    def handle():
        <<v>> = <<ask>>.strip()
        return {"grade": <<v>>, "points": GPA<<lookup>>}
    """.replace("<<lookup>>", lookup)
    others = (
        "E",
        "D-",
        "D+",
        "A--",
        "AB",
        "A/B",
        "A to B",
        "pass",
        "n/a",
        "-",
        "not A",
        "4.0",
        "A*",
    )
    text = fill(random, "Grade the essay from A+ to F.", source, pairs=pairs)
    draw = pick(grades, others if with_default else (), pad)
    return Built(text, draw, grades if with_default else ())


@template("grade")
def blood_type(random: Random) -> Built:
    """A blood type, kept with its sign, or a bond rating."""
    source, said, others = random.choice(
        (
            (
                """
                TYPES = {"A+", "A-", "B+", "B-", "AB+", "AB-", "0+", "0-", "O+", "O-"}


                def handle():
                    <<v>> = <<ask>>.strip().upper()
                    return <<v>> if <<v>> in TYPES else "untested"
                """,
                ("A+", "A-", "B+", "B-", "AB+", "AB-", "0+", "0-", "O+", "O-"),
                ("A", "AB", "C+", "not A+", "A+ or A-", "unknown", "Rh-", "+", "A+-"),
            ),
            (
                """
                SCALE = ("AAA", "AA+", "AA", "AA-", "A+", "A", "A-", "BBB+", "BBB", "BBB-")


                def handle():
                    <<v>> = <<ask>>.strip().upper()
                    return SCALE.index(<<v>>) if <<v>> in SCALE else len(SCALE)
                """,
                ("AAA", "AA+", "AA", "AA-", "A+", "A", "A-", "BBB+", "BBB", "BBB-"),
                ("BB+", "D", "NR", "AA+ to A", "A1", "(P)A", "not AAA", "A*-", "-"),
            ),
        )
    )
    return Built(
        fill(random, "Which one does the report name?", source), pick(said, others, pad), said
    )


@template("rating")
def rating_of_five(random: Random) -> Built:
    """A rating such as 4/5."""
    source = random.choice(
        (
            """
            def handle():
                points, _, most = <<ask>>.strip().partition("/")
                return (float(points), int(most or 5))
            """,
            """
            from fractions import Fraction


            def handle():
                return Fraction(<<ask>>.strip())
            """,
        )
    )
    said = ("4/5", "5/5", "0/5", "10/10", "7/10", "+3/5", "4", "-1/5", "03/05", "100/100")
    return Built(fill(random, "Rate it, like 4/5.", source), pick(said, dress=pad))


@template("rating")
def counted_stars(random: Random) -> Built:
    """The number of stars or other marks in the answer."""
    star = random.choice(("★", "⭐", "*", "#", "🔥"))
    source = """
    STAR = <<=star>>


    def handle():
        return min(<<ask>>.count(STAR), 5)
    """

    def draw(random: Random) -> str:
        stars = star * random.randint(1, 6)
        around = random.choice(("{}", "{}", "{} ☆", "Rating: {}", "{}\n\nfine", "- {} -"))
        return pad(random, around.format(stars))

    return Built(fill(random, f"Rate with one to five {star}", source, star=star), draw)


@template("digits of the answer")
def digits_only(random: Random) -> Built:
    """All digits of the answer, as text or number."""
    source = random.choice(
        (
            """
            def handle():
                return "".join(c for c in <<ask>> if c.isdigit())
            """,
            r"""
            import re


            def handle():
                return int(re.sub(r"[^0-9]", "", <<ask>>))
            """,
        )
    )
    said = ("+49 (221) 12345-0", "No. 0042", "1,000 units", "978-3-16-148410-0", "#7", "4-5", "12%")
    return Built(fill(random, "What is the number of the customer?", source), pick(said, dress=pad))


@template("number found by a regular expression")
def number_search(random: Random) -> Built:
    """The first number anywhere in the answer, else a default."""
    source = random.choice(
        (
            r"""
            import re


            def handle():
                m = re.search(r"[-+]?\d+(?:\.\d+)?", <<ask>>)
                return float(m.group()) if m else -1.0
            """,
            r"""
            import re

            NUMBER = re.compile(r"-?\d+")


            def handle() -> int:
                found = NUMBER.findall(<<ask>>)
                return int(found[0]) if found else 0
            """,
        )
    )
    said = (
        "7",
        "Score: 8/10",
        "I'd say -5.",
        "**9**",
        "about 3.5, give or take",
        "+3 points\n\n1. style\n2. tone",
        "<5",
        "It is 10% better",
        "[4] because of {x: 2}",
        "> 6",
        "“2”",
    )
    others = ("none", "no number is given", "seven", "zéro", "n/a", "…", "good!")
    return Built(fill(random, "Score the summary (0-10).", source), pick(said, others, pad))


@template("bounded number")
def bounded_number(random: Random) -> Built:
    """A number with a sign such as < or ~ before it."""
    source = r"""
    import re
    from dataclasses import dataclass


    @dataclass
    class Bound:
        relation: str
        value: float


    PATTERN = re.compile(r"(<=|>=|<|>|~|≈|≥|≤|±|=)?\s*(-?\d+(?:\.\d+)?)")


    def handle():
        m = PATTERN.fullmatch(<<ask>>.strip())
        if m is None:
            raise ValueError("not a bounded number")
        return Bound(m[1] or "=", float(m[2]))
    """
    said = ("<5", "> 10", ">=3.5", "~10", "≈ -2", "42", "= 7", "-5", "≤0", "±3", "0042", "<-1")
    return Built(fill(random, "Limit of detection, e.g. <5", source), pick(said, dress=pad))


@template("range")
def number_range(random: Random) -> Built:
    """A range of two numbers, or one number for both ends."""
    source = random.choice(
        (
            r"""
            import re


            def handle():
                parts = re.split(r"\s*(?:-|–|—|\.\.|to)\s*", <<ask>>.strip())
                low, high = (parts * 2)[:2]
                return (int(low), int(high))
            """,
            """
            def <<f>>(<<v>>):
                for separator in ("..", "–", "—", "-", " to "):
                    low, found, high = <<v>>.partition(separator)
                    if found:
                        return range(int(low), int(high) + 1)
                return range(int(<<v>>), int(<<v>>) + 1)


            def handle():
                pages = <<f>>(<<ask>>)
                return (pages.start, pages.stop)
            """,
        )
    )
    said = ("3-7", "3–7", "10..20", "5 to 9", "4", "7 - 3", "01-12", "100—200", "0-0", "1990-1999")
    return Built(fill(random, "Which pages? e.g. 3-7", source), pick(said, dress=pad))


@template("range with default")
def age_group(random: Random) -> Built:
    """A group of ages, with open ends, from a table."""
    groups = ("0-17", "18-24", "25-64", "65+", "<1", "100+")
    source = """
    GROUPS = {<<pairs>>}


    def handle():
        return GROUPS.get(<<ask>>.strip(), "all ages")
    """
    pairs = ", ".join(f'"{group}": "group {n}"' for n, group in enumerate(groups))
    others = ("65", "18-25", "1", "adults", "18-24 or 65+", "over 100", "unknown", "-17", "0-99")
    text = fill(random, "Age group?", source, pairs=pairs)
    return Built(text, pick(groups, others, pad), groups)


@template("version")
def version_number(random: Random) -> Built:
    """A version as a tuple of numbers."""
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip().lstrip("vV")
                return tuple(int(part) for part in <<v>>.split("."))
            """,
            r"""
            import re

            SEMVER = re.compile(r"[vV]?(\d+)\.(\d+)(?:\.(\d+))?")


            def handle():
                major, minor, patch = SEMVER.match(<<ask>>.strip()).groups(default="0")
                return {"major": int(major), "minor": int(minor), "patch": int(patch)}
            """,
        )
    )
    said = ("1.2.3", "v2.0.1", "0.10", "V3.11", "10.0.0", "1.02.003", "v0.0.0", "2024.1")
    return Built(fill(random, "Which version fixes this?", source), pick(said, dress=pad))


@template("version with default")
def version_text(random: Random) -> Built:
    """A version as it is written, with suffixes, else `latest`."""
    source = r"""
    import re


    def handle():
        <<v>> = <<ask>>.strip()
        if re.match(r"^[v^~=<>!]*\d+(\.\w+)*([-+][\w.+-]+)?\.?$", <<v>>):
            return <<v>>
        return "latest"
    """
    said = (
        "v2.0.",
        "1.0.0-rc.1+build.5",
        ">=3.10",
        "^1.2.3",
        "~4.5",
        "==2.0",
        "3.x",
        "v1",
        "!=7.0",
        "2.0.0-beta",
    )
    others = (
        "latest",
        "unknown",
        "n/a",
        "not 2.0",
        "any",
        "*",
        "-",
        "1.0 or 2.0",
        "none",
        "HEAD~1",
    )
    return Built(fill(random, "Pin which version?", source), pick(said, others, pad))


@template("quantity with unit")
def quantity(random: Random) -> Built:
    """A number and its unit."""
    source = random.choice(
        (
            r"""
            import re


            def handle():
                m = re.fullmatch(r"([-+~<>]?\s?[\d.,/]+)\s*(\D*)", <<ask>>.strip())
                return (m[1], m[2].strip() or "pcs")
            """,
            """
            from dataclasses import dataclass


            @dataclass
            class Quantity:
                amount: float
                unit: str = "piece"


            def handle():
                amount, *unit = <<ask>>.split()
                return Quantity(float(amount), *unit[:1])
            """,
        )
    )
    plain = (
        "3 kg",
        "0.5 l",
        "12 oz.",
        "-5 °C",
        "100 %",
        "7",
        "+3 dB",
        "2 µm",
        "1 m²",
        "10 Ω",
        '5 "',
    )
    tight = ("3kg", "1,000 m", "1/2 tsp", "~10 cm", "<5 mg", "5'", "$", "250ml")
    said = plain if "dataclass" in source else plain + tuple(t for t in tight if t != "$")
    return Built(fill(random, "Amount with unit, e.g. 3 kg", source), pick(said, dress=pad))


@template("temperature")
def temperature(random: Random) -> Built:
    """A temperature in Celsius or Fahrenheit, as Celsius."""
    source = """
    def handle():
        <<v>> = <<ask>>.strip().upper().replace("°", "").replace("−", "-")
        number = float(<<v>>.rstrip("CF "))
        return round((number - 32) / 1.8, 1) if <<v>>.endswith("F") else number
    """
    said = ("-5°C", "−5 °C", "72 F", "0", "+3.5 c", "98.6°F", "-40", "1e1 C", "20 °C", "-0.5°f")
    return Built(fill(random, "Outside temperature?", source), pick(said, dress=pad))


@template("duration")
def duration(random: Random) -> Built:
    """A duration such as 1h 30m, in seconds, or one with colons."""
    source, said = random.choice(
        (
            (
                r"""
                import re
                from datetime import timedelta

                UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


                def handle():
                    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([dhms])", <<ask>>.lower())
                    return timedelta(**{UNITS[unit]: float(n) for n, unit in parts})
                """,
                (
                    "1h 30m",
                    "90 min",
                    "2d",
                    "45s",
                    "1.5 hours",
                    "1d 0h 5m 07s",
                    "~10 minutes",
                    "<1h",
                ),
            ),
            (
                """
                def handle():
                    seconds = 0
                    for part in <<ask>>.strip().split(":"):
                        seconds = seconds * 60 + int(part)
                    return seconds
                """,
                ("1:30", "01:02:03", "0:07", "90", "10:00", "00:00:00", "100:59"),
            ),
        )
    )
    return Built(fill(random, "How long does it take?", source), pick(said, dress=pad))


@template("size with unit and default")
def file_size(random: Random) -> Built:
    """A size in bytes, else -1."""
    source = r"""
    import re

    FACTORS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20}
    SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMG]?i?B)", re.IGNORECASE)


    def handle():
        m = SIZE.fullmatch(<<ask>>.strip())
        return int(float(m[1]) * FACTORS.get(m[2].upper(), 0)) if m else -1
    """
    said = ("10 MB", "1.5MiB", "0 B", "512kb", "007 GB", "3 KiB")
    others = ("unlimited", "10 MB/s", "5-10 MB", "<5 MB", "large", "1 TB", "ten", "-1 B", "n/a")
    return Built(fill(random, "Maximum upload size?", source), pick(said, others, pad))


@template("number in another base")
def other_base(random: Random) -> Built:
    """A hexadecimal or prefixed number."""
    if random.random() < 0.5:
        source = "def handle():\n    return int(<<ask>>.strip(), 16)\n"
        said = ("ff", "0xFF", "-1A", "DEADBEEF", "00", "1e3", "+b", "0042", "A")
    else:
        source = "def handle():\n    return int(<<ask>>.strip(), 0)\n"
        said = ("0x1F", "0b101", "0o17", "42", "-0x5", "+3", "1_000", "0")
    return Built(fill(random, "Address of the register?", source), pick(said, dress=pad))


@template("coordinates")
def coordinates(random: Random) -> Built:
    """A pair of numbers, kept as one point."""
    source = r"""
    from typing import NamedTuple


    class Point(NamedTuple):
        lat: float
        lon: float


    def handle():
        <<v>> = <<ask>>.strip().strip("()[]")
        return Point(*(float(part) for part in <<v>>.split(",")))
    """
    said = ("50.94,6.96", "-33.86, 151.2", "(0, 0)", "[1e1, -2.]", "+5,-5", "52.5 ,\t13.4", ".5,.5")
    return Built(fill(random, "Latitude, longitude of the city?", source), pick(said, dress=pad))


@template("ratio")
def ratio(random: Random) -> Built:
    """A ratio or a match result such as 3:1."""
    source = random.choice(
        (
            """
            def handle():
                left, right = map(int, <<ask>>.strip().split(":"))
                return (left, right)
            """,
            r"""
            import re


            def handle():
                home, away = re.match(r"\s*(\d+)\s*[:\-–]\s*(\d+)", <<ask>>).groups()
                return {"home": int(home), "away": int(away)}
            """,
        )
    )
    said = ("3:1", "16:9", "0:0", "02:10", "1 : 1", "100:99")
    more = ("3-1", "2–2 (4–3)", "1 - 0 n.V.", "4:2 i. E.") if "re.match" in source else ()
    return Built(fill(random, "Result of the match?", source), pick(said + more, dress=pad))


@template("ordinal")
def ordinal(random: Random) -> Built:
    """A place such as 3rd or 3."""
    source = r"""
    import re

    WORDS = {"first": 1, "second": 2, "third": 3}


    def handle():
        <<v>> = <<ask>>.strip().lower()
        if <<v>> in WORDS:
            return WORDS[<<v>>]
        m = re.match(r"(\d+)(st|nd|rd|th|\.)?$", <<v>>)
        return int(m.group(1)) if m else 0
    """
    said = ("1st", "2nd", "3rd", "11th", "4.", "7", "0042", "first", "Third")
    others = (
        "last",
        "none",
        "not first",
        "first or second",
        "-1",
        "1st-2nd",
        "2nd last",
        "#1",
        "DNF",
    )
    return Built(
        fill(random, "Place?", source), pick(said, others, pad), ("first", "second", "third")
    )
