"""Damaged answers come out right, or as plain code reads them: no wrong value, nothing made silent.

Each consumer is plain code. Its values are drawn and written as it reads them; then the answer is
damaged in a way that leaves no doubt what may come of it. What is cut, unnamed, of another type or
short of a cell has no right value, so the adapted code must do what the plain code does. What bears
other marks has one. Nothing here knows how repairs are made.
"""

import importlib
import itertools
import json
import random
import re
import sys
from collections import Counter

import pytest

import knitbone

HEADER = """
import ast, csv, dataclasses, io, json, re
import xml.etree.ElementTree as ET
from typing import Literal
import yaml
from pydantic import BaseModel
import knitbone
ANSWER = ""
@knitbone.source
def ask(prompt):
    return ANSWER
"""
SOURCES = {
    "json_record": """
        @dataclasses.dataclass
        class Order:
            item: str
            quantity: int
            price: float
        def handle():
            order = Order(**json.loads(ask('JSON: {"item": "...", "quantity": 1, "price": 1.5}')))
            return order.item, order.quantity * 2, order.price
        """,
    "json_defaults": """
        def handle():
            found = json.loads(ask('JSON: {"item": "...", "quantity": 1, "price": 1.5}'))
            return found.get("item", ""), found.get("quantity", 0), found.get("price", 0.0)
        """,
    "json_model": """
        class Order(BaseModel):
            item: str
            quantity: int = 0
            price: float = 0.0
        def handle():
            order = Order.model_validate_json(ask("JSON with item, quantity and price"))
            return order.item, order.quantity, order.price
        """,
    "yaml": """
        def handle():
            found = yaml.safe_load(ask("YAML with item, quantity and price"))
            return found["item"], int(found["quantity"]), float(found["price"])
        """,
    "labels": """
        def handle():
            text = ask("Item: ...\\nQuantity: ...\\nPrice: ...")
            found = re.search(r"^Item: (.+)\\nQuantity: (\\d+)\\nPrice: ([\\d.]+)$", text, re.M)
            if found is None:
                raise ValueError(text)
            return found[1], int(found[2]), float(found[3])
        """,
    "fields": """
        def handle():
            fields = {}
            for line in ask("Three lines: Item, Quantity, Price").splitlines():
                name, value = line.split(": ", 1)
                fields[name] = value
            return fields["Item"], int(fields.get("Quantity", 0)), float(fields.get("Price", 0))
        """,
    "csv": """
        def handle():
            rows = csv.DictReader(io.StringIO(ask("CSV with the columns item,quantity,price")))
            return [(row["item"], int(row["quantity"]), float(row["price"])) for row in rows]
        """,
    "rows": """
        def handle():
            found = []
            for line in ask("One line for each: item | quantity | price").strip().splitlines():
                item, quantity, price = line.split(" | ")
                found.append((item, int(quantity), float(price)))
            return found
        """,
    "literal": """
        def handle():
            found = ast.literal_eval(ask("A Python list of tuples: (item, quantity, price)"))
            return [(item, int(quantity), float(price)) for item, quantity, price in found]
        """,
    "xml": """
        def handle():
            root = ET.fromstring(ask("<orders><order><item/><quantity/><price/></order></orders>"))
            return [
                (each.find("item").text, int(each.find("quantity").text),
                 float(each.find("price").text))
                for each in root
            ]
        """,
    "action": """
        def handle():
            text = ask("Thought: ...\\nAction: the tool\\nAction Input: JSON")
            found = re.search(r"Action\\s*:\\s*(.*?)\\s*Action Input\\s*:\\s*(.*)", text, re.DOTALL)
            if not found:
                raise ValueError(text)
            given = json.loads(found[2])
            return found[1], given["item"], given["quantity"] + 1
        """,
}
"""Name -> code that reads one order, or a list of them."""
ONE = ("json_record", "json_defaults", "json_model", "yaml", "labels", "fields", "action")
ITEMS = ("rye loaves", "scones", "poppy rolls", "lemon cakes", "baguettes", "oat bars")


def drawn(rng):
    return [
        (rng.choice(ITEMS), rng.randrange(2, 900), rng.randrange(10, 9000) / 4 + 0.5)
        for _ in range(rng.randrange(2, 5))
    ]


