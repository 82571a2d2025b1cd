"""Faults that the applications with positional formats share: changes of lines and marks."""

import re

from knitbone_evals.adapt.faults import on_text


def replaced(name, pattern, new, *, flags=re.MULTILINE, count=0, **more):
    """A fault that replaces the first ``count`` matches (0: all); ``^`` and ``$`` are of lines."""
    return rewritten(
        name, lambda answer: re.sub(pattern, new, answer, count=count, flags=flags), **more
    )


def replaced_once(name, pattern, *news, **more):
    """A fault that replaces one match, drawn, by one of ``news``, drawn."""

    def change(answer, rng):
        found = list(re.finditer(pattern, answer, re.MULTILINE))
        if not found:
            return None
        match = rng.choice(found)
        new = match.expand(rng.choice(news))
        return answer[: match.start()] + new + answer[match.end() :]

    return on_text(name, "template", change, **more)


def rewritten(name, change, **more):
    """A fault that changes the whole answer: ``change(answer)`` gives the new one."""
    return on_text(name, "template", lambda answer, _rng: change(answer), **more)
