"""The few names and codes of the world that the simulated reader knows.

Sources: ISO 3166-1, ISO 4217, ISO 639-1, IATA, the IANA time zones; units by their definitions.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

__all__ = ["country_of", "currency_of", "language_of", "named", "unit_of", "vocabulary", "world"]


@lru_cache(maxsize=1)
def world() -> dict[str, Any]:
    """The table that travels with the package."""
    return json.loads(
        resources.files("knitbone_evals.reader").joinpath("world.json").read_text("utf-8")
    )


@lru_cache(maxsize=8)
def vocabulary(group: str) -> tuple[str, ...]:
    """A group of English words that the patterns need."""
    text = resources.files("knitbone_evals.reader").joinpath("words.json").read_text("utf-8")
    return tuple(json.loads(text)[group].split())


def named(table: str, said: str) -> str | None:
    """The entry of a table for these words, whatever their case; an entry is its own."""
    return said if said in world()[table].values() else _folded(table).get(_bare(said))


def country_of(said: str) -> str | None:
    """The country's name in the table, from a name, a code or another name of it."""
    bare = _bare(said)
    return _folded("country_names").get(bare) or _countries().get(bare)


def currency_of(said: str) -> str | None:
    """The currency's code, from its code, sign or name."""
    return _currencies().get(_bare(said))


def language_of(said: str) -> str | None:
    """The language's code, from its code or the name of it or of a variety of it."""
    bare = _bare(said)
    languages = _folded("languages")
    if bare in languages.values():
        return bare
    return next((languages[word] for word in bare.split() if word in languages), None)


def unit_of(said: str) -> str | None:
    """The unit's name in the table, from an abbreviation, a plural or another spelling."""
    units = _units()
    bare = said.strip().rstrip(".")
    return units.get(bare) or units.get(bare.casefold()) or units.get(bare.casefold().rstrip("s"))


def _bare(said: str) -> str:
    bare = said.strip().rstrip(".").casefold()
    return bare.removeprefix("the ")


@lru_cache(maxsize=16)
def _folded(table: str) -> dict[str, str]:
    return {name.casefold(): entry for name, entry in world()[table].items()}


@lru_cache(maxsize=1)
def _countries() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, codes in world()["countries"].items():
        found |= {word.casefold(): name for word in (name, *codes)}
    return found


@lru_cache(maxsize=1)
def _currencies() -> dict[str, str]:
    found: dict[str, str] = {}
    for code, names in world()["currencies"].items():
        for word in (code, *names):
            found.setdefault(word.casefold(), code)
    return found


@lru_cache(maxsize=1)
def _units() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, (short, _, _, *others) in world()["units"].items():
        for word in (name, short, *others):
            found.setdefault(word, name)
            found.setdefault(word.casefold(), name)
    return found