def written(name, orders):
    """Return an answer as the consumer reads it."""
    item, quantity, price = orders[0]
    mapping = {"item": item, "quantity": quantity, "price": price}
    match name:
        case "yaml":
            return "".join(f"{key}: {value}\n" for key, value in mapping.items())
        case "labels" | "fields":
            return f"Item: {item}\nQuantity: {quantity}\nPrice: {price}"
        case "csv":
            lines = [f"{i},{q},{p}" for i, q, p in orders]
            return "\n".join(["item,quantity,price", *lines])
        case "rows":
            return "\n".join(f"{i} | {q} | {p}" for i, q, p in orders)
        case "literal":
            return repr(orders)
        case "xml":
            records = "".join(
                f"<order><item>{i}</item><quantity>{q}</quantity><price>{p}</price></order>"
                for i, q, p in orders
            )
            return f"<orders>{records}</orders>"
        case "action":
            return f"Thought: so.\nAction: place_order\nAction Input: {json.dumps(mapping)}"
        case _:
            return json.dumps(mapping)


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harm")
    sys.path.insert(0, str(folder))
    numbers = itertools.count()

    def load(source):
        name = f"harm_{next(numbers)}"
        lines = source.splitlines()
        indent = len(lines[1]) - len(lines[1].lstrip())
        body = "\n".join(line[indent:] for line in lines)
        (folder / f"{name}.py").write_text(HEADER + body, encoding="utf-8")
        return importlib.import_module(name)

    yield load
    sys.path.remove(str(folder))


def outcome(module, answer):
    module.ANSWER = answer
    try:
        return repr(module.handle())
    except Exception as error:
        return type(error)


class Pair:
    """One consumer, plain and adapted, and the count of what came of the answers it got."""

    def __init__(self, load, name):
        self.plain, self.adapted = load(SOURCES[name]), load(SOURCES[name])
        knitbone.adapt(self.adapted.handle)  # in place
        self.counts = Counter()

    def check(self, answer, right=None):
        """Require the right result, if there is one, or what the plain code makes of the answer."""
        before, made = outcome(self.plain, answer), outcome(self.adapted, answer)
        self.counts["right" if made == right else "as before"] += 1
        assert made in (before, right), f"{answer!r}: {before}, not {made} (right: {right})"


def enclosed(answer, rng):
    """Return an answer, or what it looks like in a fence or behind a few words."""
    return rng.choice(
        (answer, f"```\n{answer}\n```", f"```json\n{answer}", f"Here you are:\n\n{answer}")
    )


def begun(answer, rng):
    """Return the beginning of an answer, perhaps in a fence that was not closed any more."""
    return rng.choice((answer, f"```\n{answer}", f"```json\n{answer}"))


SEEDS = range(8)


_END_TAGS = re.compile(r"(?:</|/)?\w*>(?:\s*</\w+>)*\s*")


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_cut_off_is_never_completed(load, name, seed):
    rng = random.Random(f"{seed} cut")
    pair = Pair(load, name)
    answer = written(name, drawn(rng))
    right = outcome(pair.plain, answer)
    for end in range(1, len(answer)):
        lost = answer[end:]
        # A closing bracket or tag may be put back; a letter, a digit or a comma says more was said.
        tag = answer[:end].rpartition("<")[2]
        in_end_tag = lost.startswith("</") or (tag[:1] in ("", "/") and ">" not in tag)
        closed = not any(each.isalnum() or each in ",;|" for each in lost) or (
            name == "xml" and in_end_tag and _END_TAGS.fullmatch(lost) is not None
        )
        pair.check(begun(answer[:end], rng), right if closed else None)


NUMBERS = """
    def handle():
        return [int(each) for each in ask("The pages, as numbers with commas between").split(",")]
    """
ODD = ("#{}", "~{}", "{}-99", "{}.5", "≤{}", "p.{}", "{}th", "{}?", "n/a", "seven", "§{}", "±{}")


