"""Texts that a string schema allows, plausible or awkward."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Sequence
from typing import Any

from knitbone.fuzzing.generate.field_families import family_of
from knitbone.fuzzing.generate.quoted_examples import quoted_examples
from knitbone.fuzzing.generate.text_values import FAMILIES
from knitbone.fuzzing.generate.text_variation import awkward_texts, mutate, random_text

__all__ = ["draw_string", "family_in", "strings"]

_MUTANTS = 3
"""Neighbours made of each example."""
_BASIC = ("", " ", "a", "0", "-1", "a" * 300, "\u00e9\u4e2d", "a\nb")
_EXACT: dict[str, tuple[str, ...]] = {
    "date": ("2024-01-31", "2024-02-29", "1970-01-01", "9999-12-31", "0001-01-01"),
    "date-time": ("2024-01-31T10:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    "time": ("10:00:00Z", "00:00:00Z", "23:59:59Z"),
    "duration": ("PT0S", "P1D", "PT1H30M"),
    "email": ("ann@example.com", "a.b+c@example.co"),
    "uri": ("http://localhost/", "https://example.com/a?b=c#d"),
    "uuid": ("550e8400-e29b-41d4-a716-446655440000", "00000000-0000-0000-0000-000000000000"),
    "ipv4": ("127.0.0.1", "0.0.0.0", "255.255.255.255"),  # noqa: S104 - a value, not a bind
    "ipv6": ("::1", "2001:db8::1"),
    "decimal": ("0", "1.5", "-1", "1000000"),
    "byte": ("", "YWJj", "AA=="),
}
"""Values of the formats that frameworks check."""


def strings(
    schema: dict[str, Any],
    name: str,
    paths: Sequence[str],
    documentation: str,
    rng: random.Random,
) -> tuple[list[str], list[str], list[str]]:
    """Texts worth trying in this field: the most basic, those it seems made for, all others."""
    if exact := _exact(schema):
        return exact, [], []
    examples = _examples(schema, documentation)
    mutants = [mutate(rng, text) for text in examples for _ in range(_mutants_of(text))]
    family = family_in(schema, name, documentation)
    made_for = [*examples, *mutants, *FAMILIES.get(family or "", ())]
    if family == "path":
        made_for += paths
    tiers = (_BASIC, made_for, awkward_texts(paths))
    basic, fitting, others = (_allowed(tier, schema, rng) for tier in tiers)
    return basic, fitting, others


def _mutants_of(example: str) -> int:
    """An example of several parts hides a format, and there is more of it to get wrong."""
    return _MUTANTS if example.isalnum() else _MUTANTS * 5


def draw_string(
    rng: random.Random,
    schema: dict[str, Any],
    name: str,
    paths: Sequence[str],
    documentation: str,
    *,
    odd: bool,
) -> str:
    """One text that the schema allows."""
    if exact := _exact(schema):
        return rng.choice(exact)
    examples = _examples(schema, documentation)
    family = family_in(schema, name, documentation)
    pools: list[Sequence[str]] = []
    if examples:
        pools += [examples, [mutate(rng, rng.choice(examples))]]
    if family is not None:
        pools.append(FAMILIES[family])
    if family == "path" and paths:
        pools.append(paths)
    if odd:
        pools += [awkward_texts(paths), [random_text(rng, longest=200)]]
    if not pools:
        pools = [("text", "abc", "Hello, world!", "two words", "1", "a,b,c"), ("Ann", "Oslo", "x")]
    text = rng.choice(rng.choice(pools))
    return (_allowed([text], schema, rng) or _allowed([*pools[0]], schema, rng) or [text])[0]


def _exact(schema: dict[str, Any]) -> list[str]:
    return list(_EXACT.get(str(schema.get("format")), ()))


def family_in(schema: dict[str, Any], name: str, documentation: str) -> str | None:
    """What a text field seems to hold, a key of ``FAMILIES``."""
    description = str(schema.get("description", ""))
    return family_of(name, description, schema.get("format"), documentation=documentation)


def _examples(schema: dict[str, Any], documentation: str) -> list[str]:
    given = [*schema.get("examples", ()), schema.get("default")]
    texts = [value for value in given if isinstance(value, str)]
    texts += quoted_examples(str(schema.get("description", "")))
    texts += quoted_examples(documentation)
    return list(dict.fromkeys(texts))


def _allowed(texts: Sequence[str], schema: dict[str, Any], rng: random.Random) -> list[str]:
    """The texts brought to the allowed length; where there is a pattern, those that match."""
    low, high = int(schema.get("minLength", 0)), schema.get("maxLength")
    fitted: list[str] = []
    for text in texts:
        grown = text if len(text) >= low else text + "x" * (low - len(text))
        fitted.append(grown if high is None else grown[: int(high)])
    unique = list(dict.fromkeys(fitted))
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        with contextlib.suppress(re.error):
            expression = re.compile(pattern)
            candidates = [*unique, *(random_text(rng, longest=20) for _ in range(50))]
            matching = [text for text in candidates if expression.search(text[:500])]
            # Where nothing matches, the texts are tried all the same: validation rejects them.
            return matching or unique
    return unique
