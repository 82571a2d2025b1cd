"""Paraphrases: sentences that say the same in another construction.

``facts.difference`` wants the same words. Here the words may have other endings and the sentence
another build, as far as that is known to say the same: active and passive, ``the locks of the
door`` and ``the door locks``, ``milk and bread`` and ``bread and milk``, ``will open`` and
``opens``, a phrase in front or behind, and the words of ``rewording.py``. Each sentence is
brought into a few normal forms; two sentences say the same where they share one. Whatever is in
the one must be in the other: nothing is left over on either side. Who does what to whom, what
comes first, what is denied, and whether it is over are part of the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import msgspec

from knitbone.adaptation.text.commands import briefly, commanded, told
from knitbone.adaptation.text.facts import BREAK, Statement
from knitbone.adaptation.text.rewording import AUXILIARIES, GENERIC, TIMES, classes_of
from knitbone.adaptation.text.verbs import (
    BE,
    DENYING,
    OPENING,
    WILL,
    Times,
    is_adverb,
    read_verbs,
    read_word,
)
from knitbone.adaptation.text.wording import EMPTY, NUMBER_WORDS, same_word

__all__ = ["SentenceReading", "bases", "implies", "read_sense", "rephrases", "same_sense"]

_MAX_WORDS = 60
"""A longer sentence is compared word by word only."""
_MAX_FLIPS = 2
_MAX_ATTRIBUTE = 3
_MAX_PHRASES = 2
"""More phrases may belong to one another and keep their order."""
_POSSESSIVE = "'s"
_ANYONE = "\0agent"
"""Stands for who does it where a passive does not say."""
_MODALS = frozenset({"can", "could", "may", "might", "must", "should", "would"})
_WHEN = classes_of(("in", "on", "at", "until", "from", "since", "after", "before", "during"))
_CLAUSES = classes_of(("after", "before", "when", "while", "until", "since", "by", "without"))
_THROUGHOUT = classes_of(("during", "throughout"))
_WHICH = classes_of(("every", "next", "last", "this", "once", "twice"))
_SPANS = TIMES | classes_of(("day", "week", "month", "year", "hour", "quarter"))
_JOINING = frozenset({"and", "or"})
_ORDERED = classes_of(
    ("then", "first", "second", "finally", "before", "after", "not", "respectively")
)
_ATTACHING = frozenset({"of", "for", "in", "on", "at"})
"""``the lamp in the hall``, ``the hall lamp``."""
_NO_NOUNS = frozenset({BREAK, "of"}).union(OPENING, AUXILIARIES, GENERIC, _JOINING, DENYING, WILL)
_SILENT = _NO_NOUNS.union(classes_of(EMPTY), ("is", "are", "am", "were"))
_GOVERNING = classes_of(
    ("contain", "include", "have", "need", "offer", "provide", "cover", "improve", "support",
     "mean", "bring", "get", "buy", "sell", "invite", "reduce", "cause", "combine", "add", "use")
)  # fmt: skip
"""Verbs whose object may follow without an article. Of other words it is not known whether they
are one: in ``red apples and pears`` the order matters."""
_FEW = classes_of(
    ("few", "some", "half", "only", "many", "most", "several", "who", "which", "part")
)
_LOOSE = _ATTACHING.union({"by", _POSSESSIVE, BREAK, "be", "was", "should", "must", *GENERIC})
"""What a construction adds or leaves out."""

_Tokens: TypeAlias = "tuple[str, ...]"
_Form: TypeAlias = "tuple[_Tokens, tuple[_Tokens, ...], _Tokens]"


class SentenceReading(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence, as far as its construction does not matter."""

    keys: frozenset[tuple[str, ...]]
    """Two sentences that say the same share one."""
    forms: frozenset[_Form]
    """What stays in order, the phrases, and an adverb: one for each way to read it."""
    flipped: frozenset[_Form]
    """The same with ``the locks of the door`` as ``the door locks``, and as a command. They are for
    sentences that have it the short way: ``the council of the youth of the city`` is none of the
    ``youth``."""
    times: Times


def rephrases(one: Statement, other: Statement) -> bool:
    """Return whether two sentences say the same; their names have to be names in both."""
    if one.question != other.question:
        return False
    if one.capitals & other.plain or other.capitals & one.plain:
        return False
    first, second = read_sense(one), read_sense(other)
    return first is not None and second is not None and same_sense(first, second)


def implies(kept: Statement, gone: Statement) -> bool:
    """Return whether ``kept`` says what ``gone`` does, and who does it besides: ``The team
    approved the budget`` and ``The budget was approved``."""
    if kept.question or gone.question or gone.capitals & kept.plain or kept.capitals & gone.plain:
        return False
    full, short = read_sense(kept), read_sense(gone)
    if full is None or short is None or full.times != short.times:
        return False
    done = {(form[0][1:], *form[1:]) for form in short.forms if form[0][:1] == (_ANYONE,)}
    return any(
        (core[place:], *rest) in done
        for core, *rest in full.forms
        for place in range(1, len(core) - 1)
        if core[0] != _ANYONE and _names_agent(core[:place])
    )


