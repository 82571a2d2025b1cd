"""Paraphrases: sentences that say the same in another construction.

``facts.difference`` asks for the same words. Here the words may have other endings, and the
sentence may be built in another way that is known to say the same: active and passive, ``the locks
of the door`` and ``the door locks``, ``milk and bread`` and ``bread and milk``, ``will open`` and
``opens``, a phrase in front or behind, the synonyms of ``contextual_synonyms.py``.

Each sentence is brought into a few normal forms; two sentences say the same where they share one.
Nothing may be left over on either side: who does what to whom, what comes first, what is denied
and whether it is over are part of the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import msgspec

from knitbone.adaptation.text.contextual_synonyms import (
    AUXILIARIES,
    GENERIC_SUBJECTS,
    TIME_WORDS,
    classes_of,
)
from knitbone.adaptation.text.facts import BREAK, Statement
from knitbone.adaptation.text.imperatives import (
    command_cores,
    without_light_verb,
    without_negated_do,
)
from knitbone.adaptation.text.synonyms import EMPTY, NUMBER_WORDS, same_word
from knitbone.adaptation.text.verbs import (
    BE,
    NEGATION_BASES,
    PHRASE_OPENERS,
    WILL,
    Tenses,
    is_adverb,
    read_verbs,
    read_word,
)

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
_SPANS = TIME_WORDS | classes_of(("day", "week", "month", "year", "hour", "quarter"))
_JOINING = frozenset({"and", "or"})
_ORDERED = classes_of(
    ("then", "first", "second", "finally", "before", "after", "not", "respectively")
)
_ATTACHING = frozenset({"of", "for", "in", "on", "at"})
"""``the lamp in the hall``, ``the hall lamp``."""
_NO_NOUNS = frozenset({BREAK, "of"}).union(
    PHRASE_OPENERS, AUXILIARIES, GENERIC_SUBJECTS, _JOINING, NEGATION_BASES, WILL
)
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
_LOOSE = _ATTACHING.union(
    {"by", _POSSESSIVE, BREAK, "be", "was", "should", "must", *GENERIC_SUBJECTS}
)
"""Words that a construction adds or leaves out."""

_Tokens: TypeAlias = "tuple[str, ...]"
_Form: TypeAlias = "tuple[_Tokens, tuple[_Tokens, ...], _Tokens]"


class SentenceReading(msgspec.Struct, frozen=True, kw_only=True):
    """The normal forms of a sentence."""

    keys: frozenset[tuple[str, ...]]
    """Two sentences that say the same share one."""
    forms: frozenset[_Form]
    """The words that stay in order, the phrases, and an adverb: one triple for each way to read
    it."""
    flipped: frozenset[_Form]
    """The forms with ``the locks of the door`` as ``the door locks``, and as a command. They are
    compared with forms only, not with one another: ``the council of the youth of the city`` is none
    of the ``youth``."""
    times: Tenses


def rephrases(one: Statement, other: Statement) -> bool:
    """Return whether two sentences say the same; a name in one has to be a name in the other."""
    if one.question != other.question:
        return False
    if one.capitals & other.plain or other.capitals & one.plain:
        return False
    first, second = read_sense(one), read_sense(other)
    return first is not None and second is not None and same_sense(first, second)


def implies(kept: Statement, gone: Statement) -> bool:
    """Return whether ``kept`` says what ``gone`` does, and who does it besides.

    ``The team approved the budget`` implies ``The budget was approved``.
    """
    if kept.question or gone.question or gone.capitals & kept.plain or kept.capitals & gone.plain:
        return False
    full, short = read_sense(kept), read_sense(gone)
    if full is None or short is None or full.times != short.times:
        return False
    done = {(form[0][1:], *form[1:]) for form in short.forms if form[0][:1] == (_ANYONE,)}
    return any(
        (core[index:], *rest) in done
        for core, *rest in full.forms
        for index in range(1, len(core) - 1)
        if core[0] != _ANYONE and _names_agent(core[:index])
    )


def _names_agent(words: Sequence[str]) -> bool:
    """Return whether the words before a verb name its agent: ``the team``, but not ``only few``."""
    return all(map(_is_noun, words)) and _FEW.isdisjoint(words)


def bases(words: Iterable[str]) -> frozenset[str]:
    """Return the base forms of written words, without words that only belong to a construction.

    Two sentences that say the same share most of them. Far cheaper than ``read_sense``.
    """
    return frozenset(map(_base_of, words)) - _SILENT


@lru_cache(maxsize=8_192)
def _base_of(word: str) -> str:
    plain = word.casefold()
    return read_word(NUMBER_WORDS.get(plain, same_word(plain))).base


def same_sense(one: SentenceReading, other: SentenceReading) -> bool:
    """Return whether two sentences say the same, without comparing which of their words are
    names."""
    return (
        not one.keys.isdisjoint(other.keys)
        and one.times[:2] == other.times[:2]
        and (one.times == other.times or not _conflict(one.times, other.times))
        and not (
            one.forms.isdisjoint(other.forms | other.flipped)
            and one.flipped.isdisjoint(other.forms)
        )
    )


def _conflict(one: Tenses, other: Tenses) -> bool:
    """Return whether one sentence says that something is so and the other that it will be."""
    return bool((one.coming and other.state) or (one.state and other.coming))


@lru_cache(maxsize=1_024)
def read_sense(claim: Statement) -> SentenceReading | None:
    """Return the normal forms of a sentence; ``None`` for one that is too long or says nothing."""
    if not 0 < len(claim.tokens) <= _MAX_WORDS:
        return None
    times, words = read_verbs([read_word(token) for token in claim.marked])
    tokens = _join_measures(without_negated_do([word.base for word in words]))
    participles = frozenset(word.base for word in words if word.participle)
    acting = frozenset(word.base for word in words if word.past or word.participle)
    plain, *variants = _attribute_variants(_join_coordination(tokens, acting), acting)
    forms = frozenset(_voice_forms(plain, participles))
    brief = list(without_light_verb(plain))
    flipped = {
        form for variant in (*variants, *brief) for form in _voice_forms(variant, participles)
    }
    for core, phrases, adverbs in forms:
        flipped.update((said, phrases, adverbs) for said in command_cores(core, _ANYONE))
    return SentenceReading(
        keys=frozenset(map(_key, (tokens, *brief))),
        forms=forms,
        flipped=frozenset(flipped),
        times=times,
    )


def _join_measures(tokens: list[str]) -> list[str]:
    """Write ``a video of two minutes`` with the token of ``a two-minute video``."""
    for index, token in enumerate(tokens):
        count, _, noun = token.partition("-")
        if count.isdecimal() and noun.isalpha():
            tokens = [*tokens[:index], f"{count}-{read_word(noun).base}", *tokens[index + 1 :]]
    for index in range(len(tokens) - 2):
        number, unit = tokens[index + 1 : index + 3]
        if tokens[index] == "of" and number.isdecimal() and unit.isalpha():
            return [*tokens[: index + 1], f"{number}-{unit}", *tokens[index + 3 :]]
    return tokens


def _key(tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a sentence in alphabetical order, without those that a construction
    brings."""
    denials = {"never": "not"}
    return tuple(sorted(denials.get(word, word) for word in tokens if word not in _LOOSE))