def surrounded(answer, rng):
    """Return an answer, perhaps with words, marks or a fence around it."""
    return rng.choice(
        ("{}", "Here they are: {}", "{}\n\nI hope this helps.", "**{}**", "```\n{}\n```", "- {}")
    ).format(answer)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_item_of_a_list_is_left_out(load, seed):
    rng = random.Random(f"{seed} items")
    plain, adapted = load(NUMBERS), load(NUMBERS)
    knitbone.adapt(adapted.handle)
    for _ in range(40):
        items = [str(rng.randrange(1, 400)) for _ in range(rng.randrange(2, 6))]
        place = rng.randrange(len(items))
        items[place] = rng.choice(ODD).format(items[place])
        answer = surrounded(", ".join(items), rng)
        before, made = outcome(plain, answer), outcome(adapted, answer)
        if made != before:
            read = json.loads(made)
            assert len(read) == len(items), (answer, made)
            del read[place], items[place]
            assert read == [int(item) for item in items], (answer, made)


AS_PLAIN = {
    "a time of the day's second half": (
        """
        from datetime import datetime
        def handle():
            return datetime.strptime(ask("When does it start, as HH:MM?"), "%H:%M").time()
        """,
        ["2:35 in the afternoon", "tonight at 8:35", "8:35 this evening", "2:35 (afternoon)"],
    ),
    "a minus sign apart": (
        """
        def handle():
            return float(ask("The temperature in degrees Celsius, as a number"))
        """,
        ["- 18 °C", "\u2212 18", "\u2013 0.5 %", "It is \u2212 18"],
    ),
    "code that is no literal": (
        """
        def handle():
            return sorted(ast.literal_eval(ask("The tags as a Python list")))
        """,
        ["You can call get_tags() to list them.", "print('no tags')", "string[] tags;",
         "['a', 'b', 'c'][:2]", "tags.append('c')", "['b', 'a'].reverse()"],
    ),
    "another type than the prompt shows": (
        """
        def handle():
            found = json.loads(ask('JSON: {"spam": true or false, "score": 0.5}'))
            return ("junk" if found["spam"] else "in"), found["score"]
        """,
        ['{"spam": maybe, "score": 0.9}', '{"spam": "no", "score": 0.9,}', '{"spam": !true}',
         "{'spam': 'False', 'score': 0.9}", '{"spam": false?, "score": 1}',
         '{"spam": true, "score": high}'],
    ),
    "texts beside texts": (
        """
        def handle():
            return json.loads(ask('JSON: {"names": ["...", "..."]}'))["names"]
        """,
        ['{"names": ["a", "b" or "c"]}', '{"names": ["a" + b]}',
         '{"names": ["use """ for it", "b"]}', '{"names": ["d = {"a": 1} is odd"]}',
         '{"names": ["""a\nb""", "c"]}'],
    ),
    "the number of a list": (
        """
        def handle():
            found = re.findall(r"^(\\d+) (.+)$", ask("Lines: QUANTITY ITEM"), re.M)
            if not found:
                raise ValueError("nothing")
            return [(int(number), item) for number, item in found]
        """,
        ["1. apples\n2. pears", "- apples\n- pears", "1) apples\n2) pears"],
    ),
}  # fmt: skip
"""What an answer says of a value that is no value of the code: which stays as plain code has it."""


@pytest.mark.parametrize("name", AS_PLAIN)
def test_what_changes_a_value_is_never_left_out(load, name):
    source, answers = AS_PLAIN[name]
    plain, adapted = load(source), load(source)
    knitbone.adapt(adapted.handle)
    rng = random.Random(name)
    for answer in [surrounded(each, rng) for each in answers for _ in range(6)]:
        assert outcome(adapted, answer) == outcome(plain, answer), answer


def renamed(name, answer, rng):
    """Return an answer of which a key has another meaning, so that nothing says what it stands
    for."""
    old = rng.choice(("quantity",) if name == "action" else ("quantity", "price"))
    new = rng.choice(("shelf", "rating", "year", "note"))
    return answer.replace(old, new).replace(old.capitalize(), new.capitalize())


def retyped(name, orders, rng):
    """Return an answer with words in place of a number."""
    item, quantity, price = orders[0]
    number = rng.choice((quantity,) if name == "action" else (quantity, price))
    word = rng.choice(("several", "about half", "unknown", "see below"))
    text = written(name, orders)
    quoted = json.dumps(word) if name.startswith(("json", "action")) else word
    quoted = repr(word) if name == "literal" else quoted
    return text.replace(str(number), quoted, 1) if str(number) not in item else text


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_loud_failure_stays_loud(load, name, seed):
    rng = random.Random(f"{seed} loud")
    pair = Pair(load, name)
    for _ in range(12):
        orders = drawn(rng)
        damaged = renamed(name, written(name, orders), rng)
        if damaged != written(name, orders):
            pair.check(enclosed(damaged, rng))
        pair.check(enclosed(retyped(name, orders, rng), rng))


