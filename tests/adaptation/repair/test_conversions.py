"""Texts that the code stumbles over are written as it takes them; all else stays as it is."""
# ruff: noqa: E501 - programs as they are

import itertools
import sys
import textwrap

import pytest

import knitbone
from knitbone.adaptation.repair import acceptance

HEADER = """
import enum
from datetime import date
from decimal import Decimal
import knitbone
ANSWER = ""
@knitbone.source
def ask(prompt):
    return ANSWER
SHELVES = {"oak": 1, "dry store": 2, "cellar": 3}
class Grade(enum.Enum):
    FINE = "fine"
    POOR = "poor"
"""
_numbers = itertools.count()


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def run(source, answer):
        """Return what the plain code and the adapted code make of an answer."""
        name = f"converting_{next(_numbers)}"
        names.append(name)
        path = tmp_path / f"{name}.py"
        path.write_text(HEADER + textwrap.dedent(source), encoding="utf-8")
        module = __import__(name)
        results = []
        for wrap in (lambda function: function, knitbone.adapt):
            answers = list(answer) if isinstance(answer, list) else [answer] * 4
            module.ask = knitbone.source(lambda prompt, left=answers: left.pop(0))
            try:
                module.ANSWER = answer if isinstance(answer, str) else ""
                results.append(wrap(module.handle)())
            except (ValueError, KeyError, ArithmeticError) as error:
                results.append(type(error))
        return results

    yield run
    for name in names:
        sys.modules.pop(name, None)


WEIGHED = """
def handle():
    width, height, shelf = ask("Give width and height in mm, and the shelf, as width/height/shelf").split("/")
    return int(width), Decimal(height), SHELVES[shelf.strip()]
"""
GRADED = """
def handle():
    first, second = ask("Grades of top and bottom with a tilde between").split("~")
    return Grade(first), Grade(second)
"""
DATED = """
def handle():
    begin, _, end = ask("First and last day, with -> between").partition("->")
    return date.fromisoformat(begin.strip()).toordinal(), date.fromisoformat(end.strip()).toordinal()
"""
NOTED = """
def handle():
    text, pages, shelf = ask("A title, its pages, its shelf, between slashes").split("/")
    return text, int(pages), SHELVES[shelf]
"""
WIDTHS = ["40", "40 mm", " forty ", "width: 40", "**40**", "40.0"]
HEIGHTS = ["7.5", "7.5 mm", "height: 7.5", "[7.5]"]
SHELF_NAMES = ["dry store", "Dry Store", "dry_store", '"Dry store"', "dry store."]


def _is_named(width, height):
    return width.startswith("width") != height.startswith("height")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("shelf", SHELF_NAMES)
def test_each_part_is_read_in_any_spelling_or_none_is(run, width, height, shelf):
    """One name alone, of two values of a kind, may say that the other value is another."""
    plain, adapted = run(WEIGHED, f"{width}/{height}/{shelf}")
    right = (40, __import__("decimal").Decimal("7.5"), 2)
    assert adapted == (plain if _is_named(width, height) and plain != right else right)


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        (WEIGHED, "height: 7/width: 40/oak"),  # the other way round
        (WEIGHED, "height: 7/40/oak"),
        (WEIGHED, "40 or 50/7/oak"),
        (WEIGHED, "not 40/7/oak"),
        (WEIGHED, "about 40 to 50/7/oak"),
        (WEIGHED, "4 cm/7/oak"),
        (WEIGHED, "forty or so/7/oak"),
        (WEIGHED, "40/7/oak or cellar"),
        (WEIGHED, "40/7/pine"),
        (WEIGHED, "40/7"),
        (WEIGHED, "40 mm/7.5/"),
        (WEIGHED, "I do not know/7/oak"),
        (GRADED, "fine or poor~poor"),
        (GRADED, "fin~poor~fine"),
        (DATED, "03/04/2026->2026-04-05"),  # March or April
        (DATED, "3 April 2026"),
        (NOTED, "The book is Emma/210 pages/oak"),  # where the title begins is not told
        (NOTED, "Emma/210 pages/oak"),
    ],
)
def test_what_holds_two_values_or_none_stays(run, source, answer):
    plain, adapted = run(source, answer)
    assert isinstance(plain, type)
    assert adapted == plain


@pytest.mark.parametrize(
    ("source", "answer", "right"),
    [
        (GRADED, "Fine~POOR", ("fine", "poor")),
        (GRADED, "**fine**~poor.", ("fine", "poor")),
        (DATED, "3 April 2026->May 5, 2026", (739709, 739741)),
    ],
)
def test_names_and_dates_are_written_as_the_code_takes_them(run, source, answer, right):
    _, adapted = run(source, answer)
    assert tuple(getattr(each, "value", each) for each in adapted) == right