def _attribute_variants(tokens: list[str], acting: frozenset[str]) -> Iterator[list[str]]:
    """Yield the tokens as they stand, then with attributes moved: ``the locks of the door`` and
    ``the door's locks`` as ``the door locks``.

    The head has one word or two, and the attribute one word (what follows may be the verb) or all
    words up to the next break.
    """
    plain = [token for token in tokens if token != _POSSESSIVE]
    indices = [index for index, token in enumerate(plain) if token in _ATTACHING]
    choices = [(0, 0), *product((1, 2), (1, _MAX_ATTRIBUTE))]
    for chosen in product(choices, repeat=min(len(indices), _MAX_FLIPS)):
        variant: list[str] | None = plain
        for index, (heads, most) in reversed(list(zip(indices, chosen, strict=False))):
            if heads and variant is not None:
                variant = _move_attribute(variant, index, heads, most, acting)
        if variant is not None:
            yield variant


def _move_attribute(
    tokens: list[str], index: int, heads: int, most: int, acting: frozenset[str]
) -> list[str] | None:
    """Return the tokens with the attribute behind a preposition put before its head; ``None``
    where head or attribute is no noun."""
    stop = index + 1
    while stop < len(tokens) and _is_noun(tokens[stop]):
        stop += 1
    head = tokens[max(0, index - heads) : index]
    nouns = all(map(_is_noun, head)) and acting.isdisjoint(head)
    if len(head) < heads or not nouns or not index + 1 < stop <= index + 1 + _MAX_ATTRIBUTE:
        return None
    stop = min(stop, index + 1 + most)
    return [*tokens[: index - heads], *tokens[index + 1 : stop], *head, *tokens[stop:]]


def _is_noun(token: str) -> bool:
    """Return whether a word may be part of a name for a thing."""
    return token not in _NO_NOUNS


def _join_coordination(tokens: list[str], acting: frozenset[str]) -> list[str]:
    """Join ``milk and bread`` into one token that does not depend on the order.

    Only single words are joined, between a verb or a preposition and an end: elsewhere the order
    may matter.
    """
    if not _JOINING.intersection(tokens) or _ORDERED.intersection(tokens):
        return tokens
    done = list(tokens)
    for index in range(len(done) - 2, 1, -1):
        if index > len(done) - 2 or done[index] not in _JOINING:
            continue
        # The items of the list, from the last one back over commas to the first.
        last = done[index + 1]
        stop = done[index + 2] if index + 2 < len(done) else BREAK
        start = index - 1 - (done[index - 1] == BREAK)
        items = [done[start], last]
        while start > 1 and done[start - 1] == BREAK and _is_noun(done[start - 2]):
            start -= 2
            items.append(done[start])
        before = done[start - 1] if start > 0 else BREAK
        ends = stop == BREAK or stop in PHRASE_OPENERS or stop in AUXILIARIES
        opens = start == 1 or before in PHRASE_OPENERS or before in BE or before in _GOVERNING
        if ends and opens and all(map(_is_noun, items)) and acting.isdisjoint(items):
            done[start : index + 2] = [f"{done[index]}({'|'.join(sorted(items))})"]
    return done


