"""Which words of a request give which argument of a tool.

They are matched by kind, by the words around them (*three nights*, *from Rome*), by the argument's
own words in them (*high season*), and by order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from knitbone_evals.reader.documentation import Argument
from knitbone_evals.reader.forms import FORMS, singular
from knitbone_evals.reader.numbers import NUMBER
from knitbone_evals.reader.spans import Mention, spans_of, words_of
from knitbone_evals.reader.world import unit_of, world

__all__ = ["match"]

_FITS: Mapping[str, Mapping[str, float]] = {
    "date": {"year": 1.5, "date": 3, "moment": 2.5},
    "moment": {"moment": 3, "date": 2.5, "time": 1.5},
    "time": {"duration": 1.5, "time": 3, "moment": 2, "number": 0.5},
    "duration": {"duration": 3, "number": 1},
    "year": {"year": 3, "number": 1.5, "date": 1},
    "count": {
        "number": 2.5, "quantity": 1.5, "duration": 1.5, "code": 0.5, "amount": 0.5, "year": 0.5,
    },
    "quantity": {"amount": 0.9, "quantity": 3, "number": 1.5, "duration": 0.5},
    "amount": {"amount": 3, "number": 2, "quantity": 1.8},
    "percent": {"percent": 3, "number": 1},
    "ordinal": {"ordinal": 3, "number": 2, "code": 0.5},
    "currency": {"currency": 3, "amount": 1.5},
    "unit": {"unit": 3, "quantity": 1},
    "country": {"country": 3, "name": 1.2},
    "language": {"language": 3, "name": 1},
    "zone": {"zone": 3, "name": 2, "country": 1.8, "currency": 1},
    "place": {"zone": 2, "name": 2, "country": 1.5, "address": 1, "phrase": 0.5},
    "address": {"address": 3, "name": 2, "phrase": 0.8},
    "person": {"name": 2.5, "phrase": 0.4},
    "company": {"name": 2.5, "phrase": 0.3},
    "code": {"code": 3, "phone": 0.5, "quoted": 2, "number": 1.2, "name": 0.8, "phrase": 0.3},
    "phone": {"phone": 3, "number": 0.5, "code": 0.5},
    "path": {"path": 3, "quoted": 2, "code": 0.5, "phrase": 0.5, "name": 0.5},
    "colour": {"colour": 3, "path": 0.5, "phrase": 0.3},
    "list": {"list": 3, "name": 1, "phrase": 0.8, "quoted": 1.5, "colour": 0.5},
    "text": {"quoted": 3},
    "truth": {},
    "open": {
        "phrase": 1, "name": 1, "quoted": 1.5, "code": 1.05, "colour": 1.05, "currency": 1.05,
        "unit": 1.05, "country": 1.05, "language": 1.05, "address": 1.05, "date": 1.05,
        "time": 1.05, "amount": 1.05, "quantity": 1.05, "ordinal": 1.05, "number": 0.5,
        "path": 1.05, "list": 0.4, "duration": 1.05, "percent": 1.05,
    },
    "option": {"phrase": 1, "name": 0.5, "colour": 0.5, "quoted": 1.5, "unit": 0.3, "ordinal": 0.3},
    "size": {"phrase": 1, "name": 0.5, "quantity": 0.8},
    "plural": {"phrase": 1, "name": 0.7, "list": 0.5, "quoted": 1.5},
}  # fmt: skip
"""By kind of argument: how well a kind of words fits."""
_LEADS: Mapping[str, str] = {
    "from": "origin start source sender since begin first departure src old",
    "to": "destination end target recipient until last dst language currency new",
    "into": "target language currency",
    "in": "place city location country language currency unit season folder directory town zone",
    "at": "time place address start moment hour",
    "on": "date day moment arrival",
    "for": "guest duration nights recipient name customer person time length",
    "by": "author artist mode owner",
    "with": "ingredients toppings attendees content text",
    "under": "name group folder",
    "since": "since from start",
    "until": "until end",
    "named": "name path file folder title",
    "called": "name path file folder title",
    "as": "name status title new",
    "of": "name author company",
}
"""Words that lead to an argument, by words of its name."""
_ENOUGH_REQUIRED = 0.3
_ENOUGH = 1.75
"""Score from which words are taken for an argument; an optional one may as well stay away."""
_SHARED = frozenset({"amount", "currency", "quantity", "unit"})
"""Kinds of arguments that the same words may give: an amount and its currency."""
_NUMERIC = frozenset({"ordinal", "percent", "duration", "amount", "quantity", "year"})
"""Kinds that stay what they are where the schema asks for a number."""


_KINDS_OF_SPANS = {"name": "person", "phrase": "option", "quoted": "text", "number": "count"}
"""Of an argument of which nothing is known: the kind whose forms its words are given."""
_TEXT_LEADS = re.compile(
    r":\s+(\S.*?)[.?!]?\s*\Z|\b(?:saying|says|reading|remind me to|remind me (?:about|of)|that)\s+"
    r"(\S.*?)[.?!]?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_DIRECTED = frozenset({"from", "to", "into", "since", "until"})
"""Words whose argument no other one is likely to be."""
_STEM = 5
"""Characters in which words are alike that are of one stem."""
_DIMENSIONS = {
    "weight": "weight", "mass": "weight", "height": "length", "distance": "length",
    "length": "length", "width": "length", "depth": "length", "area": "area", "volume": "volume",
    "temperature": "temperature", "speed": "speed",
}  # fmt: skip


class _Offer(NamedTuple):
    score: float
    argument: Argument
    span: Mention


def match(
    arguments: Sequence[Argument],
    request: str,
    choices: Mapping[str, Sequence[str]],
    about: str,
) -> dict[str, tuple[str, str]]:
    """By argument, the words of the request that give it, and the kind of their value.

    Args:
        choices: by argument, the only values it takes, where they are stated.
        about: the tool's name and description.
    """
    given: dict[str, tuple[str, str]] = {}
    for argument in arguments:
        choice = _choice_said(choices.get(argument.name, ()), request)
        if choice is not None and argument.kind != "truth":
            given[argument.name] = (choice, argument.kind)
    taken: list[tuple[Argument, Mention]] = []
    for offer in _offers([a for a in arguments if a.name not in given], request, about):
        argument, span = offer.argument, offer.span
        least = _ENOUGH_REQUIRED if argument.required else _ENOUGH
        if argument.name in given or offer.score < least or not _is_free(argument, span, taken):
            continue
        given[argument.name] = _given(argument, span)
        taken.append((argument, span))
    for argument in arguments:
        if argument.required and argument.kind == "text" and argument.name not in given:
            given[argument.name] = (_text(request, taken), "text")
    return given


def _offers(arguments: Sequence[Argument], request: str, about: str) -> list[_Offer]:
    """The fitting pairs of argument and words, the best first."""
    named = _names_of(arguments)
    timed = any(argument.kind == "time" for argument in arguments)
    told = {singular(word) for word in words_of(about)}
    spans = spans_of(request)
    if _takes_units_apart(arguments):
        spans = [part for span in spans for part in _parts(span)]
    starts = {span.start for span in spans}
    offers: list[_Offer] = []
    for argument in arguments:
        for span in spans:
            score = _score(argument, span, named)
            inside = {singular(word) for word in words_of(span.text)}
            # It may only say which tool or argument is meant: *reference* INV-2291.
            leads = bool(starts & {span.end + 1, span.end + 2})
            if span.kind == "phrase" and inside <= told | set[str]().union(*named.values()):
                score -= 1.2 if leads or not inside & named[argument.name] else 0.0
            if span.kind == "phrase" and _opens(request, span):
                score -= 0.6
            if span.kind == "moment" and argument.kind == "date" and not timed:
                score += 1.0
            if score > 0:
                offers.append(_Offer(score, argument, span))
    order = {argument.name: place for place, argument in enumerate(arguments)}
    # Earlier arguments get earlier words where nothing else decides.
    offers.sort(key=lambda o: (-round(o.score, 3), order[o.argument.name], o.span.start))
    return offers


def _takes_units_apart(arguments: Sequence[Argument]) -> bool:
    """Whether an amount and its unit are arguments of their own."""
    units = {"unit", "currency"}
    pairs = {"source", "target", "from", "to"}
    return any(a.kind in units or pairs & set(words_of(a.name)) for a in arguments) and any(
        a.kind in ("amount", "quantity", "count") for a in arguments
    )


def _parts(span: Mention) -> list[Mention]:
    """A quantity or an amount as its number and its unit."""
    found = re.search(NUMBER, span.text, re.IGNORECASE)
    if span.kind not in ("quantity", "amount") or found is None:
        return [span]
    unit = (span.text[: found.start()] + span.text[found.end() :]).strip()
    start = span.start + span.text.index(unit)
    kind = "unit" if span.kind == "quantity" else "currency"
    number = span._replace(text=found[0], kind="number", end=span.start + found.end())
    number = number._replace(
        start=span.start + found.start(), behind=(*words_of(unit), *span.behind)
    )
    return [number, span._replace(text=unit, kind=kind, start=start, end=start + len(unit))]


def _opens(request: str, span: Mention) -> bool:
    """Whether words begin a sentence, where its verb mostly stands."""
    return bool(
        re.search(
            r"(?:\A|[.!?]\s)\s*(?:please\s+|can you\s+|i(?: want|'d like| need) to\s+)?\Z",
            request[: span.start],
            re.IGNORECASE,
        )
    )


def _given(argument: Argument, span: Mention) -> tuple[str, str]:
    """The words that a span gives an argument, and the kind of their value."""
    if argument.kind == "date" and span.kind == "moment":
        return span.text, "moment"
    if argument.kind != "open":
        return span.text, argument.kind
    own = {singular(word) for word in words_of(argument.name)}
    inside = [singular(word) for word in words_of(span.text)]
    if span.kind == "phrase" and len(inside) == 1 and _is_stem(own, inside[0]):
        # *Express* says yes to an argument of that name, *not express* no.
        denied = next((w for w in span.before[-2:] if w in ("no", "not", "without")), "")
        return f"{denied} {span.text}".strip(), "truth"
    kind = _KINDS_OF_SPANS.get(span.kind, span.kind)
    return span.text, kind if kind in FORMS else "text"


def _is_free(argument: Argument, span: Mention, taken: Sequence[tuple[Argument, Mention]]) -> bool:
    return all(
        span.end <= other.start
        or span.start >= other.end
        or (argument.kind != owner.kind and {argument.kind, owner.kind} <= _SHARED)
        for owner, other in taken
    )


def _names_of(arguments: Sequence[Argument]) -> dict[str, frozenset[str]]:
    """By argument, the words of its name that no other argument has."""
    words = {a.name: {singular(word) for word in words_of(a.name)} for a in arguments}
    return {
        name: frozenset(own - set[str]().union(*(w for n, w in words.items() if n != name)) or own)
        for name, own in words.items()
    }


def _score(argument: Argument, span: Mention, named: Mapping[str, frozenset[str]]) -> float:
    fit = _fit(argument, span)
    if fit <= 0:
        return 0.0
    own = named[argument.name]
    others = set[str]().union(*(words for name, words in named.items() if name != argument.name))
    inside = [singular(word) for word in words_of(span.text)]
    score = fit + _nearness(own, span, inside) + _lead(own, others, span)
    if span.before and singular(span.before[-1]) in others - own:
        score -= 1.0
    return score + _dimension(own, span)


def _dimension(own: frozenset[str], span: Mention) -> float:
    """What the unit of a quantity says for or against an argument: no height is in kilograms."""
    wanted = next((_DIMENSIONS[word] for word in own if word in _DIMENSIONS), None)
    if span.kind not in ("quantity", "amount") or wanted is None:
        return 0.0
    found = re.search(NUMBER, span.text, re.IGNORECASE)
    unit = unit_of(span.text[found.end() :].strip(" -")) if found else None
    if unit is None:
        return -2.0 if span.kind == "amount" else 0.0
    return 1.0 if world()["units"][unit][1] == wanted else -2.0


def _nearness(own: frozenset[str], span: Mention, inside: Sequence[str]) -> float:
    """What the argument's own words beside or in these say for them."""
    near = [singular(word) for word in (*reversed(span.before), *span.behind)]
    direct = {*near[:1], *(singular(word) for word in span.behind[:1])} if near else set[str]()
    score = 0.0
    for word in own:
        if word in direct:
            score += 2.0
        elif word in near:
            score += 1.0
        elif any(_is_stem({word}, each) for each in inside) and span.kind in ("phrase", "name"):
            score += 1.5
    return score