@pytest.mark.parametrize("answer", ["12/3/oak", "1/-2.5/cellar", " 5 /1e2/dry store"])
def test_what_the_code_reads_stays(run, answer):
    plain, adapted = run(WEIGHED, answer)
    assert adapted == plain


DEFAULTED = """
BINS = {"glass": 10, "paper": 20}
def handle():
    kind = ask("Which material? glass or paper").strip()
    bin = BINS.get(kind, 99)
    return bin, int(ask("How many kilos? A number"))
"""


@pytest.mark.parametrize(
    ("kind", "number", "right"),
    [
        ("glass", "4.", (10, 4)),
        ("Glass.", "4", (10, 4)),
        ("rubble", "4", (99, 4)),
        ("rubble", "4.", ValueError),  # which somebody sees; the default nobody would
        ("glassware", "**4**", ValueError),
    ],
)
def test_no_repair_hides_the_default_of_an_earlier_answer(run, kind, number, right):
    _, adapted = run(DEFAULTED, [kind, number])
    assert adapted == right


COMPARED = """
def handle():
    count, wrapped = ask("Count, and yes or no, between semicolons").split(";")
    return int(count), wrapped.strip() == "yes"
"""


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("four; yes", (4, True)),
        ("four; no", (4, False)),
        ("4; yes (a gift)", (4, False)),  # the code reads it
        ("four; yes (a gift)", ValueError),
    ],
)
def test_no_repair_hides_a_comparison_in_vain(run, answer, right):
    _, adapted = run(COMPARED, answer)
    assert adapted == right


KEPT = """
class Held(str):
    def __init__(self, text):
        self.own = text
    def __str__(self):
        return self.own
def handle():
    return int(str(ask("A number")))
"""


def test_a_text_that_keeps_its_text_in_a_field_is_mended_there(run, tmp_path):
    source = KEPT.replace("def handle", "inner = ask\n\ndef handle")
    name = f"held_{next(_numbers)}"
    path = tmp_path / f"{name}.py"
    held = HEADER.replace("return ANSWER", "return Held(ANSWER)")
    path.write_text(held + textwrap.dedent(source), encoding="utf-8")
    module = __import__(name)
    module.ANSWER = "**12**"
    assert knitbone.adapt(module.handle)() == 12


LAMBDAS = """
class Reader:
    def __init__(self, cut, convert):
        self.cut, self.convert = cut, convert
    def __call__(self, text):
        return [self.convert(each) for each in self.cut(text)]
NUMBERS = Reader(lambda s: s.split(), float)
NAMES, KEYS = Reader(lambda s: s.split("+"), str.strip), Reader(lambda s: s.split("="), str.upper)
def read(text, reader=NAMES):
    return reader(text)
def handle():
    return read(ask("Names with a plus between"))
"""


@pytest.mark.parametrize("answer", ["10 Main Road + Oslo", "Ann+Bob", "3 + 4 kg", "2024-02-30+x"])
def test_functions_that_an_object_keeps_are_rehearsed_as_they_are(run, answer):
    plain, adapted = run(LAMBDAS, answer)
    assert adapted == plain


CUT = """
import re, time
SIZE = re.compile(r"^Size (\\d+)$")
SHADE = re.compile(r"^Shade (\\w+)$")
def cut(rest):
    while "\\n" in rest:
        line, rest = rest.split("\\n", 1)
        yield line.strip()
    yield rest.strip()
def handle():
    found = {}
    for line in cut(ask("Size and shade, a line each")):
        if time.monotonic() < 0:  # nobody can follow this
            break
        if match := SIZE.match(line):
            found["size"] = int(match[1])
        elif match := SHADE.match(line):
            if match[1].lower() not in ("red", "blue"):
                raise ValueError(match[1])
            found["shade"] = match[1].lower()
    return found
"""


@pytest.mark.parametrize(
    "answer", ["Size 3\nShade red", "Size 3\nShade Red\n", "Here it is.\nShade blue\nSize 4"]
)
def test_no_line_is_left_out_that_an_alternative_reads(run, answer):
    plain, adapted = run(CUT, answer)
    assert len(plain) == 2
    assert adapted == plain


LINES = """
def handle():
    found = []
    for line in ask("One a line: name | number").splitlines():
        name, number = line.split("|")
        found.append((name.strip(), int(number)))
    return found
"""


@pytest.mark.parametrize(("lines", "rehearsed"), [(3, True), (200, False)])
def test_only_short_answers_without_a_finding_are_rehearsed(run, monkeypatch, lines, rehearsed):
    seen = []
    spare = acceptance.spare_accepted
    monkeypatch.setattr(
        acceptance,
        "spare_accepted",
        lambda *given, **named: seen.append(1) or spare(*given, **named),
    )
    answer = "\n".join(f"oak {number} | {number}" for number in range(lines))
    plain, adapted = run(LINES, answer)
    assert plain == adapted
    assert len(adapted) == lines
    assert bool(seen) == rehearsed
