"""Sentences that say the same in other words, in the few constructions that answers repeat in.

``facts.difference`` asks for the same words. Here they may have other endings and synonyms, a
passive may stand for an active (``by``), and a phrase may stand elsewhere. All other words agree,
in their order; who does what to whom, what is denied and whether it is over are part of a form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from knitbone.adaptation.scenario.facts import BREAK, Statement
from knitbone.adaptation.scenario.inflection import Form, read_form
from knitbone.adaptation.scenario.synonyms import EMPTY, MOVABLE, NEGATIONS, NUMBER_WORDS, same_word

__all__ = ["bases", "implies", "rephrases"]

_GROUPS = (
    "buy acquire", "call phone ring telephone", "check inspect", "test try", "hire rent",
    "cut reduce", "shop store", "quick brisk speedy", "reject decline", "postpone delay defer",
    "brief instruct", "hang mount", "photo photograph", "email mail", "broken defective faulty",
    "roughly regarding concerning", "below under beneath underneath", "until till", "among amongst",
    "while whilst", "bin dustbin", "end finish", "shift move", "tell inform", "answer respond",
    "make create produce", "show display", "advertise promote", "book reserve", "hide conceal",
    "find locate", "join merge", "seem appear", "speak talk", "shout yell", "trip journey",
    "holiday vacation", "sick ill", "glad happy", "huge gigantic", "cheap inexpensive",
    "costly expensive", "empty clear", "main chief", "strange odd weird", "smart clever",
    "scared afraid", "noisy loud", "colleague coworker", "client customer", "guest visitor",
    "flat apartment", "lift elevator", "rubbish garbage trash", "petrol gasoline", "bike bicycle",
    "sofa couch", "cellar basement", "biscuit cookie", "lawyer attorney", "leaflet flyer brochure",
    "microphone mic", "send dispatch", "get fetch", "whisk beat", "toast roast", "repair resolve",
    "gather compile", "review examine", "outage downtime", "taste sample", "stroll walk",
    "arrange organize", "establish create", "conduct perform", "adequate sufficient",
    "participant attendee", "fridge refrigerator", "television tv", "boost increase",
    "assess evaluate", "drink beverage", "rarely seldom", "mostly mainly", "soon shortly",
    "anyone anybody", "everyone everybody", "someone somebody", "every each", "licence license",
    "theatre theater", "tyre tire", "kerb curb", "jewellery jewelry", "harbour harbor",
    "labour labor", "cheque check", "catalogue catalog", "dialogue dialog", "defence defense",
    "aluminium aluminum",
)  # fmt: skip
"""Synonyms where the rest of two sentences agrees and an embedder is asked as well; antonyms, parts
and kinds of one another never share a group."""
_MAX_WORDS = 60
"""A longer sentence is compared word by word only."""
_MAX_ATTRIBUTE = 3
"""Words of an attribute behind ``of`` or ``for``; of more, some may be the verb."""
_MAX_PHRASES = 2
"""More phrases may belong to one another, and keep their order."""
_ANYONE = "\0agent"
"""Stands for who does it where a passive or a command does not say."""


_Form: TypeAlias = tuple[tuple[str, ...], ...]


class _Reading(NamedTuple):
    forms: frozenset[_Form]
    """The words in order, and the phrases sorted: one for each voice."""
    variants: frozenset[_Form]
    """The forms of ``the door locks`` for ``the locks of the door``, and of ``swim`` for ``take a
    swim``; compared with forms, not with one another."""
    times: tuple[int, int, int]
    """How often it says that something was, has been, will be so."""


def rephrases(one: Statement, other: Statement) -> bool:
    """Return whether two sentences say the same; a name in one has to be a name in the other."""
    if one.question != other.question or one.capitals & other.plain or other.capitals & one.plain:
        return False
    first, second = _read(one), _read(other)
    return first.times == second.times and not (
        first.forms.isdisjoint(second.forms | second.variants)
        and first.variants.isdisjoint(second.forms)
    )


def implies(kept: Statement, gone: Statement) -> bool:
    """Return whether ``kept`` says what ``gone`` does, and who does it: ``The team approved the
    budget`` implies ``The budget was approved``."""
    if kept.question or gone.question or gone.capitals & kept.plain or kept.capitals & gone.plain:
        return False
    full, short = _read(kept), _read(gone)
    done = {(core[1:], *rest) for core, *rest in short.forms if core[:1] == (_ANYONE,)}
    return full.times == short.times and any(
        (core[index:], *rest) in done
        for core, *rest in full.forms
        for index in range(1, len(core) - 1)
        if core[0] != _ANYONE and _FEW.isdisjoint(core[:index])
    )


def bases(words: Iterable[str]) -> frozenset[str]:
    """Return the base forms of written words, without those that only belong to a construction."""
    plain = (word.casefold() for word in words)
    found = (
        _word(NUMBER_WORDS.get(word, same_word(word))).base for word in plain if word not in EMPTY
    )
    return frozenset(found) - _SILENT


@lru_cache(maxsize=8_192)
def _word(token: str) -> Form:
    bare, tag, ending = token.rpartition("+")
    tagged = bool(tag) and bare.isalpha()
    form = read_form(bare if tagged else token.replace("-", ""))
    form = form._replace(base=_classes().get(form.base, form.base))
    done = ending == "ed"
    return Form(form.base, done, done, ending == "ing") if tagged else form


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    classes: dict[str, str] = {}
    for group in _GROUPS:
        found = [read_form(same_word(word).partition("+")[0]).base for word in group.split()]
        leader = classes.get(found[0], found[0])
        classes = dict.fromkeys(found, leader) | classes
    return classes


def _bases(*words: str) -> frozenset[str]:
    return frozenset(_word(same_word(word)).base for word in words)


_BE, _HAVE, _WILL = (
    _bases("be", "was", "been"),
    _bases("have", "has", "had"),
    _bases("will", "shall"),
)
_MODALS = _bases("do", "did", "can", "could", "may", "might", "must", "should", "would")
_HELPERS = _BE | _HAVE | _WILL | _MODALS
_OPENERS = _bases(*MOVABLE, "about")
_GENERIC = _bases("you", "we", "one", "people")
_FEW = _bases(
    *NEGATIONS, "few", "some", "half", "only", "many", "most", "several", "who", "which", "part"
)
_LIGHT_VERBS = _bases("take", "have", "make", "do", "give", "perform", "go")
_SILENT = (
    _HELPERS | _OPENERS | _GENERIC | _bases("of", "is", "are", "am", "were", "and", "or", "not")
)
_NO_ADVERBS = _bases(
    "supply", "apply", "reply", "only", "early", "family", "july", "daily", "nearly"
)


@lru_cache(maxsize=1_024)
def _read(claim: Statement) -> _Reading:
    if not 0 < len(claim.tokens) <= _MAX_WORDS:
        return _Reading(frozenset(), frozenset(), (0, 0, 0))
    words = [Form(t) if t == BREAK else _word(t) for t in claim.marked if t != "'s"]
    kept: list[Form] = []
    past = perfect = coming = 0
    helper = ""
    has_agent = any(word.base == "by" for word in words)
    for word, after in zip(words, [*words[1:], Form("")], strict=True):
        if word.base in _HAVE and (after.participle or after.base == "been"):
            perfect, past = perfect + 1, past + (word.base == "had")
        elif word.base in _WILL:
            coming += after.base == "be" and not has_agent
        elif word.base in _BE:
            past += word.base == "was"
            kept += [] if after.progressive or after.base == "going" else [Form("be")]
        elif (word.base, after.base) == ("going", "to"):
            helper = word.base  # "is going to open": will open
            continue
        elif (helper, word.base) != ("going", "to"):
            past += word.past and not helper
            kept.append(word)
        if word.base != "not" and not _is_adverb(word.base):
            helper = word.base if word.base in _HELPERS else ""
    variants = {form for other in _variants(kept) for form in _voices(other)}
    return _Reading(frozenset(_voices(kept)), frozenset(variants), (past, perfect, coming))


def _variants(words: list[Form]) -> Iterator[list[Form]]:
    for index, word in enumerate(words):
        if word.base in ("of", "for") and index:
            stop = index + 1
            while stop < len(words) and not _ends(words[stop]):
                stop += 1
            if stop - index <= _MAX_ATTRIBUTE + 1 and not _ends(words[index - 1]):
                head = words[index - 1 : index]
                yield [*words[: index - 1], *words[index + 1 : stop], *head, *words[stop:]]
    if len(words) > 2 and words[0].base in _LIGHT_VERBS:
        yield words[1:]


def _ends(word: Form) -> bool:
    return word.base in _OPENERS | _HELPERS | {BREAK, "of"} or word.past


def _voices(words: Sequence[Form]) -> Iterator[_Form]:
    """Yield the words in order and the phrases, of a passive also as an active or a command."""
    adverbs = [word.base for word in words if _is_adverb(word.base)]
    core: list[Form] = []
    phrases: list[tuple[str, ...]] = []
    opened = False
    for word in words:
        if opened and len(phrases[-1]) > 1 and word.base in _HELPERS | _GENERIC:
            opened = False
        if word.base in _OPENERS:
            phrases.append((word.base,))
            opened = True
        elif word.base == BREAK:
            opened = False
        elif word.base not in adverbs or len(adverbs) > 1:
            if opened:
                phrases[-1] += (word.base,)
            else:
                core.append(word)
    plain = tuple(word.base for word in core)
    fixed = tuple(adverbs) if len(adverbs) == 1 else ()

    def form(order: Sequence[str], others: Sequence[tuple[str, ...]]) -> _Form:
        kept = sorted(others) if len(others) <= _MAX_PHRASES else others
        return (tuple(order), fixed, *kept)

    yield form(plain, phrases)
    index = plain.index("be") if "be" in plain else 0
    if 0 < index < len(plain) - 1 and core[index + 1].participle:
        rest = (*plain[index + 1 : index + 2], *plain[:index], *plain[index + 2 :])
        yield form((_ANYONE, *rest), phrases)
        for agent in (phrase for phrase in phrases if phrase[0] == "by" and len(phrase) > 1):
            yield form((*agent[1:], *rest), [each for each in phrases if each is not agent])
    elif _GENERIC.intersection(plain[:1]):
        yield form((_ANYONE, *plain[1:]), phrases)
    elif len(plain) > 1 and core[0].participle:  # "Fixed the search."
        yield form((_ANYONE, *plain), phrases)


def _is_adverb(word: str) -> bool:
    return word in {"always", "often", "usually", "now", "soon"} or (
        len(word) > 4 and word.endswith("ly") and word not in _NO_ADVERBS
    )