def _is_stem(own: frozenset[str] | set[str], word: str) -> bool:
    """Whether a word begins like one of the argument's: *delivered* for *delivery*."""
    return any(
        word == each or (len(word) >= _STEM <= len(each) and word[:_STEM] == each[:_STEM])
        for each in own
    )


def _lead(own: frozenset[str], others: set[str], span: Mention) -> float:
    """What a preposition before the words says for or against an argument."""
    for word in reversed(span.before[-2:]):
        if word in _LEADS:
            led = {singular(each) for each in _LEADS[word].split()}
            if led & own:
                return 1.5
            return (
                -1.0 if word in ("from", "to", "into", "since", "until") and led & others else 0.0
            )
    return 0.0


def _fit(argument: Argument, span: Mention) -> float:
    if argument.type in ("integer", "number") and argument.kind not in _NUMERIC:
        return _FITS["count"].get(span.kind, 0.0)
    return _FITS.get(argument.kind, _FITS["open"]).get(span.kind, 0.0)


def _text(request: str, taken: Sequence[tuple[Argument, Mention]]) -> str:
    """What the request says behind a word that leads to a text, or apart from what is taken."""
    text = request
    for _, span in sorted(taken, key=lambda pair: -pair[1].start):
        text = text[: span.start] + text[span.end :]
    text = re.sub(r"\s+(?:in|on|at|to|for|from|by|with|and|of)\s*(?=[,.?!:]|\Z)", "", text)
    led = _TEXT_LEADS.search(text)
    said = next((group for group in led.groups() if group), "") if led else ""
    return said or text.strip(" ,.?!:") or request


def _choice_said(choices: Sequence[str], request: str) -> str | None:
    """The choice that stands in the request, the longest of several."""
    for choice in sorted(choices, key=len, reverse=True):
        spoken = r"[\s_-]".join(re.escape(part) for part in re.split(r"[\s_-]", choice))
        if len(choice) > 1 and re.search(
            rf"(?<!\w){spoken}(?:s|es)?(?!\w)", request, re.IGNORECASE
        ):
            return choice
    return None
