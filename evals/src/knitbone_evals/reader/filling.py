"""The arguments of a call, from a request: which words give which argument, in which form.

The words are matched by kind, by the words around them (*three nights*, *from Rome*) and by order.
The form is what the documentation states, else drawn from the habits of a real model.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import resources

from knitbone.record.events import Json
from knitbone_evals.reader.documentation import Argument, StatedForm, statement_of
from knitbone_evals.reader.forms import AS_SAID, FORMS, converted, singular, truth_of, write
from knitbone_evals.reader.matching import match
from knitbone_evals.reader.numbers import NUMBER, number_at, ordinal_of
from knitbone_evals.reader.spans import FUNCTION_WORDS, words_of
from knitbone_evals.reader.world import currency_of, unit_of

__all__ = ["Habits", "fill", "frozen_habits", "is_about", "nearest_choice", "number_in"]

Habits = Mapping[str, Mapping[str, float]]
"""By kind of value: form -> how often it was chosen."""


@lru_cache(maxsize=1)
def frozen_habits() -> Habits:
    """The table that was counted from a real model's calls, without what no form makes."""
    text = resources.files("knitbone_evals.reader").joinpath("habits.json").read_text("utf-8")
    return json.loads(text)["forms"]


def fill(
    arguments: Sequence[Argument],
    request: str,
    habits: Habits,
    rng_of: Callable[[str], random.Random],
    *,
    about: str = "",
    told: str = "",
) -> dict[str, Json]:
    """The arguments of one call.

    Args:
        about: the tool's name and description; its own words are no values.
        rng_of: from an argument's name to where its draws come from.
        told: what a failed call said; it is read like documentation.
    """
    stated = {
        a.name: statement_of(a, told if is_about(told, a, arguments) else "") for a in arguments
    }
    choices = {name: statement.choices for name, statement in stated.items()}
    given = match(arguments, request, choices, about)
    made: dict[str, Json] = {}
    for argument in arguments:
        words, kind = given.get(argument.name, (None, argument.kind))
        if words is None and argument.kind == "truth":
            said = _truth_said(argument, request)
            words = said if said is not None or not argument.required else "no"
        if words is None:
            continue
        rng = rng_of(argument.name)
        # A stated form of the day is the day's alone, also where a time was said.
        is_day = argument.kind == "date" and stated[argument.name].form is not None
        known = argument if is_day else argument._replace(kind=kind)
        made[argument.name] = _value(known, words, stated[argument.name], habits, rng)
    return made


def is_about(told: str, argument: Argument, arguments: Sequence[Argument]) -> bool:
    """Whether an error may be about an argument: it names it, or none."""
    names = {a.name for a in arguments if re.search(rf"(?<!\w){re.escape(a.name)}(?!\w)", told)}
    return bool(told) and (not names or argument.name in names)


# In which form


def _value(
    argument: Argument, words: str, stated: StatedForm, habits: Habits, rng: random.Random
) -> Json:
    if stated.choices and argument.kind != "truth":
        chosen = nearest_choice(words, stated.choices)
        words = rng.choice(stated.choices) if chosen is None else chosen
        return _typed(argument, words, words)
    core = _of_kind(argument, words)
    if stated.unit and argument.kind == "quantity":
        number = converted(core, stated.unit)
        if number is not None:
            return _typed(argument, number, words)
    form = stated.form or _drawn(argument.kind, core, habits, rng)
    text = write(argument.kind, form, core)
    if text is None:
        text = write(argument.kind, _drawn(argument.kind, core, habits, rng), core) or core
        if argument.kind == "date" and stated.form:
            # A form is asked for, and the day is not told: models make one up.
            text = write("date", "made up", core) or text
    return _typed(argument, text, words)


def _drawn(kind: str, words: str, habits: Habits, rng: random.Random) -> str:
    """A form that these words can take, as often as the real model chose it."""
    counted = habits.get(kind, {})
    possible = [
        f for f in FORMS.get(kind, ()) if f in counted and write(kind, f, words) is not None
    ]
    if not possible:
        return AS_SAID
    return rng.choices(possible, weights=[counted[form] for form in possible])[0]


def _of_kind(argument: Argument, words: str) -> str:
    """The part of the words that is of the argument's kind: the currency of an amount."""
    if argument.kind == "currency" and currency_of(words) is None:
        parts = [
            part
            for part in re.findall(r"[^\W\d_]+(?:\s[^\W\d_]+)*|[$€£]", words)
            if currency_of(part)
        ]
        return parts[0] if parts else words
    if argument.kind == "unit" and unit_of(words) is None:
        found = re.search(r"[A-Za-z°][\w\s/²°]*\Z", words)
        return found[0] if found else words
    return words


def _typed(argument: Argument, text: str, words: str) -> Json:
    """The text as the schema's type, where it can be."""
    if argument.type == "boolean" or (argument.kind == "truth" and argument.type != "string"):
        return truth_of(words)
    if argument.type == "array":
        return [part for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*", words) if part]
    if argument.type in ("integer", "number"):
        number = number_in(text)
        if number is None and (place := ordinal_of(text)) is not None:
            return place
        if number is not None:
            whole = argument.type == "integer" or number.is_integer()
            return int(number) if whole else number
    return text


def number_in(text: str) -> float | None:
    """The first number that a text holds."""
    found = re.search(NUMBER, text, re.IGNORECASE)
    number = number_at(text, found.start()) if found else None
    if found is None or number is None:
        return None
    return -number.value if text[: found.start()].endswith("-") else number.value


# Choices and truth values


def nearest_choice(words: str, choices: Sequence[str]) -> str | None:
    """The choice that words come nearest to; ``None`` where none has anything of them."""
    said = {singular(word) for word in words_of(words)} - FUNCTION_WORDS
    best, most = None, 0.0
    for choice in choices:
        meant = {singular(word) for word in words_of(choice)}
        shared = len(said & meant) / max(len(said | meant), 1)
        prefix = any(a.startswith(b) or b.startswith(a) for a in said for b in meant)
        score = shared or (0.1 if prefix else 0.0)
        if score > most:
            best, most = choice, score
    return best


def _truth_said(argument: Argument, request: str) -> str | None:
    """The words that say yes or no to an argument, where its name or what is said of it is met."""
    own = [
        w
        for w in words_of(argument.name)
        if w not in FUNCTION_WORDS and w not in ("is", "has", "include", "with", "only")
    ]
    for word in own:
        stem = re.escape(word[: max(4, len(word) - 2)])
        found = re.search(
            rf"(?:\S+\s+){{0,3}}\b{stem}\w*(?:\W+(?:yes|no|true|false|included|not))?",
            request,
            re.IGNORECASE,
        )
        if found:
            return found[0]
    return None
