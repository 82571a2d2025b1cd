"""Whether two sentences say the same in another construction.

``facts.difference`` wants the same words. Here the words may have other endings and the sentence
another build, as far as that is known to say the same: active and passive, ``the locks of the
door`` and ``the door locks``, ``milk and bread`` and ``bread and milk``, ``will open`` and
``opens``, a phrase in front or behind, and the words of ``core/rewording.py``. Each sentence is
brought into a few normal forms; two sentences say the same where they share one. Whatever is in
the one must be in the other: nothing is left over on either side. Who does what to whom, what
comes first, what is denied, and whether it is over are part of the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

import msgspec

from knitbone.core.facts import BREAK, Claim
from knitbone.core.inflection import read_form
from knitbone.core.rewording import (
    ADVERBS,
    AUXILIARIES,
    GENERIC,
    NO_ADVERBS,
    TIMES,
    class_of,
    classes_of,
    turns,
)
from knitbone.core.wording import EMPTY, MOVABLE, NEGATIONS, NUMBER_WORDS, same_word

__all__ = ["Reading", "bases", "read_sense", "rephrases", "same_sense"]

_MAX_WORDS = 60
"""A longer sentence is compared word by word only."""
_MAX_FLIPS = 2
_MAX_ATTRIBUTE = 3
_MAX_PHRASES = 2
"""More phrases may belong to one another and keep their order."""
_POSSESSIVE = "'s"
_ANYONE = "\0agent"
"""Stands for who does it where a passive does not say."""
_BE = frozenset({"be", "was", "been"})
_MODALS = frozenset({"can", "could", "may", "might", "must", "should", "would"})
_WILL = classes_of(("will", "shall"))
_HAVE = classes_of(("have", "has", "had"))
_CAUSING = classes_of(("have", "get"))
_GETTING = classes_of(("get",))
_OPENING = classes_of(MOVABLE)
_DENYING = classes_of(NEGATIONS)
_WHEN = classes_of(("in", "on", "at", "until", "from", "since", "after", "before", "during"))
_CLAUSES = classes_of(("after", "before", "when", "while", "until", "since", "by", "without"))
_LINKING = classes_of(
    ("that", "if", "whether", "because", "and", "or", "but", "though", "after", "before", "when",
     "while", "until", "since", "as", "so", "unless")
)  # fmt: skip
_ANY = dict(
    zip(
        map(class_of, ("any", "anybody", "anything", "ever", "anywhere")),
        ("no", "nobody", "nothing", "never", "nowhere"),
        strict=True,
    )
)
_WHICH = classes_of(("every", "next", "last", "this"))
_SPANS = TIMES | classes_of(("day", "week", "month", "year", "hour", "quarter"))
_JOINING = frozenset({"and", "or"})
_ORDERED = frozenset(
    {"then", "first", "second", "finally", "before", "after", "not", "respectively"}
)
_ATTACHING = frozenset({"of", "for", "in", "on", "at"})
"""``the lamp in the hall``, ``the hall lamp``."""
_NO_NOUNS = frozenset({BREAK, "of"}).union(
    _OPENING, AUXILIARIES, GENERIC, _JOINING, _DENYING, _WILL
)
_SILENT = _NO_NOUNS.union(classes_of(EMPTY), ("is", "are", "am", "were"))
_GOVERNING = classes_of(
    ("contain", "include", "have", "need", "offer", "provide", "cover", "improve", "support",
     "mean", "bring", "get", "buy", "sell", "invite", "reduce", "cause", "combine", "add", "use")
)  # fmt: skip
"""Verbs whose object may follow without an article. Of other words it is not known whether they
are one: in ``red apples and pears`` the order matters."""
_LOOSE = _ATTACHING.union({"by", _POSSESSIVE, BREAK, "be", "was", *GENERIC})
"""What a construction adds or leaves out."""

_Tokens: TypeAlias = "tuple[str, ...]"
_Form: TypeAlias = "tuple[_Tokens, tuple[_Tokens, ...], _Tokens]"


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence, as far as its construction does not matter."""

    key: tuple[str, ...]
    """Two sentences that say the same have the same."""
    forms: frozenset[_Form]
    """What stays in order, the phrases, and an adverb: one for each way to read it."""
    flipped: frozenset[_Form]
    """The same with ``the locks of the door`` as ``the door locks``. They are for sentences that
    have it the short way: ``the council of the youth of the city`` is none of the ``youth``."""
    past: int
    """How often it says that it was so."""
    perfect: int
    coming: int
    """It will be so: not what is so (``is open``, ``will be open``)."""
    state: int


class _Word(NamedTuple):
    base: str
    past: bool = False
    participle: bool = False
    progressive: bool = False


def rephrases(one: Claim, other: Claim) -> bool:
    """Whether two sentences say the same; their names have to be names in both."""
    if one.question != other.question:
        return False
    if one.capitals & other.plain or other.capitals & one.plain:
        return False
    first, second = read_sense(one), read_sense(other)
    return first is not None and second is not None and same_sense(first, second)


