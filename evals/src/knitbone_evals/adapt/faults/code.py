"""SQL and Python that a parser rejects, and fences that are not as the code looks for them."""

from __future__ import annotations

import random
import re

from knitbone_evals.adapt.faults.base import THINKING, WRAPPER, Fault, on_text
from knitbone_evals.adapt.faults.markup import concluded, every, fenced, introduced, once

__all__ = ["PYTHON", "SQL"]


def _last(pattern: str, replacement: str):
    def change(text: str, _rng: random.Random) -> str | None:
        found = list(re.finditer(pattern, text))
        if not found:
            return None
        match = found[-1]
        return text[: match.start()] + match.expand(replacement) + text[match.end() :]

    return change


SQL: tuple[Fault, ...] = (
    THINKING,
    on_text("sql fence", "template", fenced("sql"), layer=WRAPPER),
    on_text("prose before sql", "template", introduced("Here is the query:"), layer=WRAPPER),
    on_text(
        "prose after sql",
        "template",
        concluded("This query joins the two tables as needed."),
        layer=WRAPPER,
    ),
    on_text("prompt before sql", "template", lambda text, _: f"sqlite> {text}", layer=WRAPPER),
    on_text("comma before from", "syntax", once(r"\s+FROM\b", r", FROM")),
    on_text("parenthesis lost", "syntax", once(r"\((\w+|\*)\)", r"(\1")),
    on_text("typographic quotes in sql", "syntax", every(r"'([^']*)'", r"‘\1’")),  # noqa: RUF001
    on_text(
        "quote lost at the end",
        "syntax",
        lambda text, _: text[:-2] if text.endswith("';") else None,
    ),
    on_text("double ampersand", "syntax", every(r" AND ", " && ")),
    on_text("escaped underscore", "syntax", every(r"shop_id", r"shop\\_id")),
    on_text(
        "comma lost in sql",
        "syntax",
        once(r"(?<=\w), (?=\w+\.?\w* (?:FROM|AS))", " "),
        determined=False,
    ),
    on_text("unknown column", "syntax", every(r"\bamount\b", "quantity_sold"), determined=False),
    on_text(
        "sql cut off",
        "syntax",
        lambda text, _: text[: text.rindex(" ") + 1] if " " in text else None,
        determined=False,
    ),
)


def _body_off(text: str, _rng: random.Random) -> str | None:
    """The last line of the function one blank short of its block."""
    lines = text.split("\n")
    places = [
        place
        for place, line in enumerate(lines)
        if line.startswith("    return") and not lines[place - 1].endswith(":")
    ]
    if not places or len(places) > 1:
        return None
    lines[places[0]] = " " + lines[places[0]]
    return "\n".join(lines)


def _unindented(text: str, _rng: random.Random) -> str | None:
    """A function of one line, whose body stands at the margin."""
    if len(re.findall(r"^    ", text, re.MULTILINE)) != 1:
        return None
    return text.replace("\n    ", "\n", 1)


def _bare(text: str, _rng: random.Random) -> str | None:
    inner = re.fullmatch(r"```python\n(.*)\n```", text, re.DOTALL)
    return inner.group(1) if inner else None


PYTHON: tuple[Fault, ...] = (
    on_text("fence with a capital", "template", every(r"```python", "```Python"), layer=WRAPPER),
    on_text("fence with a short tag", "template", every(r"```python", "```py"), layer=WRAPPER),
    on_text("fence without a tag", "template", every(r"```python", "```"), layer=WRAPPER),
    on_text(
        "fence not closed", "template", lambda text, _: text.removesuffix("\n```"), layer=WRAPPER
    ),
    on_text("no fence", "template", _bare, layer=WRAPPER),
    on_text("tildes for a fence", "template", every(r"```", "~~~"), layer=WRAPPER),
    on_text("colon lost", "syntax", once(r"(?<=[\w\)\]]):$", "")),
    on_text("bracket lost", "syntax", _last(r"[)\]]\n```", "\n```")),
    on_text("typographic quotes in code", "syntax", every(r'"([^"\n]*)"', r"“\1”")),
    on_text("return indented too far", "syntax", _body_off),
    on_text("body not indented", "syntax", _unindented),
    on_text("double ampersand in code", "syntax", every(r" and ", " && ")),
    on_text(
        "code cut off",
        "syntax",
        lambda text, _: text[: text.rindex("return") + 6] + " (\n```",
        determined=False,
    ),
)
