"""The facts of a sentence, and what one sentence says that another does not.

A repetition is removed only where it says nothing that the kept sentence does not say. Embeddings
cannot tell (``common/similarity.py``), so the proof is lexical and strict: every word, number, name
and sign of one sentence must be in the other, in an order that says the same. What may differ is
listed: articles and fillers, a restating opening, synonyms, contractions, and the position of a
phrase that a preposition opens. Whatever is not listed counts as a difference.

Source: Comfrey §4.5.2 removes what is similar; that facts are compared first is ours.

The tables of synonyms, which may replace one another anywhere, are our own and short, because a
sentence embedder does not know: on single words all-MiniLM-L6-v2 puts ``tenant``/``landlord``
(0.84), ``Monday``/``Tuesday`` (0.87) and ``buyer``/``seller`` (0.83) nearer to each other than
``help``/``assist`` (0.40) or ``repair``/``fix`` (0.63). A word that stands in no table is a synonym
of itself alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import msgspec

__all__ = [
    "BREAK",
    "EMPTY",
    "MAX_CHARACTERS",
    "MOVABLE",
    "NEGATIONS",
    "NUMBER_WORDS",
    "Statement",
    "difference",
    "fold_titles",
    "read_statement",
    "read_words",
    "same_word",
]

EMPTY = frozenset(
    {"a", "an", "the", "very", "really", "simply", "basically", "actually", "indeed", "please",
     "also", "essentially"}
)  # fmt: skip
"""Nothing is lost with them. Articles: what is said of ``the`` and of ``a`` thing differs rarely,
and the embedder is asked besides."""

NEGATIONS = frozenset(
    {"not", "no", "never", "none", "neither", "nor", "without", "nobody", "nothing", "nowhere",
     "hardly", "barely", "cannot", "except", "unless"}
)  # fmt: skip

MOVABLE = frozenset(
    {"in", "on", "at", "by", "for", "from", "to", "with", "without", "within", "during", "through",
     "after", "before", "until", "since", "because", "if", "unless", "when", "while", "although",
     "though", "as", "under", "over", "between", "among", "into", "onto", "per", "despite",
     "throughout", "across", "along", "near", "via"}
)  # fmt: skip
"""Prepositions and conjunctions: what follows one may stand elsewhere in the sentence. ``and``
and ``or`` are none: what they join has an order."""

MARKERS: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split())
    for line in (
        "in other words", "as mentioned", "as mentioned above", "as mentioned before",
        "as mentioned earlier", "as mentioned previously", "as noted above", "as noted earlier",
        "as noted before", "as stated above", "as stated earlier", "as stated before",
        "as i said", "as i mentioned", "as i said before", "to repeat", "to reiterate", "again",
        "once again", "to put it differently", "put differently", "additionally", "furthermore",
        "moreover", "in addition", "remember", "note that", "please note that", "keep in mind that",

        "simply put", "put simply", "as a reminder", "be sure to",
        "make sure to", "make sure that you", "make sure you", "remember to", "do not forget to",
        "remember that", "it is important to", "always remember to",
    )
)  # fmt: skip
"""Openings, before a comma or not, that say nothing of what follows. A sentence that opens with
another connective (``however``, ``for example``) hangs on what stands before it."""

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")
    )
}  # fmt: skip

_VERBS = (
    "start begin commence", "help assist aid", "buy purchase", "repair fix mend", "need require",
    "show demonstrate", "improve enhance", "reduce lower decrease lessen", "ensure guarantee",
    "increase raise", "use utilize utilise employ", "choose select pick", "obtain get acquire",
    "keep retain", "permit allow", "prevent avert", "verify check", "remove delete erase",
    "send transmit", "receive get", "finish complete", "happen occur", "explain clarify",
    "gather collect", "construct build", "modify alter change", "inform notify", "reply answer",
    "attempt try", "consume eat", "examine inspect", "forbid prohibit", "launch start",
    "maintain keep", "mention state", "aid support", "enable allow", "organize organise",
    "analyze analyse", "recognize recognise", "optimize optimise", "minimize minimise",
)  # fmt: skip

_OTHERS = (
    "big large", "huge enormous", "small little", "quick fast rapid", "quickly fast rapidly",
    "important crucial vital essential", "often frequently", "sometimes occasionally",
    "usually generally typically normally", "nearly almost", "roughly approximately about",
    "many numerous", "enough sufficient", "main primary principal", "whole entire", "right correct",
    "wrong incorrect", "simple easy", "difficult hard", "begin start", "child kid",
    "lorry truck", "car automobile", "employee staff", "handbook manual", "writer author",
    "doctor physician", "firm company", "method approach", "error mistake", "benefit advantage",
    "drawback disadvantage", "goal objective", "movie film", "picture image",
    "however nevertheless", "therefore thus hence", "must need", "perhaps maybe",
    "colour color", "favourite favorite", "behaviour behavior", "centre center", "litre liter",
    "metre meter", "flavour flavor", "neighbour neighbor", "grey gray", "programme program",
    "mobile cell", "illness disease", "price cost", "regularly routinely", "various diverse",
    "completely entirely fully totally", "immediately instantly", "annually yearly",
    "comprehensive thorough", "vital critical", "accurate precise", "wealthy rich", "silent quiet",
)  # fmt: skip

_IRREGULAR = {
    "began": ("begin", "ed"), "bought": ("buy", "ed"), "chose": ("choose", "ed"),
    "got": ("get", "ed"), "kept": ("keep", "ed"), "sent": ("send", "ed"), "built": ("build", "ed"),
    "shown": ("show", "ed"), "showed": ("show", "ed"), "beginning": ("begin", "ing"),
    "getting": ("get", "ing"), "running": ("run", "ing"), "tried": ("try", "ed"),
    "children": ("child", ""),
}  # fmt: skip

_S_WITHOUT_PLURAL = ("ss", "us", "is")


def same_word(word: str) -> str:
    """Return the word that stands for all synonyms of a word in lower case: ``bought`` for
    ``purchased``."""
    known = _synonym_classes()
    if word in known:
        return known[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(_S_WITHOUT_PLURAL):
        singular = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
        return known.get(singular, singular)
    return word


@lru_cache(maxsize=1)
def _synonym_classes() -> dict[str, str]:
    """Return the class of each known form; the first table that names a word decides."""
    leaders: dict[str, str] = {}
    classes: dict[str, str] = {}
    for group in _VERBS:
        leader = _leader(group, leaders)
        for verb in group.split():
            for form, tag in _forms(verb):
                classes.setdefault(form, leader + tag)
    for group in _OTHERS:
        leader = _leader(group, leaders)
        for word in group.split():
            classes.setdefault(word, leader)
    for form, (base, tag) in _IRREGULAR.items():
        leader = leaders.get(base, base)
        classes[form] = f"{leader}+{tag}" if tag else leader
    return classes


def _leader(group: str, leaders: dict[str, str]) -> str:
    """Return the class of a group of synonyms: that of its first word that has one, else a new one.

    Only words without a class join it: ``start`` in two groups does not make one of them.
    """
    first = group.split(maxsplit=1)[0]
    leader = leaders.get(first, first)
    for word in group.split():
        leaders.setdefault(word, leader)
    return leader


def _forms(verb: str) -> list[tuple[str, str]]:
    stem = verb.removesuffix("e")
    past = verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeou" else stem + "ed"
    third = verb[:-1] + "ies" if past.endswith("ied") else verb + "s"
    return [(verb, ""), (third, ""), (past, "+ed"), (stem + "ing", "+ing")]


MAX_CHARACTERS = 4_000
"""A longer passage is no sentence; it equals only itself."""

_CACHED_WORD = 40
_TOKEN = re.compile(
    r"\w+(?:(?:[-'\u2019./@:+#]|(?<=\d),(?=\d))\w+)*(?:[+#]+(?=[\s.,;:!?)]|\Z))?|[^\w\s]"
)
"""A word with the marks inside it (``state-of-the-art``, ``1,000``, ``C++``), or a sign."""
_SILENT = frozenset(".,;:!?\"'()[]{}*`\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026\u2013\u2014-")
"""Signs that say nothing by themselves."""
_BREAKS = frozenset(",;:()\u2013\u2014")
"""Silent signs that end a phrase."""
_CODE = re.compile(r".*[\d_./@+#]|.+[A-Z]", re.DOTALL)
"""A word that is no plain word: with digits, signs, or capitals inside."""
_COUNTED = re.compile(rf"(\d{{1,6}}|{'|'.join(NUMBER_WORDS)})-([a-z]{{3,}})\Z", re.IGNORECASE)
"""``two-minute``, which ``2-minute`` is."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+\Z")
_BE = {"is": "be", "are": "be", "am": "be", "were": "was", "can't": "can not", "cannot": "can not",
       "won't": "will not", "shan't": "shall not", "ain't": "be not", "it's": "it be",
       "i'm": "i be", "that's": "that be", "there's": "there be", "let's": "let us"}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "be", "'ll": "will", "'ve": "have", "'s": "'s", "'m": "be"}
