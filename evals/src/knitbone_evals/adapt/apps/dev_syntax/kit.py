"""Short forms for the faults of the applications here."""

import re

from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import WRAPPER


def syntax(name, change, **more):
    """A fault of the language that the answer is written in."""
    return on_text(name, "syntax", change, **more)


def undetermined(name, change, **more):
    """A fault of the language that nobody can repair from the answer alone."""
    return on_text(name, "syntax", change, determined=False, **more)


def template(name, change, **more):
    """Something around the answer that was not asked for."""
    more.setdefault("layer", WRAPPER)
    return on_text(name, "template", change, **more)


def wrapped(form):
    """The answer in a form, at the place of ``{}``."""
    start, _, end = form.partition("{}")
    return lambda text, _: start + text + end


def replaced(old, new, count=-1):
    """One text for another, everywhere or in the first places."""
    return lambda text, _: text.replace(old, new, count)


def without_end(end):
    """The answer without its end; nothing where it ends otherwise."""
    return lambda text, _: text.removesuffix(end) if text.endswith(end) else None


def said(other):
    """Other words in place of the answer."""
    return lambda *_: other


def at_last(pattern, replacement):
    """The last match of a pattern in another form."""

    def change(text, _rng):
        matches = list(re.finditer(pattern, text))
        if not matches:
            return None
        match = matches[-1]
        return text[: match.start()] + match.expand(replacement) + text[match.end() :]

    return change


def at_first(pattern, replacement):
    """The first match of a pattern in another form."""
    return lambda text, _: re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