def _names_agent(words: Sequence[str]) -> bool:
    """Return whether words before a verb say who does it, and not of how few it is true."""
    return all(map(_is_noun, words)) and _FEW.isdisjoint(words)


def bases(words: Iterable[str]) -> frozenset[str]:
    """Return words as written in base form, without those that a construction brings: two
    sentences that say the same share most. Far cheaper than ``read_sense``."""
    return frozenset(map(_written, words)) - _SILENT


@lru_cache(maxsize=8_192)
def _written(word: str) -> str:
    plain = word.casefold()
    return read_word(NUMBER_WORDS.get(plain, same_word(plain))).base


def same_sense(one: SentenceReading, other: SentenceReading) -> bool:
    """Return whether two sentences say the same, whatever is a name in them."""
    return (
        not one.keys.isdisjoint(other.keys)
        and one.times[:2] == other.times[:2]
        and (one.times == other.times or not _conflict(one.times, other.times))
        and not (
            one.forms.isdisjoint(other.forms | other.flipped)
            and one.flipped.isdisjoint(other.forms)
        )
    )


def _conflict(one: Times, other: Times) -> bool:
    """Return whether what is so in the one is still to come in the other."""
    return bool((one.coming and other.state) or (one.state and other.coming))


@lru_cache(maxsize=1_024)
def read_sense(claim: Statement) -> SentenceReading | None:
    """Return the normal forms of a sentence; ``None`` for one that is too long or says nothing."""
    if not 0 < len(claim.tokens) <= _MAX_WORDS:
        return None
    times, words = read_verbs([read_word(token) for token in claim.marked])
    tokens = _measured(told([word.base for word in words]))
    participles = frozenset(word.base for word in words if word.participle)
    acting = frozenset(word.base for word in words if word.past or word.participle)
    plain, *variants = _attributes(_join(tokens, acting), acting)
    forms = frozenset(_voices(plain, participles))
    brief = list(briefly(plain))
    flipped = {form for variant in (*variants, *brief) for form in _voices(variant, participles)}
    for core, phrases, adverbs in forms:
        flipped.update((said, phrases, adverbs) for said in commanded(core, _ANYONE))
    return SentenceReading(
        keys=frozenset(map(_key, (tokens, *brief))),
        forms=forms,
        flipped=frozenset(flipped),
        times=times,
    )


def _measured(tokens: list[str]) -> list[str]:
    """``a video of two minutes`` with the token of ``a two-minute video``."""
    for place, token in enumerate(tokens):
        count, _, noun = token.partition("-")
        if count.isdecimal() and noun.isalpha():
            tokens = [*tokens[:place], f"{count}-{read_word(noun).base}", *tokens[place + 1 :]]
    for place in range(len(tokens) - 2):
        number, unit = tokens[place + 1 : place + 3]
        if tokens[place] == "of" and number.isdecimal() and unit.isalpha():
            return [*tokens[: place + 1], f"{number}-{unit}", *tokens[place + 3 :]]
    return tokens


def _key(tokens: Iterable[str]) -> tuple[str, ...]:
    denials = {"never": "not"}
    return tuple(sorted(denials.get(word, word) for word in tokens if word not in _LOOSE))


def _attributes(tokens: list[str], acting: frozenset[str]) -> Iterator[list[str]]:
    """``the locks of the door``, ``the door's locks`` and ``the door locks`` as the last: first as
    it stands, then for a head of one word or two, and an attribute of one word (what follows may
    be the verb) or of all up to the next break."""
    plain = [token for token in tokens if token != _POSSESSIVE]
    places = [place for place, token in enumerate(plain) if token in _ATTACHING]
    choices = [(0, 0), *product((1, 2), (1, _MAX_ATTRIBUTE))]
    for chosen in product(choices, repeat=min(len(places), _MAX_FLIPS)):
        variant: list[str] | None = plain
        for place, (heads, most) in reversed(list(zip(places, chosen, strict=False))):
            if heads and variant is not None:
                variant = _flipped(variant, place, heads, most, acting)
        if variant is not None:
            yield variant


def _flipped(
    tokens: list[str], place: int, heads: int, most: int, acting: frozenset[str]
) -> list[str] | None:
    stop = place + 1
    while stop < len(tokens) and _is_noun(tokens[stop]):
        stop += 1
    head = tokens[max(0, place - heads) : place]
    nouns = all(map(_is_noun, head)) and acting.isdisjoint(head)
    if len(head) < heads or not nouns or not place + 1 < stop <= place + 1 + _MAX_ATTRIBUTE:
        return None
    stop = min(stop, place + 1 + most)
    return [*tokens[: place - heads], *tokens[place + 1 : stop], *head, *tokens[stop:]]


def _is_noun(token: str) -> bool:
    """Return whether it may be part of a name for a thing."""
    return token not in _NO_NOUNS


