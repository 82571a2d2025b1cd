"""Iterations of a loop that refines an answer: whether one says nothing that the one before did
not.

The loop then ends with the iteration before (Comfrey §4.5.2), so that little is lost where this is
wrong, and the test may be bolder than the one before a removal: sentences may stand in another
order, be merged, or be worded anew. What is new is a fact: a number, a name, a negation, a limit,
a sentence, or one word in the place of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import product

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.facts import EMPTY, MOVABLE, NEGATIONS, NUMBER_WORDS
from knitbone.adaptation.scenario.paraphrase import bases, read_form
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Atom, read_answer
from knitbone.adaptation.scenario.semantics.sentences import says_all
from knitbone.adaptation.text.wrappers.remarks import without_introduction
from knitbone.common.thresholds import thresholds_for

__all__ = ["repeats"]

_MAX_TEXT = 131_072
_MAX_COMPARED = 60
"""Sentences that have no match in the same words; of more no rewording is looked for."""
_MAX_WORDS = 200
"""Words of one sentence; a longer one is no sentence."""
_LENGTH = 0.3
"""Share by which the length may differ."""
_OVERLAP = 0.5
"""Share of the base forms of a sentence that the other version has to have."""
_MERGED_MARGIN = 0.2
"""How far under tau_redundancy a sentence may be that was merged with another one."""
_BE = frozenset({"is", "are", "was", "were", "be"})
_POINTING = bases(("it", "which", "that", "there", "this", "they", "them", "so", "also"))
_PREFIXES = ("un", "non", "in", "im", "dis")
_FACTS = NEGATIONS | {
    "before", "after", "until", "under", "over", "more", "less", "fewer", "most", "least", "than",
    "only", "all", "some", "every", "must", "may", "might", "can", "could", "should", "would", "if",
    "or", "left", "right", "up", "down", "off", "out", "in", "first", "last",
}  # fmt: skip
"""Words that decide what is so, though many sentences have them."""
_LOOSE_FACTS = frozenset({"in", "can", "would", "up", "out"})
"""Deciding words of which a construction may add or drop one (``come in free``, ``you can
buy``)."""


def repeats(answer: str, earlier: str, invocation: Invocation) -> bool:
    """Return whether an iteration says nothing that the one before did not say, and nothing less.

    Code, data and tables have to be the same apart from blanks. Sentences that are not the same in
    another construction have to have the same facts, half of their words, and a cosine over
    tau_redundancy; without an embedder the same words in base form.

    Raises:
        TimeoutError: the deadline has passed.
    """
    if answer.strip() == earlier.strip():
        return True
    if max(len(answer), len(earlier)) > _MAX_TEXT:
        return False
    ours, theirs = (
        read_answer(without_introduction(text), invocation.deadline) for text in (answer, earlier)
    )
    if not ours.atoms or _fixed_parts(ours) != _fixed_parts(theirs):
        return False
    left, right = _unmatched(ours, theirs, invocation)
    if not left and not right:
        return True
    if not left or not right or len(left) + len(right) > _MAX_COMPARED:
        return False
    if any(len(atom.words) > _MAX_WORDS for atom in (*left, *right)):
        return False
    return _same_facts(left, right) and _is_reworded(left, right, invocation)


def _fixed_parts(answer: AnswerAtoms) -> Counter[tuple[str, ...]]:
    """Count what must not change: blocks that are never cut, and the number of items."""
    fixed = Counter(tuple(atom.text.split()) for atom in answer.atoms if atom.kind == "other")
    fixed[("item",)] += sum(block.kind == "item" for block in answer.blocks)
    return fixed


def _unmatched(
    ours: AnswerAtoms, theirs: AnswerAtoms, invocation: Invocation
) -> tuple[list[Atom], list[Atom]]:
    """Return the sentences of either that the other does not have, in whatever construction."""
    open_ = [atom for atom in theirs.atoms if atom.kind != "other"]
    left: list[Atom] = []
    by_words = Counter(atom.words for atom in open_)
    rest: list[Atom] = []
    for atom in ours.atoms:
        if atom.kind == "other":
            continue
        if by_words[atom.words]:
            by_words[atom.words] -= 1
        else:
            rest.append(atom)
    remaining: list[Atom] = []
    for atom in open_:
        if by_words[atom.words]:
            by_words[atom.words] -= 1
            remaining.append(atom)
    if len(rest) + len(remaining) > _MAX_COMPARED:
        return rest, remaining
    for atom in rest:
        claim = ours.claims[atom.text]
        for index, other in enumerate(remaining):
            invocation.deadline.check()
            their = theirs.claims[other.text]
            if says_all(claim, their) and says_all(their, claim):
                del remaining[index]
                break
        else:
            left.append(atom)
    return left, remaining


def _same_facts(left: Sequence[Atom], right: Sequence[Atom]) -> bool:
    ours, theirs = _words(left), _words(right)
    if abs(len(ours) - len(theirs)) > max(2, _LENGTH * max(len(ours), len(theirs))):
        return False
    if _facts(ours, theirs) != _facts(theirs, ours):
        return False
    return _names(left) <= set(theirs) and _names(right) <= set(ours)


def _words(atoms: Sequence[Atom]) -> list[str]:
    found: list[str] = []
    for atom in atoms:
        for word in atom.words:
            plain = word.casefold().replace("\u2019", "'")
            stem, negated, _ = plain.partition("n't")
            found.extend([stem, "not"] if negated else [NUMBER_WORDS.get(plain, plain)])
    return found


def _facts(words: Sequence[str], others: Sequence[str]) -> Counter[str]:
    """Count numbers and deciding words; ``unheated`` is a negation where the other says
    ``heated``."""
    known = {read_form(word).base for word in others}
    found: Counter[str] = Counter()
    for word in words:
        if any(character.isdigit() for character in word):
            found[word] += 1
        elif word in NEGATIONS:
            found["not"] += 1
        elif word in _FACTS:
            found[word] += word not in _LOOSE_FACTS
        elif any(
            word.startswith(prefix) and read_form(word.removeprefix(prefix)).base in known
            for prefix in _PREFIXES
        ):
            found["not"] += 1
    return +found


def _names(atoms: Sequence[Atom]) -> set[str]:
    """Return the words with a capital; the first of a sentence too where it may be a name."""
    names: set[str] = set()
    for atom in atoms:
        for index, word in enumerate(atom.words):
            if any(letter.isupper() for letter in word) and word != "I":
                names.add(word.casefold())
            elif index == 0 and word not in MOVABLE | EMPTY and read_form(word).base == word:
                names.update({word} if atom.text[:1].isupper() and _may_name(atoms, word) else ())
    return names


def _may_name(atoms: Sequence[Atom], word: str) -> bool:
    return not any(word in atom.words[1:] for atom in atoms) and word not in _OPENERS


_OPENERS = frozenset(
    {"there", "you", "we", "it", "this", "that", "these", "those", "they", "he", "she", "i", "your",
     "our", "my", "its", "their", "most", "many", "some", "all", "each", "every", "also", "then",
     "so", "and", "but", "or", "now", "here", "please"}
)  # fmt: skip


def _is_reworded(left: Sequence[Atom], right: Sequence[Atom], invocation: Invocation) -> bool:
    """Return whether the sentences share their words, none of them put in another's place."""
    ours = [bases(atom.words) - _POINTING for atom in left]
    theirs = [bases(atom.words) - _POINTING for atom in right]
    our, their = frozenset[str]().union(*ours), frozenset[str]().union(*theirs)
    if our == their:
        return _in_order(left, right)
    if our < their or their < our:
        return False  # something was added, or left out
    embedder = invocation.embedder
    if embedder is None:
        return False
    if not _enough_overlap(ours, theirs) or not _enough_overlap(theirs, ours):
        return False
    for one, other in product(left, right):
        invocation.deadline.check()
        if _exchanges_words(one.words, other.words):
            return False
    tau = invocation.config.tau_redundancy
    limit = thresholds_for(embedder.name).redundancy if tau is None else tau
    texts = [[*(atom.text for atom in atoms), " ".join(atom.text for atom in atoms)]
             for atoms in (left, right)]  # fmt: skip
    rows = embedder.embed([*texts[0], *texts[1]])
    cosines = rows[: len(texts[0])] @ rows[len(texts[0]) :].T
    nearest = [*cosines.max(axis=0), *cosines.max(axis=1)]
    whole = float(cosines[-1, -1]) > limit
    return whole and all(float(cosine) > limit - _MERGED_MARGIN for cosine in nearest)