MARKS = ("- {}", "* {}", "# {}", "### {}", "> {}", "**{}**", "_{}_", "`{}`", "{}. ", '"{}"')


def marked(answer, rng):
    """Return an answer with the same mark on all of its lines, or on its labels."""
    mark = rng.choice(MARKS)
    lines = []
    for number, line in enumerate(answer.splitlines(), 1):
        label, colon, rest = line.partition(": ")
        if mark == "{}. ":
            lines.append(f"{number}. {line}")
        elif colon and rng.random() < 0.5:
            lines.append(f"{mark.format(label + ':')} {rest}")
        else:
            lines.append(mark.format(line))
    return "\n".join(lines)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_marks_of_the_notation_enter_no_value(load, name, seed):
    rng = random.Random(f"{seed} marks")
    pair = Pair(load, name)
    for _ in range(12):
        answer = written(name, drawn(rng))
        pair.check(enclosed(marked(answer, rng), rng), outcome(pair.plain, answer))


def test_the_search_of_marks_finds_what_can_be_repaired(load):
    """Else all of it would hold for code that repairs nothing."""
    found = Counter()
    for name in SOURCES:
        rng = random.Random(f"{name} reach")
        pair = Pair(load, name)
        for _ in range(12):
            answer = written(name, drawn(rng))
            pair.check(enclosed(marked(answer, rng), rng), outcome(pair.plain, answer))
        found += pair.counts
    assert found["right"] >= 0.25 * found.total(), found


def with_other_cells(name, orders, rng):
    """Return a list of which one record has a cell less, or one more."""
    lines = written(name, orders).splitlines()
    mark = " | " if name == "rows" else ","
    number = rng.randrange(name == "csv", len(lines))
    cells = lines[number].split(mark)
    if rng.random() < 0.5:
        del cells[rng.randrange(len(cells))]
    else:
        cells.insert(rng.randrange(len(cells)), rng.choice(ITEMS))
    lines[number] = mark.join(cells)
    if rng.random() < 0.5:
        lines = [line.replace(mark, rng.choice((";", "\t"))) for line in lines]
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["csv", "rows"])
@pytest.mark.parametrize("seed", range(24))
def test_no_record_loses_a_cell(load, name, seed):
    rng = random.Random(f"{seed} cells")
    pair = Pair(load, name)
    for _ in range(12):
        pair.check(enclosed(with_other_cells(name, drawn(rng), rng), rng))


CHOICES = """
class Verdict(BaseModel):
    level: Literal[0, 1, 5]
    share: float
    kept: int | str
def handle():
    verdict = Verdict.model_validate_json(ask("JSON with level (0, 1 or 5), share and kept"))
    return verdict.level, verdict.share, verdict.kept
"""
NO_LEVEL = (
    "-1",
    "-5",
    "+-1",
    "1.5",
    "15",
    "~1",
    "1-5",
    "0 or 1",
    "not 1",
    "1%",
    "<5",
    "1e1",
    "1/5",
)


@pytest.mark.parametrize("seed", range(40))
def test_a_sign_or_unit_is_never_dropped_and_what_is_read_stays(load, seed):
    rng = random.Random(f"{seed} signs")
    pair = Pair.__new__(Pair)
    pair.plain, pair.adapted, pair.counts = load(CHOICES), load(CHOICES), Counter()
    knitbone.adapt(pair.adapted.handle)
    for _ in range(12):
        level = rng.choice(NO_LEVEL)
        written_level = (
            level if rng.random() < 0.3 and level.lstrip("-").isdigit() else f'"{level}"'
        )
        pair.check(enclosed(f'{{"level": {written_level}, "share": 0.5, "kept": "1"}}', rng))
        # What pydantic reads is the same behind a repair: a text stays a text.
        plain = f'{{"level": 5, "share": "{rng.choice(("0.5", "1e-3", "-2"))}", "kept": "007"}}'
        pair.check(enclosed(plain, rng), outcome(pair.plain, plain))