BREAK = "\0"
"""Stands for a comma among the tokens; no text holds it as a token of its own."""
_LEADING = frozenset({"that", "to", "you"})
"""Restating openings that end so need no comma behind them."""
_ADDING = frozenset({"and", "because", "so", "which"})
"""First words of a part that only adds to the sentence before it."""
_LIMITING = NEGATIONS | {"but", "if", "when", "only", "while", "although", "though", "however"}


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """The content of one sentence, list item or line."""

    tokens: tuple[str, ...]
    """The words in order, each as its class, or as it is."""
    marked: tuple[str, ...]
    """The tokens with ``BREAK`` where a comma, a colon or a bracket stands."""
    core: tuple[str, ...]
    """The tokens that no preposition has taken along."""
    phrases: tuple[tuple[str, ...], ...]
    """The phrases that one opens; sorted where they may stand elsewhere."""
    capitals: frozenset[str]
    """Words with a capital that is not due to their place."""
    plain: frozenset[str]
    question: bool


def read_words(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text as written.

    Blanks, quotation marks, emphasis and the case of the first letter are left out, so two texts
    with the same words are the same text.
    """
    words = [word for word in _TOKEN.findall(text) if word not in _SILENT or word == "?"]
    words = [x.replace(",", "") if "," in x and _THOUSANDS.match(x) else x for x in words]
    if words and not _CODE.match(words[0]):
        words[0] = words[0].casefold()
    return tuple(words)


def fold_titles(words: Sequence[str]) -> tuple[str, ...]:
    """Return words in lower case where they have the case of titles: ``Get a Job`` is ``get a
    job``. Codes such as ``iPhone`` keep theirs."""
    return tuple(word.casefold() if word.istitle() else word for word in words)


def read_statement(text: str) -> Statement:
    """Read the content of a sentence. A text longer than ``MAX_CHARACTERS`` is read as one opaque
    token."""
    if len(text) > MAX_CHARACTERS:
        whole = (text,)
        return Statement(tokens=whole, marked=whole, core=whole, phrases=(), capitals=frozenset(),
                     plain=frozenset(), question=False)  # fmt: skip
    tokens: list[str] = []
    capitals: set[str] = set()
    plain: set[str] = set()
    first = True
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in _SILENT and not _is_sign(text, match):
            if token in _BREAKS and tokens:  # nothing is parted from nothing: "Please, ..."
                tokens.append(BREAK)
            continue
        written = token.strip("_") or token
        if not first and written[0].isalpha() and written.casefold() not in EMPTY:
            (plain if written.islower() else capitals).add(written.casefold())
        tokens.extend(_classes(written) if len(written) <= _CACHED_WORD else _normalise(written))
        first = False
    tokens = _without_marker(tokens)
    core, phrases = _chunks(tokens)
    without_breaks = [token for token in tokens if token is not BREAK]
    return Statement(
        tokens=tuple(without_breaks),
        marked=tuple(tokens),
        core=core,
        phrases=phrases,
        capitals=frozenset(capitals),
        plain=frozenset(plain),
        question=text.rstrip(" \t\r\n\"')*_\u201d\u2019").endswith("?"),
    )


def difference(removed: Statement, kept: Statement) -> str:
    """Describe a fact of ``removed`` that ``kept`` does not have; empty where there is none.

    Not symmetric: ``Bring water.`` is in ``Bring water and food.``, not the other way round.
    """
    if removed.question != kept.question:
        return "one is a question"
    if removed.capitals & kept.plain or kept.capitals & removed.plain:
        word = min((removed.capitals & kept.plain) | (kept.capitals & removed.plain))
        return f"{word[:40]!r} is a name in one only"
    if removed.tokens == kept.tokens:
        return ""
    if Counter(removed.tokens) == Counter(kept.tokens):
        moved = removed.core == kept.core and removed.phrases == kept.phrases
        return "" if moved else "the order of the words differs"
    if not removed.tokens:
        return "one says nothing"
    size = len(removed.tokens)
    if len(kept.tokens) > size and kept.tokens[:size] == removed.tokens:
        rest = kept.tokens[size:]
        if rest[0] in _ADDING and not _LIMITING.intersection(rest):
            return ""
    return _first_difference(removed, kept)


def _first_difference(removed: Statement, kept: Statement) -> str:
    """Describe the most telling token that only one sentence has: a negation, a number, a name, a
    word."""
    ours, theirs = Counter(removed.tokens), Counter(kept.tokens)
    differing = [*(ours - theirs), *(theirs - ours)]
    for token in differing:
        if token in NEGATIONS:
            return f"{token!r} is in one only"
    for token in differing:
        if token[:1].isdigit():
            return f"the number {token[:40]} is in one only"
    for token in differing:
        if token in removed.capitals | kept.capitals:
            return f"the name {token[:40]!r} is in one only"
    return f"{differing[0][:40]!r} is in one only"


def _is_sign(text: str, match: re.Match[str]) -> bool:
    """Return whether a silent character means something here: a minus before a number, a
    multiplication sign between two."""
    sign, following = match.group(), text[match.end() : match.end() + 2]
    before = text[max(0, match.start() - 1) : match.start()]
    if sign in "-\u2013":
        return following[:1].isdigit() and not before.isalnum()
    return sign == "*" and before == " " and following[:1] == " " and following[1:].strip() != ""


@lru_cache(maxsize=8_192)
def _classes(written: str) -> tuple[str, ...]:
    """Return ``_normalise`` of a word, cached: words come again and again."""
    return tuple(_normalise(written))


def _normalise(written: str) -> list[str]:
    """Return a written word as the classes of the words that it stands for: ``don't`` is ``do
    not``."""
    if _THOUSANDS.match(written):
        return [written.replace(",", "")]
    if counted := _COUNTED.match(written):
        number, noun = counted.group(1).casefold(), counted.group(2)
        return [f"{NUMBER_WORDS.get(number, number)}-{same_word(noun)}"]
    if _CODE.match(written):
        if written.isupper() and written.isalpha():
            return [written.casefold()]
        stem, tick, ending = written.replace("\u2019", "'").rpartition("'")
        return [stem, tick + ending] if tick and ending == "s" else [written]
    word = written.casefold().replace("\u2019", "'")
    if word in _BE:
        return _BE[word].split()
    for ending, says in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return [same_word(word[: -len(ending)]), says]
    if word in EMPTY:
        return []
    if word in NUMBER_WORDS:
        return [NUMBER_WORDS[word]]
    return [same_word(word)]


def _without_marker(tokens: list[str]) -> list[str]:
    """Return the tokens without a restating opening: ``in other words``."""
    for words, whole in _markers().get(tokens[0], ()) if tokens else ():
        if tokens[: len(words)] == words:
            rest = tokens[len(words) :]
            if rest[:1] == [BREAK]:
                return rest[1:]
            if whole:
                return rest
    return tokens


@lru_cache(maxsize=1)
def _markers() -> dict[str, list[tuple[list[str], bool]]]:
    """Return the restating openings by their first word, longer ones first, each with whether it
    needs no comma behind it (``note that``)."""
    by_first: dict[str, list[tuple[list[str], bool]]] = {}
    for marker in sorted(MARKERS, key=len, reverse=True):
        words = [same_word(word) for word in marker if word not in EMPTY]
        by_first.setdefault(words[0], []).append((words, marker[-1] in _LEADING))
    return by_first


def _chunks(tokens: list[str]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Split tokens into those that stay in order and the phrases that may move.

    A phrase runs from its preposition to the next one, or to a comma.
    """
    core: list[str] = []
    phrases: list[tuple[str, ...]] = []
    phrase: list[str] | None = None
    for token in [*tokens, BREAK]:
        if token is BREAK or token in MOVABLE:
            if phrase is not None:
                phrases.append(tuple(phrase))
            phrase = [token] if token is not BREAK else None
        elif phrase is not None:
            phrase.append(token)
        else:
            core.append(token)
    # "at 9 on Monday and at 10 on Friday": which belongs to which is told by the order alone.
    openings = {phrase[0] for phrase in phrases}
    free = len(openings) == len(phrases) or not {"and", "or"}.intersection(tokens)
    return tuple(core), tuple(sorted(phrases) if free else phrases)
