"""Synonyms that may replace one another anywhere, and words that say nothing of their own.

The tables are our own and short, because a sentence embedder does not know: on single words
all-MiniLM-L6-v2 puts ``tenant``/``landlord`` (0.84), ``Monday``/``Tuesday`` (0.87) and
``buyer``/``seller`` (0.83) nearer to each other than ``help``/``assist`` (0.40) or
``repair``/``fix`` (0.63). A word that stands in no table is a synonym of itself alone.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["EMPTY", "MARKERS", "MOVABLE", "NEGATIONS", "NUMBER_WORDS", "same_word"]

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
    known = _classes()
    if word in known:
        return known[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(_S_WITHOUT_PLURAL):
        singular = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
        return known.get(singular, singular)
    return word


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
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