def _in_order(left: Sequence[Atom], right: Sequence[Atom]) -> bool:
    """Return whether the same words are no exchange of two of them: ``A pays B``, ``B pays A``."""
    for one in left:
        for other in right:
            same = Counter(map(str.casefold, one.words)) == Counter(map(str.casefold, other.words))
            if same and one.words != other.words and not _is_inversion(one.words, other.words):
                return False
    return True


def _is_inversion(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one sentence is the other around its verb: ``Basses are welcome``, ``welcome
    are basses``."""
    left, right = _around_be(one), _around_be(other)
    return left is not None and right is not None and left == right[::-1]


def _around_be(words: Sequence[str]) -> tuple[list[str], list[str]] | None:
    plain = [word.casefold() for word in words]
    for index, word in enumerate(plain):
        if word in _BE:
            return sorted(plain[:index]), sorted(plain[index + 1 :])
    return None


def _enough_overlap(ones: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> bool:
    known = frozenset[str]().union(*others)
    return all(len(one & known) >= _OVERLAP * len(one) for one in ones)


def _exchanges_words(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one sentence is the other with a word or two replaced: that is a
    correction."""
    if bases(one) == bases(other):
        return False
    left, right = [word.casefold() for word in one], [word.casefold() for word in other]
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    kept = sum(end - start for kind, start, end, _, _ in steps if kind == "equal")
    return kept * 2 > max(len(left), len(right)) and any(
        kind == "replace" and bases(left[a:b]) - bases(right[c:d]) and bases(right[c:d])
        for kind, a, b, c, d in steps
    )
