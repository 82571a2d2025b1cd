"""Sentences that say the same in other words, in the few constructions that answers repeat in.

``facts.difference`` asks for the same words. Here they may have other endings and synonyms, a
passive may stand for an active (``by``), and a phrase may stand elsewhere. All other words agree,
in their order; who does what to whom, what is denied and whether it is over are part of a form.

The base form of an English word, for telling whether two sentences use the same word.

It works without a dictionary: regular endings by rule, frequent irregular verbs by a table. Two
forms of one word must get the same base form, and two words different ones. A base form that is no
word (``delet``) does no harm, since both sentences get it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from knitbone.adaptation.scenario.facts import (
    BREAK,
    EMPTY,
    MOVABLE,
    NEGATIONS,
    NUMBER_WORDS,
    Statement,
    same_word,
)

__all__ = ["bases", "implies", "read_form", "rephrases"]


class Form(NamedTuple):
    """The base form of a word, and what its ending may mean."""

    base: str
    past: bool = False
    """It may be a past tense."""
    participle: bool = False
    """It may be a past participle."""
    progressive: bool = False
    """It ends in ``-ing``."""


_IRREGULAR = (
    "arise arose arisen", "beat beat beaten", "become became become", "begin began begun",
    "bend bent bent", "bite bit bitten", "blow blew blown", "break broke broken",
    "bring brought brought", "build built built", "burn burnt burnt", "buy bought bought",
    "catch caught caught", "choose chose chosen", "come came come", "cost cost cost",
    "cut cut cut", "deal dealt dealt", "dig dug dug", "draw drew drawn", "drink drank drunk",
    "drive drove driven", "eat ate eaten", "fall fell fallen", "feed fed fed", "feel felt felt",
    "fight fought fought", "find found found", "fly flew flown", "forget forgot forgotten",
    "freeze froze frozen", "get got gotten", "give gave given", "go went gone", "grow grew grown",
    "hang hung hung", "hear heard heard", "hide hid hidden", "hit hit hit", "hold held held",
    "keep kept kept", "know knew known", "lay laid laid", "lead led led", "learn learnt learnt",
    "leave left left", "lend lent lent", "light lit lit", "lose lost lost",
    "make made made", "mean meant meant", "meet met met", "pay paid paid", "put put put",
    "read read read", "ride rode ridden", "ring rang rung", "rise rose risen", "run ran run",
    "say said said", "see saw seen", "sell sold sold", "send sent sent", "set set set",
    "shake shook shaken", "shine shone shone", "shoot shot shot", "show showed shown",
    "shut shut shut", "sing sang sung", "sink sank sunk", "sit sat sat", "sleep slept slept",
    "speak spoke spoken", "spend spent spent", "split split split", "spread spread spread",
    "stand stood stood", "steal stole stolen", "stick stuck stuck", "strike struck struck",
    "sweep swept swept", "swim swam swum", "take took taken", "teach taught taught",
    "tear tore torn", "tell told told", "think thought thought", "throw threw thrown",
    "understand understood understood",
    "agree agreed agreed", "free freed freed", "die died died", "lie lied lied", "tie tied tied",
    "use used used", "wake woke woken", "wear wore worn", "weave wove woven",
    "win won won", "wind wound wound", "withdraw withdrew withdrawn", "write wrote written",
    "rewrite rewrote rewritten", "undo undid undone", "redo redid redone",
)  # fmt: skip
_NOUNS = {"children": "child", "men": "man", "women": "woman", "people": "people", "feet": "foot",
          "teeth": "tooth", "mice": "mouse", "knives": "knife", "leaves": "leaf", "lives": "life",
          "wives": "wife", "shelves": "shelf", "halves": "half", "loaves": "loaf",
          "buses": "bus", "gases": "gas"}  # fmt: skip
_WHOLE = frozenset(
    {"during", "evening", "morning", "nothing", "something", "anything", "everything", "spring",
     "string", "thing", "king", "ceiling", "wedding", "bring", "sing", "ring", "need", "seed",
     "feed", "speed", "hundred", "red", "bed", "shed", "indeed", "news", "always", "this", "its",
     "his", "was", "has", "does", "as", "us", "is", "thus", "plus", "gas", "bus", "yes", "less",
     "mathematics", "physics", "series", "species", "perhaps", "besides", "towards", "afterwards"}
)  # fmt: skip
"""Words that look as if they had an ending and have none."""
_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=1)
def _table() -> dict[str, Form]:
    table: dict[str, Form] = {form: Form(base) for form, base in _NOUNS.items()}
    for line in _IRREGULAR:
        base, past, participle = line.split()
        for form in (past, participle):
            old = table.get(form, Form(base))
            if form != base and old.base == base:
                table[form] = Form(
                    base, old.past or form == past, old.participle or form == participle
                )
        if participle == base:  # "cut", "come": both the base form and a participle
            table[base] = Form(base, participle=True)
    return table


@lru_cache(maxsize=8_192)
def read_form(word: str) -> Form:
    """Return the base form of a word in small letters, and which endings it has."""
    if word in _WHOLE or not word.isascii() or not word.isalpha():
        return Form(word)
    known = _table().get(word)
    if known is not None:
        return known._replace(base=_base(known.base))
    if word.endswith("ing") and _is_stem(word[:-3]):
        return Form(_base(word[:-3], cut=True), progressive=True)
    if word.endswith("ied") and len(word) > 4:
        return Form(word[:-3] + "y", past=True, participle=True)
    if word.endswith("ed") and not word.endswith("eed") and _is_stem(word[:-2]):
        return Form(_base(word[:-2], cut=True), past=True, participle=True)
    return Form(_base(_singular(word)))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zzes")) else word[:-1]


def _is_stem(stem: str) -> bool:
    return len(stem) > 2 and any(letter in _VOWELS for letter in stem)


def _base(stem: str, *, cut: bool = False) -> str:
    """Return one spelling for a stem with and without its mute ``e`` and its doubled consonant:
    ``delete`` and ``delet-ed``, ``stop`` and ``stopp-ed``. Only short stems, where the ``e`` tells
    words apart (``hope``, ``hop``), have it, and get it back after an ending was cut."""
    if stem[-1:] == stem[-2:-1] and stem[-1:] not in _VOWELS:
        return stem[:-1]
    if cut:
        return stem + "e" if _short(stem) else stem
    if len(stem) > 3 and stem.endswith("e") and stem[-2] != "e" and not _short(stem[:-1]):
        return stem[:-1]
    return stem


def _short(stem: str) -> bool:
    """Return whether a stem is one syllable of consonant, vowel, consonant: ``hop`` of
    ``hoped``."""
    vowels = [letter in "aeiou" or (letter == "y" and index > 0) for index, letter in
              enumerate(stem)]  # fmt: skip
    groups = sum(now and not before for before, now in zip([False, *vowels], vowels, strict=False))
    return groups == 1 and vowels[-3:] == [False, True, False] and stem[-1] not in "wx"


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
