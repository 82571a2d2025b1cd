"""A Markdown table with numbers, and yes or no."""

from knitbone_evals.adapt.apps.dev_structured.kit import replaced
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="menu_table", half="dev_structured", domain="context QA", function="board")
DISHES = (
    "Lentil soup",
    "Beef stew",
    "Tofu bowl",
    "Fish & chips",
    "Crème brûlée",
    "Penne all'arrabbiata",
)


def draw(rng):
    return [
        [
            dish,
            rng.randint(120, 1400),
            rng.choice((3.5, 12, 24.0, 31, 7)),
            rng.choice(("yes", "no")),
        ]
        for dish in rng.sample(DISHES, rng.randint(1, 5))
    ]


def write(rows):
    return "\n".join(
        [
            "| Dish | Calories | Protein (g) | Vegan |",
            "|---|---|---|---|",
            *("| " + " | ".join(map(str, row)) + " |" for row in rows),
        ]
    )


def of(rows, note="", text=None):
    return Base(
        inputs={"dishes": ["soup"]},
        outputs=(text or write(rows),),
        expected={
            "lines": [f"{row[0]} - {row[1]} kcal" for row in rows],
            "protein": sum(float(row[2]) for row in rows),
            "vegan": [row[0] for row in rows if row[3] == "yes"],
            "not": [row[0] for row in rows if row[3] == "no"],
        },
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng))


FAULTS = (
    replaced("calories with unit", r"^(\| [^|]+ \| \d+) \|", r"\1 kcal |"),
    replaced("calories with unit everywhere", r"^(\| [^|]+ \| \d+) \|", r"\1 kcal |", count=0),
    replaced("calories with thousands", r"^(\| [^|]+ \| \d)(\d{3}) \|", r"\1,\2 |"),
    replaced("calories about", r"^(\| [^|]+ \| )(\d+) \|", r"\1~\2 |"),
    replaced("calories as range", r"^(\| [^|]+ \| \d+) \|", r"\1-2000 |", determined=False),
    replaced("protein with g", r"(\| [\d.]+) (\| (?:yes|no))", r"\1 g \2"),
    replaced("protein with g glued", r"(\| [\d.]+) (\| (?:yes|no))", r"\1g \2", count=0),
    replaced(
        "vegan capital", r"\| (yes|no) \|$", lambda match: f"| {match[1].capitalize()} |", count=0
    ),
    replaced(
        "vegan check marks",
        r"\| (yes|no) \|$",
        lambda match: "| ✓ |" if match[1] == "yes" else "| ✗ |",
        count=0,
        determined=False,
        tolerated=True,
    ),
    replaced("vegan bold", r"\| (yes|no) \|$", r"| **\1** |"),
    replaced(
        "header other case",
        r"\| Dish \| Calories \| Protein \(g\) \| Vegan \|",
        "| dish | calories | protein (g) | vegan |",
    ),
    replaced(
        "header bold",
        r"\| Dish \| Calories \| Protein \(g\) \| Vegan \|",
        "| **Dish** | **Calories** | **Protein (g)** | **Vegan** |",
    ),
    replaced(
        "header with unit", r"Calories \|", "Calories (kcal) |", determined=False, tolerated=True
    ),
    replaced(
        "no outer bars",
        r"(?s)\A(.*)\Z",
        lambda match: "\n".join(line.strip("| ") for line in match[1].split("\n")),
    ),
    replaced("rule missing", r"^\|---.*\n", ""),
    replaced("number unknown", r"^(\| [^|]+ \|) \d+ \|", r"\1 unknown |", determined=False),
    replaced("cell missing", r" \| [\d.]+ (\| (?:yes|no))", r" \1", determined=False),
    replaced(
        "bold dish", r"^\| (\w[^|]*?) \| (\d)", r"| **\1** | \2", determined=False, tolerated=True
    ),
    replaced("total row", r"(?s)\A(.*)\Z", r"\1\n| **Total** | 3000 | 80 | |", determined=False),
)


def extra(rng):
    rows = draw(rng)
    yield case_of(
        SPEC,
        of(rows, "prose around is skipped", text="Here you go:\n\n" + write(rows) + "\n\nEnjoy!"),
    )
    rows = draw(rng)
    yield case_of(SPEC, of(rows, "fence is skipped", text="```markdown\n" + write(rows) + "\n```"))
    rows = draw(rng)
    yield case_of(
        SPEC,
        of(
            rows,
            "alignment",
            text=write(rows).replace("|---|---|---|---|", "|:-----|-----:|:---:|---|"),
        ),
    )
    rows = draw(rng)
    yield case_of(SPEC, of(rows, "padded", text=write(rows).replace(" | ", "    |  ")))
    rows = draw(rng)
    rows[0][0] = "No 5, yes, 300 kcal"
    yield case_of(SPEC, of(rows, "dish like a value"))
    rows = draw(rng)
    yield case_of(
        SPEC, of(rows, "indented", text="\n".join("  " + line for line in write(rows).split("\n")))
    )
    rows = draw(rng)[:1]
    yield case_of(SPEC, of([rows[0], rows[0]], "twice"))
