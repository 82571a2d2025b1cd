"""A Markdown report with sections and lists."""

import re

from knitbone_evals.adapt.apps.dev_lexical.common import of_turn, one_bullet, spec
from knitbone_evals.adapt.cases import Base, case_of

SPEC = spec("board_report", "publish", "task management")
TITLES = ("Overview", "Repairs", "Rents", "Staff", "Outlook", "Tenants", "Energy")
ITEMS = (
    "Four lifts were replaced in March",
    "Arrears fell to two percent",
    "Two caretakers retired",
    "The roof of block C leaks again",
    "Heating costs rose by a tenth",
    "Solar panels feed the stairwells",
    "The waiting list has ninety names",
    "Tenants asked for more bicycle stands",
    "The new software went live in May",
    "An auditor visited twice",
    "Empty flats are let within ten days",
    "Paint work is planned for autumn",
    "The laundry room got new dryers",
    "Winter damage was small",
    "Parking fees stay the same",
    "Block D was insulated",
)
LEADS = (
    "The quarter was calm.",
    "Most works are on schedule.",
    "Figures are compared with last year.",
    "Details follow.",
)


def of(figures, text, slots=None, note=""):
    return Base(
        inputs={"figures": figures},
        outputs=(text,),
        expected={"format": "markdown", "source": text.rstrip() + "\n"},
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    count = rng.choice((3, 4))
    titles = rng.sample(TITLES, count)
    items = rng.sample(ITEMS, 3 * count)
    mark = rng.choice(("- ", "* ", "1. ", "- **"))
    parts = []
    for place, title in enumerate(titles):
        mine = items[3 * place : 3 * place + 3]
        if mark == "1. ":
            lines = [f"{number}. {item}" for number, item in enumerate(mine, 1)]
        elif mark == "- **":
            lines = ["- **{}** {}".format(*item.split(" ", 1)) for item in mine]
        else:
            lines = [mark + item for item in mine]
        parts.append(
            f"## {title}\n\n"
            + (rng.choice(LEADS) + "\n\n" if rng.random() < 0.4 else "")
            + "\n".join(lines)
        )
    return of(
        {"q": rng.randrange(1, 5), "rent": rng.randrange(900)},
        "\n\n".join(parts) + rng.choice(("", "\n")),
        {"titles": titles, "mark": mark},
    )


def head(form, which):
    def change(text, _base, rng):
        found = list(re.finditer(r"^## (.+)$", text, re.MULTILINE))
        match = found[-1 if which == "last" else rng.randrange(1, len(found))]
        return text[: match.start()] + form(match.group(1)) + text[match.end() :]

    return change


def one_number(form):
    def change(text, base, rng):
        if base.slots["mark"] != "1. ":
            return None
        found = list(re.finditer(r"^(\d)\. ", text, re.MULTILINE))
        match = found[rng.randrange(1, len(found))]
        return text[: match.start()] + form.format(match.group(1)) + text[match.end() :]

    return change


def section_numbers(form):
    def change(text, base, _rng):
        if base.slots["mark"] != "1. ":
            return None
        cut = text.rindex("## ")
        return text[:cut] + re.sub(
            r"^(\d)\. ", lambda match: form.format(match.group(1)), text[cut:], flags=re.MULTILINE
        )

    return change


def section_bullets(new):
    def change(text, base, _rng):
        mark = base.slots["mark"][:2]
        if mark == "1." or new == mark:
            return None
        cut = text.rindex("## ")
        return text[:cut] + re.sub("^" + re.escape(mark), new, text[cut:], flags=re.MULTILINE)

    return change


def one(new):
    def change(text, base, rng):
        mark = base.slots["mark"][:2]
        return None if mark == "1." else one_bullet(new, mark)(text, base, rng)

    return change


def indented(text, base, _rng):
    mark = base.slots["mark"][:2]
    if mark == "1.":
        return None
    cut = text.rindex("## ")
    return text[:cut] + re.sub("^" + re.escape(mark), "  " + mark, text[cut:], flags=re.MULTILINE)


FAULTS = (
    of_turn("a bold heading", 0, head(lambda title: f"**{title}**", "any")),
    of_turn("an underlined heading", 0, head(lambda title: f"{title}\n" + "-" * len(title), "any")),
    of_turn("heading with closing hashes", 0, head(lambda title: f"## {title} ##", "any")),
    of_turn("last heading bold with colon", 0, head(lambda title: f"**{title}:**", "last")),
    of_turn("one heading bold inside", 0, head(lambda title: f"## **{title}**", "any")),
    of_turn("heading without space", 0, head(lambda title: f"##{title}", "any")),
    of_turn("one number with parenthesis", 0, one_number("{0}) ")),
    of_turn("one bold number", 0, one_number("**{0}.** ")),
    of_turn("last section numbered with parentheses", 0, section_numbers("{0}) ")),
    of_turn("last section with dots", 0, section_bullets("• ")),
    of_turn("last section with stars/plus", 0, section_bullets("+ ")),
    of_turn("one en dash", 0, one("\u2013 ")),
    of_turn("one dot", 0, one("• ")),
    of_turn("one square", 0, one("▪ ")),
    of_turn("last section's bullets indented", 0, indented),
    of_turn(
        "foreign item",
        0,
        lambda text, base, rng: (
            text.rstrip()
            + "\n"
            + {"1. ": "4. "}.get(base.slots["mark"], base.slots["mark"][:2])
            + rng.choice(
                (
                    "Die Mieten bleiben im nächsten Jahr unverändert",
                    "Les loyers restent inchangés l'année prochaine",
                    "明年租金保持不变",
                )
            )
        ),
        determined=False,
    ),
)
TRAPS = (
    (
        "nested lists with other signs",
        (
            "## Repairs\n\n"
            "- Roof\n"
            "  * tiles\n"
            "  * gutters\n"
            "- Lifts\n"
            "  * block A\n\n"
            "## Rents\n\n"
            "- Two percent"
        ),
    ),
    (
        "numbers here, bullets there",
        "## Steps\n\n1. Call\n2. Sign\n3. Move in\n\n## Notes\n\n- Keep the keys\n- Read the meter",
    ),
    (
        "title then sections",
        "# Report\n\n## Repairs\n\n- Roof\n\n### Block C\n\n- Leaks\n\n## Rents\n\n- Fine",
    ),
    (
        "code block with stars",
        "## Export\n\n- Run this\n\n```\n* a\n+ b\n1) c\n```\n\n## Rents\n\n- Fine\n- Good",
    ),
    (
        "bold lead words",
        (
            "## Repairs\n\n"
            "**Note:** the roof leaks.\n\n"
            "- Roof\n"
            "- Lift\n\n"
            "**Cost**\n\n"
            "Ten thousand in all."
        ),
    ),
    (
        "table and rule",
        "## Rents\n\n| a | b |\n|---|---|\n| * | - |\n\n---\n\n## Staff\n\n- One\n- Two",
    ),
    ("ratings", "## Rents\n\n* * * (three stars)\n\n- Fine\n- Good\n- Better"),
    ("tasks", "## To do\n\n- [ ] Roof\n- [x] Lift\n- [ ] Paint"),
    (
        "legal numbers",
        "## Rules\n\n1) applies to tenants; 2) applies to owners.\n\n1. Pay\n2. Sign",
    ),
)


def extra(_rng):
    for note, text in TRAPS:
        yield case_of(SPEC, of({"q": 1}, text, note=note))