def _voice_forms(tokens: list[str], participles: frozenset[str]) -> Iterator[_Form]:
    """Yield the form of a sentence as it is, and as an active one where it is passive."""
    core, phrases, adverbs = _chunk(tokens)
    yield _form(core, phrases, adverbs)
    index = core.index("be") if "be" in core else -1
    if 0 < index < len(core) - 1 and core[index + 1] in participles:
        start = index
        while start > 0 and (core[start - 1] in _MODALS or core[start - 1] in NEGATION_BASES):
            start -= 1
        # "should be placed by the team": helpers, the verb, and who does it.
        agents = [phrase for phrase in phrases if phrase[0] == "by" and len(phrase) > 1]
        helpers, verb = core[start:index], core[index + 1]
        rest = [*helpers, verb, *core[:start], *core[index + 2 :]]
        yield _form([_ANYONE, *rest], phrases, adverbs)
        for agent in agents:
            others = [phrase for phrase in phrases if phrase is not agent]
            yield _form([*agent[1:], *rest], others, adverbs)
        active = _active_tokens(tokens, participles)
        if active is not None:
            yield _form(*_chunk(active))
    elif core and core[0] in GENERIC_SUBJECTS:
        yield _form([_ANYONE, *core[1:]], phrases, adverbs)
    elif len(core) > 1 and core[0] in participles:  # "Fixed the search."
        yield _form([_ANYONE, *core], phrases, adverbs)


def _active_tokens(tokens: list[str], participles: frozenset[str]) -> list[str] | None:
    """Return a passive sentence as an active one; ``None`` where its agent does not follow the
    verb.

    All that follows goes with the agent: ``is caused by an old device on the network``.
    """
    opened = tokens.index("be")
    verb = next((x for x in range(opened + 1, len(tokens)) if tokens[x] in participles), 0)
    by = tokens.index("by", verb) if "by" in tokens[verb:] else 0
    if not verb or by != verb + 1 or BREAK in tokens:
        return None
    between = tokens[opened + 1 : verb]
    return [*tokens[by + 1 :], *between, tokens[verb], *tokens[:opened]]


def _is_time_phrase(phrase: Sequence[str]) -> bool:
    """Return whether a phrase that says when is complete, so that it ends without a comma: ``in
    May``."""
    opening, word = phrase[0], phrase[-1]
    if opening in _WHICH or opening in _THROUGHOUT:
        return word in _SPANS
    return opening in _WHEN and (word in TIME_WORDS or (word.isdecimal() and len(word) == 4))


def _form(core: Sequence[str], phrases: Sequence[_Tokens], adverbs: Sequence[str]) -> _Form:
    ordered = sorted(phrases) if len(phrases) <= _MAX_PHRASES else phrases
    return tuple(core), tuple(ordered), tuple(adverbs)


def _chunk(tokens: Sequence[str]) -> tuple[list[str], list[_Tokens], list[str]]:
    """Split a sentence into the words that stay in order, its phrases, and its adverb.

    A phrase that stands in front goes behind the others. Of two adverbs each stays where it is.
    """
    adverbs = [token for token in tokens if is_adverb(token)]
    if len(adverbs) != 1 or BREAK in tokens or not _JOINING.isdisjoint(tokens):
        adverbs = []
    core: list[str] = []
    phrases: list[_Tokens] = []
    front: list[_Tokens] = []
    phrase: list[str] | None = None
    is_time = False
    remaining = [*(token for token in tokens if token not in adverbs), BREAK]
    for word, following in zip(remaining, [*remaining[1:], BREAK], strict=True):
        opens_phrase = word in PHRASE_OPENERS or (word in _WHICH and following in _SPANS)
        has_object = phrase is not None and len(phrase) > 1  # "in May": no auxiliary
        ends = opens_phrase or word == BREAK or is_time
        ends = ends or (has_object and (word in AUXILIARIES or word in GENERIC_SUBJECTS))
        if ends and phrase is not None:
            (phrases if core else front).append(tuple(phrase))
            phrase = None
        is_time = False
        if opens_phrase:
            phrase = [word]
        elif word == BREAK:
            continue
        elif phrase is None:
            core.append(word)
        elif word != "you" or phrase[0] not in _CLAUSES or len(phrase) > 1:  # "before you eat"
            phrase.append(word)
            is_time = _is_time_phrase(phrase)
    return core, [*phrases, *front], adverbs
