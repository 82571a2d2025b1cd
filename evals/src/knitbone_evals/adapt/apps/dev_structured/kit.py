"""Faults that the structured applications share: around, in, and of the values of an answer."""

import json
import re

from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT, WRAPPER


def wrapped(name, before="", after="", **more):
    """A fault that puts text before and after the answer."""
    return on_text(
        name, "template", lambda text, _rng: before + text.strip() + after, layer=WRAPPER, **more
    )


def replaced(name, pattern, new, defect="template", count=1, **more):
    """A fault that replaces the first ``count`` matches (0: all); ``^`` and ``$`` are of lines."""
    more.setdefault("layer", CONTENT)
    return on_text(
        name,
        defect,
        lambda text, _rng: re.sub(pattern, new, text, count=count, flags=re.MULTILINE),
        **more,
    )


def on_value(name, make, **more):
    """A fault of the whole JSON value: ``make(value, rng)`` gives the new one, or ``None``.

    An answer of several lines stays indented.
    """

    def change(text, rng):
        try:
            value = json.loads(text)
        except ValueError:
            return None
        new = make(value, rng)
        if new is None:
            return None
        return json.dumps(new, indent=2 if "\n" in text else None, ensure_ascii=False)

    return on_text(name, "template", change, layer=CONTENT, **more)


def field(name, key, make, **more):
    """A fault of one field of the JSON object: ``make(value, rng)`` gives the new value, or
    ``None``."""

    def change(value, rng):
        if not isinstance(value, dict) or key not in value:
            return None
        new = make(value[key], rng)
        return None if new is None else {**value, key: new}

    return on_value(name, change, **more)


def named(faults, *names):
    """The faults of these names, in their own order."""
    return tuple(fault for fault in faults if fault.name in names)
