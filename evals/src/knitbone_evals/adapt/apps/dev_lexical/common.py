"""Faults of language and of consistent marks in the replies of a conversation."""

import re

from knitbone_evals.adapt.cases import AppSpec
from knitbone_evals.adapt.faults import Injected, fault
from knitbone_evals.adapt.pools import varied

MARK = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
"""``[colour|color]``: a spelling that depends on the country; see ``pools.varied``."""
LEAST = 3
"""So many items a list needs before one of them can stand out."""


def spec(name, function, domain="conversation"):
    """An application of this half."""
    return AppSpec(name=name, half="dev_lexical", domain=domain, function=function)


def foreign(name, inject):
    """A fault of language, which nobody can repair from the answer alone."""
    return fault(name, "lexical", determined=False)(inject)


def flip_one(marked, variety, rng):
    """One marked word in the other spelling; nothing where no word is marked."""
    places = list(MARK.finditer(marked))
    if not places:
        return None
    place = rng.choice(places)
    # A word may hold several marks: the whole word changes.
    start = marked.rfind(" ", 0, place.start()) + 1
    end = marked.find(" ", place.end())
    end = len(marked) if end < 0 else end
    return (
        varied(marked[:start], variety)
        + varied(marked[start:end], _other(variety))
        + varied(marked[end:], variety)
    )


def flip_all(marked, variety, _rng):
    """All marked words in the other spelling; nothing where no word is marked."""
    return varied(marked, _other(variety)) if MARK.search(marked) else None


def _other(variety):
    return "us" if variety == "uk" else "uk"


def replaced(base, turn, reply):
    """The outputs with another reply in a turn; nothing where that changes nothing."""
    if reply is None or base.outputs[turn] == reply:
        return None
    return (*base.outputs[:turn], reply, *base.outputs[turn + 1 :])


def of_turn(name, turn, change, *, determined=True):
    """A fault of one reply, or of any (``turn`` is None): ``change(reply, base, rng)``."""

    def inject(base, rng):
        place = rng.randrange(len(base.outputs)) if turn is None else turn
        outputs = replaced(base, place, change(base.outputs[place], base, rng))
        return None if outputs is None else Injected(outputs=outputs, determined=determined)

    return fault(name, "lexical", determined=determined)(inject)


def of_marked(name, turn, change):
    """A fault of spelling in one reply: ``change(marked, variety, rng)``."""

    def inject(base, rng):
        reply = change(base.slots["marked"][turn], base.slots["variety"], rng)
        outputs = replaced(base, turn, reply)
        return None if outputs is None else Injected(outputs=outputs)

    return fault(name, "lexical")(inject)


def one_bullet(new, mark="- "):
    """One item of a list, not the first, with another mark: a change for ``of_turn``."""

    def change(reply, _base, rng):
        places = list(re.finditer("^( *)" + re.escape(mark), reply, re.MULTILINE))
        if mark == new or len(places) < LEAST:
            return None
        place = places[rng.randrange(1, len(places))]
        return reply[: place.start()] + place.group(1) + new + reply[place.end() :]

    return change
