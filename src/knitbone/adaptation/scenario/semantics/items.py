"""Repeated list items: what another item of the same list says, in the same words or in others.

Whether a list may hold something twice depends on what it lists. Ideas, goals or reasons are
distinct things; a step may have to be done twice, though not right after itself; what is drawn,
counted or scheduled comes as often as it comes. The kind of list is told by the prompt and by the
line before the list.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.facts import fold_titles, read_words
from knitbone.adaptation.scenario.paraphrase import read_form
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Repetition
from knitbone.adaptation.scenario.semantics.guards import (
    MIN_ITEM_WORDS,
    asks_for_procedure,
    request_text,
)
from knitbone.adaptation.scenario.semantics.sentences import Pair, candidate_pairs, judge_pairs

__all__ = ["find_repeated_items", "find_reworded_items", "may_come_again"]

_Kind: TypeAlias = Literal["distinct", "steps", "tally", "unknown"]

_MIN_SIBLINGS = 5
"""A list of fewer short items may be a tally."""
_MIN_NAME = 4
_MIN_REWORDED = 3
_LONG = 8
"""Words: an item that long says by itself what it is about."""
_UNMISTAKABLE = 12
"""Words: nobody has so much done twice in the same words."""
_MIN_SPECIFIC = 3
"""Words of three letters and more that make a step one of a kind: ``Grease the baking tin``."""
_INTRODUCTION = 300
"""Characters before a list that may say what it lists."""

_DISTINCT = re.compile(
    r"\b(?:ideas?|points|reasons|tasks?|goals?|topics?|features|names|tips|benefits|advantages|"
    r"disadvantages|suggestions|recommendations|options|keywords|requirements|objectives|findings|"
    r"issues|risks|to-?do(?: list)?s?|action items|takeaways|guests|attendees|shopping list|"
    r"things to|facts|strategies|ways|questions|examples|remarks)\b",
    re.IGNORECASE,
)
_TALLY = re.compile(
    r"\b(?:random|sequence|simulat\w*|sampl\w*|data ?set|rows?|records?|roll(?:ed|s)?|flips?|toss|"
    r"shuffle|pattern|schedule|timetable|playlist|workout|exercises?|sets|reps|chords?|meal plan|"
    r"menu|itinerary|logs?|votes?|responses|results of|transcript|knit|crochet|rounds?|laps?|"
    r"scores?|daily|weekly|per day|each day|every day|day by day|calendar|dance|song|lyrics)\b",
    re.IGNORECASE,
)
_AGAIN = frozenset({"again", "twice", "thrice", "repeat", "times", "x2", "2x", "x3", "3x", "ditto"})
"""Such an item tells that something comes again."""
_ANOTHER = frozenset(
    {"once", "more", "another", "second", "third", "next", "other", "same", "back"}
)
"""Words by which a short item tells the same."""
_DONE_AGAIN = frozenset(
    read_form(word).base
    for word in (
        "add", "apply", "bake", "beat", "blend", "boil", "breathe", "build", "call", "check",
        "chill", "clean", "click", "close", "cool", "cook", "combine", "commit", "cover", "dip",
        "drain", "drink", "drop", "dry", "eat", "enter", "exhale", "flip", "fold", "go", "heat",
        "hit", "hold", "inhale", "jog", "jump", "knead", "let", "lift", "listen", "look", "lower",
        "measure", "mix", "move", "open", "pause", "place", "play", "pour", "press", "pull",
        "push", "put", "raise", "reboot", "refresh", "remove", "repeat", "reset", "rest",
        "restart", "return", "reverse", "rinse", "roll", "rotate", "rub", "run", "sand", "save",
        "season", "select", "shake", "simmer", "sit", "sleep", "spray", "sprinkle", "stand",
        "start", "step", "stir", "stop", "stretch", "swing", "switch", "take", "tap", "test",
        "tighten", "turn", "update", "wait", "walk", "warm", "wash", "water", "whisk", "wipe"
    )
)  # fmt: skip
"""Verbs of steps that a procedure often has done twice."""


class _Item(msgspec.Struct, frozen=True, kw_only=True):
    """An item of a list, with the atoms of everything nested in it."""

    order: int
    """Among the items of its list."""
    text: str
    words: tuple[str, ...]
    atoms: tuple[int, ...]
    numbered: bool


class _List(msgspec.Struct, frozen=True, kw_only=True):
    """A list, and whether it may hold something twice."""

    items: tuple[_Item, ...]
    kind: _Kind
    counts: bool
    """So much of it comes twice that it counts."""


def find_repeated_items(answer: AnswerAtoms, invocation: Invocation) -> list[Repetition]:
    """Find items in the words of an earlier one of the same list, nested ones included."""
    first = [
        fold_titles(answer.atoms[indices[0]].words) for indices in _atoms_of_items(answer).values()
    ]
    if len(set(first)) == len(first):
        return []
    found: list[Repetition] = []
    for listed in _lists(answer, invocation):
        earlier: dict[tuple[str, ...], _Item] = {}
        for item in listed.items:
            invocation.deadline.check()
            words = fold_titles(item.words)
            origin = earlier.setdefault(words, item) if words else item
            if origin is not item:
                found.append(_repetition(origin, item, _why_kept(listed, origin, item)))
                earlier[words] = item if origin.order == item.order - 1 else origin
    return found


def find_reworded_items(answer: AnswerAtoms, invocation: Invocation) -> list[Repetition]:
    """Find items of one sentence with the facts of another one in other words; the later of two is
    to go."""
    lone = [
        indices[0]
        for indices in _atoms_of_items(answer).values()
        if len(indices) == 1 and len(answer.atoms[indices[0]].words) >= _MIN_REWORDED
    ]
    # An item that says less than another is an item of its own: of alternatives the one may be
    # ``a team member``, the next ``a team member and a developer``.
    pairs = [pair for pair in candidate_pairs(answer, lone, invocation.deadline) if pair.both]
    if not pairs:
        return []
    lists = _lists(answer, invocation)
    items = {item.atoms[0]: (listed, item) for listed in lists for item in listed.items}
    found: list[Repetition] = []
    open_: list[Pair] = []
    for pair in pairs:
        if pair.kept not in items or pair.gone not in items:
            continue
        (listed, first), (other, again) = sorted(
            (items[pair.kept], items[pair.gone]), key=lambda known: known[1].order
        )
        if listed is not other or fold_titles(first.words) == fold_titles(again.words):
            continue
        if reason := _why_kept(listed, first, again):
            found.append(_repetition(first, again, reason))
        else:
            open_.append(pair)
    for pair, alike in judge_pairs(answer, open_, invocation):
        kept, gone = items[pair.kept][1], items[pair.gone][1]
        if gone.order < kept.order:
            kept, gone = gone, kept
        reason = "" if alike else "no embedder to compare the meaning"
        found.append(_repetition(kept, gone, reason))
    return found


def may_come_again(answer: AnswerAtoms, period: int, invocation: Invocation) -> bool:
    """Return whether an answer whose first ``period`` atoms come again as a whole may mean it.

    Exercises and steps do, unless their numbers start again too.
    """
    first, again = (answer.blocks[answer.atoms[place].block] for place in (0, period))
    if again.number is not None and again.number == first.number:
        return False
    several = answer.atoms[0].block != answer.atoms[period - 1].block
    asked = request_text(invocation)
    return several and bool(_TALLY.search(asked) or asks_for_procedure(invocation, answer))


def _repetition(kept: _Item, gone: _Item, reason: str) -> Repetition:
    return Repetition(kept=kept.atoms[0], gone=gone.atoms, kind="list item", reason=reason)


def _lists(answer: AnswerAtoms, invocation: Invocation) -> list[_List]:
    series: dict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(answer.blocks):
        if block.kind == "item":
            series[block.series].append(index)
    atoms_of = _atoms_of_items(answer)
    return [
        _list(answer, indices, atoms_of, invocation)
        for indices in series.values()
        if len(indices) > 1
    ]


def _atoms_of_items(answer: AnswerAtoms) -> dict[int, list[int]]:
    """Return the atoms of every item with those of what is nested in it."""
    found: dict[int, list[int]] = {}
    open_: list[int] = []
    for at, atom in enumerate(answer.atoms):
        while open_ and answer.blocks[open_[-1]].extent <= atom.start:
            open_.pop()
        if answer.blocks[atom.block].kind == "item" and atom.block not in found:
            open_.append(atom.block)
            found[atom.block] = []
        for item in open_:
            found[item].append(at)
    return found


def _list(
    answer: AnswerAtoms,
    indices: Sequence[int],
    atoms_of: Mapping[int, Sequence[int]],
    invocation: Invocation,
) -> _List:
    """Return a list with its items, by the indices of their blocks."""
    items: list[_Item] = []
    for index in indices:
        block = answer.blocks[index]
        atoms = atoms_of.get(index, ())
        text = answer.text[block.body : block.extent]
        if atoms:
            items.append(
                _Item(
                    order=len(items),
                    text=text.strip(),
                    words=read_words(text),
                    atoms=tuple(atoms),
                    numbered=block.number is not None,
                )
            )
    return _List(
        items=tuple(items),
        kind=_kind(answer, indices[0], invocation),
        counts=_is_tally(items),
    )


def _is_tally(items: Sequence[_Item]) -> bool:
    """Return whether so much of a list comes again that it counts something: ``heads``, ``tails``,
    ``heads``.

    A whole sentence that comes again and again right after itself counts nothing: the model was
    stuck.
    """
    words = [fold_titles(item.words) for item in items]
    counted = [
        said
        for before, said in zip([(), *words], words, strict=False)
        if said != before or len(said) < MIN_ITEM_WORDS
    ]
    times = Counter(counted)
    return max(times.values(), default=0) > 2 or len(times) * 2 < len(counted)


def _kind(answer: AnswerAtoms, place: int, invocation: Invocation) -> _Kind:
    """Return what a list holds, told by the line before it and by the request."""
    block = answer.blocks[place]
    before = answer.text[max(0, block.start - _INTRODUCTION) : block.start]
    asked = request_text(invocation)
    if _TALLY.search(asked) or _TALLY.search(before) or "ingredients" in before.casefold():
        return "tally"
    label = block.marker.strip("*(").partition(" ")[0].casefold()
    if label == "step" or asks_for_procedure(invocation, answer):
        return "steps"
    if label.isalpha() and len(label) > 1:
        return "distinct"
    return "distinct" if _DISTINCT.search(asked) or _DISTINCT.search(before) else "unknown"


def _why_kept(listed: _List, first: _Item, again: _Item) -> str:
    """Return the reason why an item that comes twice stays; empty where it may go."""
    beside = again.order - first.order == 1
    return _why_said_again(again.words, beside=beside) or _why_listed_again(listed, first, again)


def _why_said_again(words: Sequence[str], *, beside: bool) -> str:
    """Return the reason that the words of an item give for it to come twice."""
    if words[-1] == "?" and not beside:
        return "it is a question"
    signs = _AGAIN if len(words) >= _LONG else _AGAIN | _ANOTHER
    if len(words) >= _LONG and words[0].casefold() != "again":
        signs = signs - {"again"}  # "Unplug it, wait, and plug it in again."
    if not signs.isdisjoint(word.casefold() for word in words):
        return "it says that it comes again"
    if words[0][0].isdigit() or (len(words) < MIN_ITEM_WORDS and _is_counting_item(words)):
        return "it is a quantity"  # of another dish, on another day
    if len(words) < 2 or not _says_much(words):
        return "it is short"
    return ""


def _why_listed_again(listed: _List, first: _Item, again: _Item) -> str:
    """Return the reason that the list gives for an item to come twice; the first rule that fits
    decides."""
    words = again.words
    beside = again.order - first.order == 1
    if listed.counts:
        return "the list counts what comes again"
    if len(words) >= _UNMISTAKABLE:
        return ""
    if listed.kind == "tally" and not (beside and len(words) >= _LONG):
        return "what is listed may come again"
    if beside and listed.kind == "steps" and len(words) < MIN_ITEM_WORDS:
        return "a step may come twice"  # "Turn left.", "Turn left."
    if beside or listed.kind == "distinct":
        return ""
    if listed.kind == "steps" or again.numbered:
        return "" if _is_specific(words) else "a step may come twice"
    if len(words) < MIN_ITEM_WORDS and len(listed.items) < _MIN_SIBLINGS:
        return "it is short"
    return ""


def _is_counting_item(words: Sequence[str]) -> bool:
    return any(character.isdigit() for word in words for character in word)


def _says_much(words: Sequence[str]) -> bool:
    """Return whether an item says more than ``yes``, ``1`` or ``-``: of those a list may hold
    many."""
    return sum(len(word) for word in words if word.isalpha()) >= _MIN_NAME


def _is_specific(words: Sequence[str]) -> bool:
    """Return whether nothing has a step done twice: it says with what, and is none of the usual
    ones."""
    telling = sum(len(word) > 2 and word.casefold() not in ("the", "and") for word in words)
    usual = read_form(words[0].casefold()).base in _DONE_AGAIN
    return len(words) >= MIN_ITEM_WORDS and telling >= _MIN_SPECIFIC and not usual