def _join(tokens: list[str], acting: frozenset[str]) -> list[str]:
    """``milk and bread`` as one token, whichever comes first: single words, between a verb or a
    preposition and an end."""
    if not _JOINING.intersection(tokens) or _ORDERED.intersection(tokens):
        return tokens
    done = list(tokens)
    for place in range(len(done) - 2, 1, -1):
        if place > len(done) - 2 or done[place] not in _JOINING:
            continue
        last = done[place + 1]
        stop = done[place + 2] if place + 2 < len(done) else BREAK
        start = place - 1 - (done[place - 1] == BREAK)
        items = [done[start], last]
        while start > 1 and done[start - 1] == BREAK and _is_noun(done[start - 2]):
            start -= 2
            items.append(done[start])
        before = done[start - 1] if start > 0 else BREAK
        ends = stop == BREAK or stop in OPENING or stop in AUXILIARIES
        opens = start == 1 or before in OPENING or before in BE or before in _GOVERNING
        if ends and opens and all(map(_is_noun, items)) and acting.isdisjoint(items):
            done[start : place + 2] = [f"{done[place]}({'|'.join(sorted(items))})"]
    return done


def _voices(tokens: list[str], participles: frozenset[str]) -> Iterator[_Form]:
    """Yield the sentence as it is, and as an active one where it is passive."""
    core, phrases, adverbs = _chunk(tokens)
    yield _form(core, phrases, adverbs)
    place = core.index("be") if "be" in core else -1
    if 0 < place < len(core) - 1 and core[place + 1] in participles:
        start = place
        while start > 0 and (core[start - 1] in _MODALS or core[start - 1] in DENYING):
            start -= 1
        agents = [phrase for phrase in phrases if phrase[0] == "by" and len(phrase) > 1]
        helpers, verb = core[start:place], core[place + 1]
        rest = [*helpers, verb, *core[:start], *core[place + 2 :]]
        yield _form([_ANYONE, *rest], phrases, adverbs)
        for agent in agents:
            others = [phrase for phrase in phrases if phrase is not agent]
            yield _form([*agent[1:], *rest], others, adverbs)
        active = _active(tokens, participles)
        if active is not None:
            yield _form(*_chunk(active))
    elif core and core[0] in GENERIC:
        yield _form([_ANYONE, *core[1:]], phrases, adverbs)
    elif len(core) > 1 and core[0] in participles:  # "Fixed the search."
        yield _form([_ANYONE, *core], phrases, adverbs)


def _active(tokens: list[str], participles: frozenset[str]) -> list[str] | None:
    """Return a passive sentence turned round as a whole: what stands behind who does it goes with
    them (``is caused by an old device on the network``)."""
    opened = tokens.index("be")
    verb = next((x for x in range(opened + 1, len(tokens)) if tokens[x] in participles), 0)
    by = tokens.index("by", verb) if "by" in tokens[verb:] else 0
    if not verb or by != verb + 1 or BREAK in tokens:
        return None
    between = tokens[opened + 1 : verb]
    return [*tokens[by + 1 :], *between, tokens[verb], *tokens[:opened]]


def _says_when(phrase: Sequence[str]) -> bool:
    """Return whether a phrase is over, comma or not: it says when."""
    opening, word = phrase[0], phrase[-1]
    if opening in _WHICH or opening in _THROUGHOUT:
        return word in _SPANS
    return opening in _WHEN and (word in TIMES or (word.isdecimal() and len(word) == 4))


def _form(core: Sequence[str], phrases: Sequence[_Tokens], adverbs: Sequence[str]) -> _Form:
    ordered = sorted(phrases) if len(phrases) <= _MAX_PHRASES else phrases
    return tuple(core), tuple(ordered), tuple(adverbs)


def _chunk(tokens: Sequence[str]) -> tuple[list[str], list[_Tokens], list[str]]:
    """Return what stays in order, the phrases (one that stands in front goes behind), and the
    adverb: of two, each stays where it is."""
    adverbs = [token for token in tokens if is_adverb(token)]
    if len(adverbs) != 1 or BREAK in tokens or not _JOINING.isdisjoint(tokens):
        adverbs = []
    core: list[str] = []
    phrases: list[_Tokens] = []
    front: list[_Tokens] = []
    phrase: list[str] | None = None
    ended = False
    left = [*(token for token in tokens if token not in adverbs), BREAK]
    for word, following in zip(left, [*left[1:], BREAK], strict=True):
        opens = word in OPENING or (word in _WHICH and following in _SPANS)
        begun = phrase is not None and len(phrase) > 1  # "in May": no auxiliary
        over = opens or word == BREAK or ended
        over = over or (begun and (word in AUXILIARIES or word in GENERIC))
        if over and phrase is not None:
            (phrases if core else front).append(tuple(phrase))
            phrase = None
        ended = False
        if opens:
            phrase = [word]
        elif word == BREAK:
            continue
        elif phrase is None:
            core.append(word)
        elif word != "you" or phrase[0] not in _CLAUSES or len(phrase) > 1:  # "before you eat"
            phrase.append(word)
            ended = _says_when(phrase)
    return core, [*phrases, *front], adverbs
