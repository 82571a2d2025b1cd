"""Records with words, blank lines and fences around them: read right, or left as they were.

Each reader is plain code that takes lines apart. Its records are drawn, and written as models write
them; what a trap holds beside them may change what they say, so nothing is to be left out.
"""

import importlib
import itertools
import random
import sys
from collections import Counter

import pytest

import knitbone

HEADER = """
import knitbone
ANSWER = ""
@knitbone.source
def ask(prompt):
    return ANSWER
"""
TABLE = """
def handle():
    rows = []
    for line in ask("A markdown table with the columns Item, Quantity and Price.").strip().split("\\n")[2:]:
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3:
            raise ValueError(line)
        rows.append((cells[0], int(cells[1]), float(cells[2])))
    return rows
"""  # noqa: E501 - programs as they are
NAMED = """
def handle():
    fields = {}
    for line in ask("Three lines: item, quantity, price.").splitlines():
        name, value = line.split(":", 1)
        fields[name.strip().lower()] = value.strip()
    return fields["item"], int(fields["quantity"]), float(fields["price"])
"""
ROWS = """
def handle():
    total = {}
    for line in ask("One line for each: item;quantity;price").strip().split("\\n"):
        item, quantity, price = line.split(";")
        total[item.strip()] = int(quantity) * float(price)
    return total
"""
ITEMS = ("rye loaves", "scones", "poppy rolls", "lemon cakes", "baguettes")


def table(records):
    lines = [f"| {item} | {quantity} | {price} |" for item, quantity, price in records]
    return "\n".join(["| Item | Quantity | Price |", "|---|---|---|", *lines])


def named(records):
    item, quantity, price = records[0]
    return f"Item: {item}\nQuantity: {quantity}\nPrice: {price}"


def rows(records):
    return "\n".join(f"{item};{quantity};{price}" for item, quantity, price in records)


READERS = {"table": (TABLE, table), "named lines": (NAMED, named), "rows": (ROWS, rows)}
ABOVE = (
    "Here is what you asked for:",
    "Here are the details of the order",
    "Sure, I have read the order and wrote it down.",
    "**The order at a glance**",
)
BELOW = (
    "Let me know if you need anything else!",
    "All of the goods are fresh from the oven.",
    "These are all items of the order.",
)


def decorated(text, rng):
    """The text as models write it."""
    above, below = rng.choice(ABOVE), rng.choice(BELOW)
    yield f"{above}\n\n{text}"
    yield f"{text}\n\n{below}"
    yield f"{above}\n\n```\n{text}\n```\n\n{below}"
    yield f"```text\n{text}\n```"
    yield text.replace("\n", "\n\n")
    yield f"{above}\n\n{text}\n\n{below}"


def traps(text, other, rng):
    """The text beside something that may change what it says."""
    yield f"{text}\n\nCorrection: this is what was meant instead.\n\n{other}"
    if ";" not in text:  # rows in two blocks are rows
        yield f"{text}\n\n{other}"
    yield f"Yesterday's order was like this, please do not use it.\n\n{text}"
    yield f"{text}\n\nThe last one is doubled, so make it 12 of them."
    yield f"I am not sure about this, the mail is unclear.\n\n{text}"
    yield f"{text}\n\n- three more of the same for Friday"
    yield f"For example, an order would look like this.\n\n{text}"


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def load(source):
        names.append(f"read_paragraphs_{len(names)}")
        (tmp_path / f"{names[-1]}.py").write_text(HEADER + source, encoding="utf-8")
        return importlib.import_module(names[-1])

    yield load
    for name in names:
        sys.modules.pop(name, None)


def outcome(module, answer):
    module.ANSWER = answer
    try:
        return module.handle()
    except (ValueError, KeyError, IndexError) as error:
        return type(error)


def drawn(rng):
    return [
        (item, rng.randint(1, 60), f"{rng.randint(1, 20)}.{rng.randint(10, 99)}")
        for item in rng.sample(ITEMS, rng.randint(1, 3))
    ]


@pytest.mark.parametrize(("name", "seed"), list(itertools.product(READERS, range(6))))
def test_words_around_records_are_left_out_where_they_say_nothing(load, name, seed):
    source, write = READERS[name]
    plain, adapted = load(source), load(source)
    knitbone.adapt(adapted.handle)  # in place
    rng = random.Random(seed)
    counts = Counter()
    text = write(drawn(rng))
    right = outcome(plain, text)
    assert not isinstance(right, type), text
    for answer in decorated(text, rng):
        made = outcome(adapted, answer)
        assert made in (right, outcome(plain, answer)), answer
        counts[made == right] += 1
    assert counts[False] <= 1, counts
    for answer in traps(text, write(drawn(rng)), rng):
        assert outcome(adapted, answer) == outcome(plain, answer), answer
