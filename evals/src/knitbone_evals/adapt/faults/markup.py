"""Broken XML, CSV and YAML."""

from __future__ import annotations

import random
import re

from knitbone_evals.adapt.faults.base import THINKING, WRAPPER, Fault, on_text

__all__ = ["CSV", "XML", "YAML", "concluded", "every", "fenced", "introduced", "once"]


def fenced(language: str):
    def change(text: str, _rng: random.Random) -> str | None:
        return f"```{language}\n{text.rstrip()}\n```"

    return change


def introduced(said: str):
    def change(text: str, _rng: random.Random) -> str | None:
        return f"{said}\n\n{text}"

    return change


def concluded(said: str):
    def change(text: str, _rng: random.Random) -> str | None:
        return f"{text.rstrip()}\n\n{said}"

    return change


def once(pattern: str, replacement: str):
    """One of the matches, by chance."""

    def change(text: str, rng: random.Random) -> str | None:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        if not found:
            return None
        match = rng.choice(found)
        return text[: match.start()] + match.expand(replacement) + text[match.end() :]

    return change


def every(pattern: str, replacement: str):
    def change(text: str, _rng: random.Random) -> str | None:
        return re.sub(pattern, replacement, text, flags=re.MULTILINE)

    return change


def _unescaped(text: str, _rng: random.Random) -> str | None:
    return text.replace("&amp;", "&")


def _root_open(text: str, _rng: random.Random) -> str | None:
    return re.sub(r"</\w+>\s*\Z", "", text)


XML: tuple[Fault, ...] = (
    THINKING,
    on_text("xml fence", "template", fenced("xml"), layer=WRAPPER),
    on_text("prose before xml", "template", introduced("Here is the XML:"), layer=WRAPPER),
    on_text("prose after xml", "template", concluded("This is the whole document."), layer=WRAPPER),
    on_text(
        "line before declaration",
        "syntax",
        lambda text, _: f'\n<?xml version="1.0"?>\n{text}',
        layer=WRAPPER,
    ),
    on_text("wrong closing tag", "syntax", once(r"</(?:text|seller|remark)>", "</net>")),
    on_text("tag not closed", "syntax", once(r"</(?:text|net|seller)>", "")),
    on_text("closing tag misspelt", "syntax", once(r"</positions>", "</postions>")),
    on_text("root not closed", "syntax", _root_open),
    on_text("ampersand not escaped", "syntax", _unescaped),
    on_text("attribute without quotes", "syntax", every(r'number="([^"]*)"', r"number=\1")),
    on_text("closing tag without slash", "syntax", once(r"</(net)>", r"<\1>")),
    on_text(
        "cut off in a tag",
        "syntax",
        lambda text, _: text[: text.rindex("<net>") + 6],
        determined=False,
    ),
)

CSV: tuple[Fault, ...] = (
    THINKING,
    on_text("csv fence", "template", fenced("csv"), layer=WRAPPER),
    on_text("prose before csv", "template", introduced("Here is the shelf:"), layer=WRAPPER),
    on_text("prose after csv", "template", concluded("Prices are without tax."), layer=WRAPPER),
    on_text(
        "semicolons",
        "template",
        lambda text, _: None if '"' in text or ";" in text else text.replace(",", ";"),
    ),
    on_text(
        "tabs for commas",
        "template",
        lambda text, _: None if '"' in text else text.replace(",", "\t"),
    ),
    on_text(
        "header in other case",
        "template",
        lambda text, _: text.replace("article,shelf,count,price", "Article,Shelf,Count,Price", 1),
    ),
    on_text(
        "header misspelt",
        "template",
        lambda text, _: text.replace("article,shelf,count,price", "article,shelf,cuont,price", 1),
    ),
    on_text(
        "spaces in the header",
        "template",
        lambda text, _: text.replace(
            "article,shelf,count,price", "article, shelf, count, price", 1
        ),
    ),
    on_text(
        "a rule under the header",
        "template",
        lambda text, _: text.replace("price\n", "price\n---,---,---,---\n", 1),
    ),
    on_text(
        "quotes lost",
        "template",
        lambda text, _: re.sub(r'"([^"\n]*,[^"\n]*)"', r"\1", text),
        determined=False,
        tolerated=True,
    ),
    on_text(
        "row cut off",
        "template",
        lambda text, _: text.rstrip()[: text.rstrip().rindex(",")],
        determined=False,
    ),
    on_text(
        "currency in the price",
        "template",
        once(r",(\d+\.\d+)$", r",\1 EUR"),
        determined=False,
        tolerated=True,
    ),
)

YAML: tuple[Fault, ...] = (
    THINKING,
    on_text("yaml fence", "template", fenced("yaml"), layer=WRAPPER),
    on_text(
        "prose before yaml",
        "template",
        introduced("Here is the deployment you described."),
        layer=WRAPPER,
    ),
    on_text(
        "prose after yaml", "template", concluded("Apply it with your usual tool."), layer=WRAPPER
    ),
    on_text("tabs for indentation", "syntax", every(r"^  ", "\t")),
    on_text(
        "no space after the colon", "syntax", once(r"^(name|image|replicas|command): ", r"\1:")
    ),
    on_text("one line too deep", "syntax", once(r"^(replicas|command|image):", r" \1:")),
    on_text("mapping lost its colon", "syntax", once(r"^(ports|env):$", r"\1")),
    on_text("quote not closed", "syntax", once(r'"$', "")),
    on_text(
        "list lost a space",
        "syntax",
        once(r"^  - (\d+)$", r"  -\1"),
        determined=False,
        tolerated=True,
    ),
    on_text(
        "key of the deployment missing", "template", once(r"^replicas: .*\n", ""), determined=False
    ),
)