def bases(words: Iterable[str]) -> frozenset[str]:
    """Words as written in base form, without those that a construction brings: two sentences that
    say the same share most. Far cheaper than ``read_sense``."""
    return frozenset(map(_written, words)) - _SILENT


@lru_cache(maxsize=8_192)
def _written(word: str) -> str:
    plain = word.casefold()
    return _word(NUMBER_WORDS.get(plain, same_word(plain))).base


def same_sense(one: Reading, other: Reading) -> bool:
    """Whether two sentences say the same, whatever is a name in them."""
    return (
        one.key == other.key
        and (one.past, one.perfect) == (other.past, other.perfect)
        and not (one.coming and other.state)
        and not (one.state and other.coming)
        and not (
            one.forms.isdisjoint(other.forms | other.flipped)
            and one.flipped.isdisjoint(other.forms)
        )
    )


@lru_cache(maxsize=1_024)
def read_sense(claim: Claim) -> Reading | None:
    """The normal forms of a sentence; ``None`` for one that is too long or says nothing."""
    if not 0 < len(claim.tokens) <= _MAX_WORDS:
        return None
    words = _denied(_turned([_word(token) for token in claim.marked]))
    caused = _caused(words)
    times, words = _without_times(caused or words, timeless=caused is not None)
    tokens = [word.base for word in words]
    participles = frozenset(word.base for word in words if word.participle)
    acting = frozenset(word.base for word in words if word.past or word.participle)
    plain, *variants = _attributes(_join(tokens, acting), acting)
    flipped = (form for variant in variants for form in _voices(variant, participles))
    return Reading(
        key=tuple(sorted(token for token in tokens if token not in _LOOSE)),
        forms=frozenset(_voices(plain, participles)),
        flipped=frozenset(flipped),
        **times,
    )


@lru_cache(maxsize=8_192)
def _word(token: str) -> _Word:
    bare, tag, ending = token.rpartition("+")
    if tag and ending in ("ed", "ing") and bare.isalpha():
        form = read_form(bare)
        done = ending == "ed"
        return _Word(class_of(form.base), done, done, not done)
    form = read_form(token.replace("-", "") if token.replace("-", "").isalpha() else token)
    return _Word(class_of(form.base), form.past, form.participle, form.progressive)


def _turned(words: list[_Word]) -> list[_Word]:
    """Turns of speech (``takes place``) as one word."""
    known = turns()
    done: list[_Word] = []
    place = 0
    while place < len(words):
        for said, plain in known.get(words[place].base, ()):
            if tuple(word.base for word in words[place : place + len(said)]) == said:
                first = words[place + 1] if said[0] == "be" else words[place]
                done.extend(first._replace(base=base, participle=False) if not at and
                            said[0] == "be" else first._replace(base=base)
                            for at, base in enumerate(plain))  # fmt: skip
                place += len(said)
                break
        else:
            done.append(words[place])
            place += 1
    return done


def _denied(words: list[_Word]) -> list[_Word]:
    """``not ... by anybody`` as ``by nobody``; not across clauses, where it is another denial."""
    found = [place for place, word in enumerate(words) if word.base == "not"]
    anyone = [place for place, word in enumerate(words) if word.base in _ANY]
    several = any(word.base in _LINKING for word in words)
    if len(found) != 1 or len(anyone) != 1 or found[0] > anyone[0] or several:
        return words
    words = [*words]
    words[anyone[0]] = _Word(_ANY[words[anyone[0]].base])
    start = found[0] - (found[0] > 0 and words[found[0] - 1].base in ("do", "does", "did"))
    past = words[start].base == "did"
    del words[start : found[0] + 1]
    if past and start < len(words):
        words[start] = words[start]._replace(past=True)
    return words


def _caused(words: list[_Word]) -> list[_Word] | None:
    """``Have the fence repaired`` as ``Repair the fence``."""
    if len(words) < 3 or words[0].base not in _CAUSING or words[1].base == "to":
        return None
    for place in range(2, len(words)):
        if words[place].participle:
            rest = words[place + 1 :]
            if rest and rest[0].base not in _OPENING and rest[0].base != BREAK:
                return None
            return [_Word(words[place].base), *words[1:place], *rest]
    return None


def _without_times(words: list[_Word], *, timeless: bool) -> tuple[dict[str, int], list[_Word]]:
    """When it is so, and the words without those that only say that."""
    found = {"past": 0, "perfect": 0, "coming": 0, "state": 0}
    kept: list[_Word] = []
    agent = any(word.base == "by" for word in words)
    helped = ""
    for place, word in enumerate(words):
        following = _verb_after(words, place)
        if word.base in _WILL:
            state = following is not None and following.base in _BE
            found["coming"] += state and not agent
            helped = "will"
            continue
        if following is not None and word.base in _HAVE and _is_participle(following):
            found["perfect"] += 1
            found["past"] += word.base == "had"
            helped = "have"
            continue
        getting = word.base in _GETTING and following is not None and following.participle
        if word.base in _BE or (getting and place > 0):
            found["past"] += word.base == "was" or (getting and word.past)
            if following is not None and following.progressive and following.base != "be":
                helped = "be"
                continue  # "is charging"
            found["state"] += word.base == "be" and not helped and not agent
            helped = "be"
            kept.append(_Word("be"))
            continue
        if word.base not in _DENYING and not _is_adverb(word.base):
            found["past"] += word.past and not helped and not timeless
            helped = word.base if word.base in AUXILIARIES else ""
        kept.append(word)
    return found, kept


