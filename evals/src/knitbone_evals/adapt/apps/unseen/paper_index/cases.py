"""A report cut every 160 characters by LangChain's splitter: rows, items and code lines get cut."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="paper_index",
    half="unseen",
    domain="context QA",
    function="lookup",
    kind="splitter",
    feeds="report",
)
CHUNK = 160
RIVERS = {
    "Ebro": ("910", "Spain"),
    "Vistula": ("1047", "Poland"),
    "Loire": ("1006", "France"),
    "Glomma": ("621", "Norway"),
    "Douro": ("897", "Portugal"),
    "Elbe": ("1094", "Germany"),
    "Tiber": ("405", "Italy"),
    "Severn": ("354", "Wales"),
}
ITEMS = {
    "ladder": "- Fasten the ladder to the upper ring before the gauge is read",
    "sample": "- Keep each sample in the dark until the truck arrives",
    "battery": "- Replace the battery of the logger every second week",
    "valve": "- Close the valve a quarter turn when the lamp is red",
    "boat": "- Leave the boat on the left bank at high water",
}
CODE = {
    "def mean": "def mean(values):",
    "total =": "    total = sum(value for value in values if value is not None)",
    "return total": "    return total / max(1, len(values))",
    "print(": "print(round(mean(load('levels.csv')), 2), 'metres above sea')",
}
NOTES = (
    "Levels were read at noon.",
    "The gauge stands at the old bridge.",
    "Ice broke the cable twice.",
    "All lengths are in kilometres.",
    "Figures of spring are estimates.",
)


def row(river):
    length, country = RIVERS[river]
    return f"| {river} | {length} | {country} |"


def of_lines(lines, key, expected, note=""):
    return Base(inputs={"key": key}, outputs=("\n".join(lines),), expected=expected, note=note)


def table(rng, count):
    rivers = rng.sample(list(RIVERS), count)
    return rivers, ["| river | km | country |", "| --- | --- | --- |", *map(row, rivers)]


def base(rng, _pool):
    """A table that ends, padded, exactly at the border, and notes in the second chunk."""
    rivers, lines = table(rng, rng.randint(2, 4))
    river = rng.choice(rivers)
    length = len("\n".join(lines)) + 1
    lines[-1] = lines[-1][:-1] + " " * (CHUNK - length) + "|"
    lines += rng.sample(NOTES, rng.randint(1, 4))
    return of_lines(lines, river, [river, *RIVERS[river]])


FAULTS = ()


def border_cut(lines):
    """Places of the lines that a border cuts inside."""
    at, cut = 0, []
    for place, line in enumerate(lines):
        if any(at + 3 < border < at + len(line) - 3 for border in range(CHUNK, 2000, CHUNK)):
            cut.append(place)
        at += len(line) + 1
    return cut


def cut_tables(rng, count):
    while count:
        rivers, lines = table(rng, 6)
        place = rng.choice(border_cut(lines) or [0])
        if place < 2:
            continue
        count -= 1
        river = rivers[place - 2]
        yield of_lines(lines, river, [river, *RIVERS[river]]), "table row cut"


def cut_lines(rng, kind, name, count):
    while count:
        keys = list(kind)
        if name == "list item cut":
            rng.shuffle(keys)
        before = rng.sample(NOTES, rng.randint(0, 3))
        opening = ["```python"] if kind is CODE else []
        lines = [*before, *opening, *(kind[key] for key in keys), *(["```"] if opening else [])]
        hit = [i - len(before) - len(opening) for i in border_cut(lines)]
        hit = [i for i in hit if 0 <= i < len(keys)]
        if not hit:
            continue
        count -= 1
        key = keys[rng.choice(hit)]
        yield of_lines(lines, key, [kind[key].rstrip()]), name


def extra(rng):
    faulty = [
        *cut_tables(rng, 20),
        *cut_lines(rng, ITEMS, "list item cut", 14),
        *cut_lines(rng, CODE, "code line cut", 10),
    ]
    for built, name in faulty:
        yield case_of(SPEC, built, defects=("segmentation",), faults=(name,), repairable=True)
    short = of_lines(["| a | b |", "| --- | --- |", "| x | |"], "x", ["x", ""], "an empty cell")
    yield case_of(SPEC, short)
    pipes = of_lines(
        ["Use a | b to join.", "It ends with a dash -"],
        "join",
        ["Use a | b to join."],
        "a bar in prose",
    )
    yield case_of(SPEC, pipes)