def _verb_after(words: Sequence[_Word], place: int) -> _Word | None:
    for word in words[place + 1 : place + 4]:
        if word.base not in _DENYING and not _is_adverb(word.base):
            return word
    return None


def _is_participle(word: _Word) -> bool:
    return word.participle or word.base == "been"


def _is_adverb(token: str) -> bool:
    return token in ADVERBS or (len(token) > 4 and token.endswith("ly") and token not in NO_ADVERBS)


def _attributes(tokens: list[str], acting: frozenset[str]) -> Iterator[list[str]]:
    """``the locks of the door``, ``the door's locks`` and ``the door locks`` as the last; once
    for a head of one word, of two, and first as it stands. All up to the next break is the
    attribute."""
    plain = [token for token in tokens if token != _POSSESSIVE]
    places = [place for place, token in enumerate(plain) if token in _ATTACHING]
    for heads in product((0, 1, 2), repeat=min(len(places), _MAX_FLIPS)):
        variant: list[str] | None = plain
        for place, count in reversed(list(zip(places, heads, strict=False))):
            if count and variant is not None:
                variant = _flipped(variant, place, count, acting)
        if variant is not None:
            yield variant


def _flipped(tokens: list[str], place: int, heads: int, acting: frozenset[str]) -> list[str] | None:
    stop = place + 1
    while stop < len(tokens) and _is_noun(tokens[stop]):
        stop += 1
    head, attribute = tokens[max(0, place - heads) : place], tokens[place + 1 : stop]
    nouns = all(map(_is_noun, head)) and acting.isdisjoint(head)
    if len(head) < heads or not 0 < len(attribute) <= _MAX_ATTRIBUTE or not nouns:
        return None
    return [*tokens[: place - heads], *attribute, *head, *tokens[stop:]]


def _is_noun(token: str) -> bool:
    """Whether it may be part of a name for a thing."""
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
        ends = stop == BREAK or stop in _OPENING or stop in AUXILIARIES
        opens = start == 1 or before in _OPENING or before in _BE or before in _GOVERNING
        if ends and opens and all(map(_is_noun, items)) and acting.isdisjoint(items):
            done[start : place + 2] = [f"{done[place]}({'|'.join(sorted(items))})"]
    return done


def _voices(tokens: list[str], participles: frozenset[str]) -> Iterator[_Form]:
    """The sentence as it is, and as an active one where it is passive."""
    core, phrases, adverbs = _chunk(tokens)
    yield _form(core, phrases, adverbs)
    place = core.index("be") if "be" in core else -1
    if 0 < place < len(core) - 1 and core[place + 1] in participles:
        start = place
        while start > 0 and (core[start - 1] in _MODALS or core[start - 1] in _DENYING):
            start -= 1
        agents = [phrase for phrase in phrases if phrase[0] == "by" and len(phrase) > 1]
        helpers, verb = core[start:place], core[place + 1]
        rest = [*helpers, verb, *core[:start], *core[place + 2 :]]
        yield _form([_ANYONE, *rest], phrases, adverbs)
        if len(agents) == 1:
            others = [phrase for phrase in phrases if phrase is not agents[0]]
            yield _form([*agents[0][1:], *rest], others, adverbs)
    elif core and core[0] in GENERIC:
        yield _form([_ANYONE, *core[1:]], phrases, adverbs)


def _form(core: Sequence[str], phrases: Sequence[_Tokens], adverbs: Sequence[str]) -> _Form:
    ordered = sorted(phrases) if len(phrases) <= _MAX_PHRASES else phrases
    return tuple(core), tuple(ordered), tuple(adverbs)


def _chunk(tokens: Sequence[str]) -> tuple[list[str], list[_Tokens], list[str]]:
    """What stays in order, the phrases (one that stands in front goes behind), and the adverb: of
    two, each stays where it is."""
    adverbs = [token for token in tokens if _is_adverb(token)]
    if len(adverbs) != 1 or BREAK in tokens or not _JOINING.isdisjoint(tokens):
        adverbs = []
    core: list[str] = []
    phrases: list[_Tokens] = []
    front: list[_Tokens] = []
    phrase: list[str] | None = None
    ended = False
    left = [*(token for token in tokens if token not in adverbs), BREAK]
    for word, following in zip(left, [*left[1:], BREAK], strict=True):
        opens = word in _OPENING or (word in _WHICH and following in _SPANS)
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
            ended = word in (_SPANS if phrase[0] in _WHICH else TIMES if phrase[0] in _WHEN else ())
    return core, [*phrases, *front], adverbs
