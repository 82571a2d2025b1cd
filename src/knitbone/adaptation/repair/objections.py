"""What speaks against the delivery of a repaired answer, whoever repaired it.

Every repair passes here, whether a check, a search of paragraphs or a written value found it. The
code behind the output was rehearsed on the answer and on the repaired answer. An objection is a
fact about those two endings: a number that was cut off, a default in place of a value, a mark of
the notation within a value, a line that nothing reads beside lines that are read. Where there is
one, the answer is passed on as it came: a loud failure is better than a wrong value.

Source: Comfrey §4.3.1 leaves open what a repair may lose; these bounds are ours.
"""

# ruff: noqa: RUF001 - the minus signs and dashes that models write
# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from knitbone.adaptation.consumers.rehearsal import Ending, fields_of, is_same
from knitbone.adaptation.text.wrappers.remarks import may_take_back, says_nothing

if TYPE_CHECKING:
    from knitbone.adaptation.repair.conversions import Rehearse

__all__ = ["Content", "find_objection", "overrules_selection", "without_marks"]

Content: TypeAlias = Literal["template", "document", "code"]
"""What an answer is read as: text with marks of a template, a document that delimits its texts
itself, or code, to which marks may belong."""

_MAX_LEAVES = 500
"""Texts of a result that are looked at (ours)."""
_MAX_DEPTH = 6
"""Containers in one another that a result is looked through (ours)."""
_MAX_LINES = 16
"""Lines of an answer that are left out one by one (ours): each is a rehearsal."""
_MAX_COMPARED = 20_000
"""Characters of an answer whose values are looked for in it one by one (ours)."""
_MAX_PLACES = 8
"""Places of a value in an answer that are looked at (ours)."""

_CUT_OFF = re.compile(r"(?:[,([{:=]|(?<![\w.])[-+]|\.\.\.|…)\s*(?:\Z|\n?[`~]{3,}\s*\Z)")
"""The end of a text that goes on: an open bracket, a mark between values, dots."""
_CUT_NUMBER = re.compile(r"(?:(?<!\d):|[=(\[,;|\t])[\s*_`]{0,16}([-+]?\d+)\.\s*\Z")
"""A number behind a mark, not in a sentence, whose part behind the point is missing."""
_LONE_DASH = re.compile(
    r"^(?:-[ \t]{1,8})?[ \t*_`>\"']{0,16}(?:[−–][ \t]+[$€£]?\d|-[ \t]+[$€£]?\d[\d.,]*[ \t]*[°%])"
    r"|−[ \t]+[$€£]?\d",
    re.MULTILINE,
)
"""A number behind a minus sign, or behind a dash and before a unit of what may be negative: on a
line of its own it is no item of a list."""
_SIGNED = r"[-−–][ \t]{1,8}[$€£]?\d[\d.,]*"
_LEFT_OUT = (
    (
        re.compile(rf"(?<=[;,|=\t:])[ \t]{0, 16}(?:{_SIGNED}|\([ \t]{0, 8}[$€£]?\d[\d.,]*\)?)"),
        "a sign that stands apart from its number would be lost",
    ),
    (
        re.compile(rf"(?<![\w.,-])\d[\d.,]*[ \t]{1, 16}{_SIGNED}"),
        "a sign between two numbers would be lost",
    ),
    (
        re.compile(r"\b(?:[DMY]{2}|[dmy]{2}|YYYY|yyyy)(?:[-/.](?:[DMY]{2,4}|[dmy]{2,4}))+\b"),
        "the order of day and month would be lost",
    ),
)
"""What a repair must not leave out, and why."""
_LISTED = re.compile(r"^[^\w\n]{0,16}?(\d{1,3}(?=[.)]\s)|[-*•](?=\s))", re.MULTILINE)
"""The mark of an item: a number, or a bullet."""
_ITEM = re.compile(r"[ \t]*(\d{1,3})[.)][ \t]")
_CLOCK = re.compile(r"(?<![\w:.])(?:0?[1-9]|1[01])[:.][0-5]\d(?!\d)")
_CORRECTION = re.compile(
    r"(?:(?<=[.!?\n])|\A)[ \t*_>(\[]{0,16}"
    r"(?:(?:wait|correction|edit)\s?[,:.!…—-]|(?:actually|oops|scratch that|"
    r"i take (?:that|it|this) back|on (?:second thoughts?|reflection)|"
    r"sorry,? (?:this|that|it|the|i))\b)[^\n]*",
    re.IGNORECASE,
)
"""A sentence with which a writer corrects what was said before."""
_LATE = re.compile(r"\b(?:afternoon|evening|tonight|night|p\.?m)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"[*`~]|[#>]{1,6}\s|[-+•·]\s|\d{1,3}[.)]\s|[,;:|=→)\]]|={3,}|</?[A-Za-z][\w-]*>"
    r"|\\[A-Za-z]+\{|\S*\]\("
)
"""Marks of a notation before a value."""
_NUMBERED = re.compile(r"\s*(?:[-+*•·]|\d{1,3}[.)])\s")
_BEHIND = re.compile(
    r"(?:[*`~|=•]|\s#{1,6}|[,;:→(\[]|</[A-Za-z][\w-]*>"
    r"|\n[ \t]*(?:\d{1,3}[.)]|[^\w\s()\[\]{};]+))\s*\Z"
)
"""Marks of a notation behind a value."""
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_INNER_MARK = re.compile(r"(?<![^\W_])(?:\d{1,3}|[IVX]{1,4}|\d(?:st|nd|rd|th))[.)](?:\s|\Z)|[•·]\s")
"""The number or bullet of a list, within a text."""
_EMPHATIC_LABEL = re.compile(r"(?:\*\*|__)([^*_\n]{1,40}:)(?:\*\*|__)")
_FIRST_WORD = re.compile(r"\W*\w+")
_LAST_WORD = re.compile(r"\w+\W*\Z")
_AROUND = re.compile(r"""(["'`])(?:(?!\1).)*\1|“[^”]*”|‘[^’]*’""", re.DOTALL)
"""A value within quotation marks."""
_MAX_PHRASE = 60
"""Characters of a text that may be cut out of a phrase (ours)."""
_NEXT_WORD = re.compile(r"[ \t]+([^\W_][\w'-]*)")
_NAME_BEFORE = re.compile(r"(?<![^\W_])([A-Z][\w'-]*)[ \t]+\Z")
_CHANGES_NUMBER = re.compile(r"\d|x\Z|(?:thousand|million|billion|trillion|dozen|half|mio|bn|k)\b")
"""Words behind a number that make another one of it."""
_LINK = re.compile(r"and|or|is|are|was|were|as|at|on|in|to|of|for|the|an?|because", re.IGNORECASE)
"""Words behind a value with which a sentence goes on."""
_GOES_ON = re.compile(r"""\s*+(?:,\s*+)?[}\]]\s*+[,}\]]|\s*+,\s*+["'{\[]""")
"""The rest of a document from which brackets were taken."""
_MORE = re.compile(r"""[^\n`]{0,8}(?:["']\w|[\[{])""")
"""Texts or brackets right behind a document."""
_DEBRIS = re.compile(r"""\}\s*,?\s*\{|["']\s*:\s*["'\d{\[]|</?[A-Za-z][\w-]*\Z""")
"""Marks of a document within one of its texts: a record was swallowed."""
_STRUCTURE = re.compile(r"[^\w\s:,.'!?()-]|->|[;,|]\Z")
"""Marks that hardly stand in a sentence, or at its end."""
_BRACKETS = ("()", "[]", "{}")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_CODE_BEFORE = re.compile(r"[`~]{3}|>\s|<[A-Za-z][\w-]*>")
_CODE_BEHIND = re.compile(r"(?:[`~]{3}|\n>\s*|</[A-Za-z][\w-]*>)\s*\Z")
_SEPARATORS = ("→", "->", "=>", "|", ";", "\t")
"""Marks between the cells of a record that hardly stand within one."""
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)([^*_`\n]+?)(?<=\S)\1")
_LEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)", re.MULTILINE)
_TRAILING = re.compile(r"(?<![ \t])[ \t]+#{1,6}[ \t]*$", re.MULTILINE)
_DOCUMENT = re.compile(r"\s*[{\[<]")
_LABEL = re.compile(r"([^:=→|\n]{1,40}?)\s*(?:[:=→|]|->)")
_LINE_MARK = re.compile(r"\s*((?:(?:[-+*•·#>–]+|\d{1,3}[.)])\s+|\[[ xX]?\]\s*)*)")
"""The marks of a list before the words of a line."""
_MARK = re.compile(r"\s*((?:\d{1,3}[.)])?[^\w\s]*)")


def find_objection(
    text: str,
    plain: Ending | None,
    repaired: str,
    rehearse: Rehearse,
    *,
    kind: Content,
    check: Callable[[], None],
    completed: bool = False,
) -> str:
    """Return the reason why a repaired answer must not be delivered; empty: there is none.

    Args:
        text: the answer as it came.
        plain: what the code makes of it.
        kind: what the code reads the answer as.
        check: raises ``TimeoutError`` where the time is spent.
        completed: whether the repair has put something at the end of the answer.

    Raises:
        TimeoutError: ``check`` said so.
    """
    ending = rehearse(repaired)
    if ending is None or ending.kind != "returned":
        return ""
    doubts = ending.doubts - (plain.doubts if plain is not None else frozenset())
    if doubts:
        return min(doubts)
    if completed and ending.lacks:
        return "the answer may be cut off before a part that the code looks for"
    if kind == "document" and (reason := _left_beside(text, repaired, ending)):
        return reason
    if plain is not None and plain.kind == "raised" and _holds_nothing(ending, repaired):
        return "no value comes from the answer"
    for leaf in _new_leaves(plain, ending, check) if len(text) <= _MAX_COMPARED else ():
        if reason := _odd_value(text, repaired, leaf, kind):
            return reason
        if kind != "document" and (cut := _cut_phrase(text, repaired, leaf)):
            return f"a value would be cut out of {cut[:60]!r}"
        if isinstance(leaf, str) and _bears_mark(text, repaired, leaf, kind):
            return f"a mark of the answer's notation would be part of a value: {leaf[:60]!r}"
    if kind != "code" and (_ends_in_number(text, ending) or _is_unclosed(text)):
        return "the answer may be cut off"
    if reason := _another_reading(text, repaired, ending, kind):
        return reason
    if kind == "code" or _DOCUMENT.match(repaired):
        is_code = kind == "code"
        beside = (_words_before_code if is_code else _words_beside)(text, repaired)
        return "the words beside the document may take it back" if may_take_back(beside) else ""
    if _CUT_OFF.search(text) or any(text.count(m) > text.count(e) for m, e in _BRACKETS):
        return "the answer may be cut off"
    return _unread_line(text, repaired, ending, rehearse)


def _another_reading(text: str, repaired: str, ending: Ending, kind: Content) -> str:
    """Return what makes another value of the one that is delivered, and is left out; empty where
    nothing does."""
    if _is_corrected(text, repaired, ending):
        return "words behind the value may take it back"
    if kind == "template" and _promotes(text, repaired):
        return "a line that stands further in has the number of another one"
    alone = kind == "template" and "-" not in repaired
    if alone and len(list(islice(_LONE_DASH.finditer(text), 2))) == 1:
        return "a dash before a number may be its sign"
    late = kind == "template" and _LATE.search(text) and not _LATE.search(repaired)
    if late and any(time.group() in text for time in _CLOCK.finditer(repaired)):
        return "the half of the day would be lost"
    for pattern, reason in _LEFT_OUT if kind == "template" else _LEFT_OUT[:1]:
        if any(found.group() not in repaired for found in pattern.finditer(text)):
            return reason
    return ""


def _promotes(text: str, repaired: str) -> bool:
    """Return whether an item of a list within a list would become one of the outer list: the outer
    one has its number, too."""
    made = set(repaired.split("\n"))
    lines = text.split("\n")
    numbers = Counter(found[1] for line in lines if (found := _ITEM.match(line)))
    return any(
        line not in made
        and line.strip() in made
        and found[0][:1].isspace()
        and numbers[found[1]] > 1
        for line in lines
        if (found := _ITEM.match(line))
    )


def _is_corrected(text: str, repaired: str, ending: Ending) -> bool:
    """Return whether a sentence behind what is delivered corrects it, and is no part of it."""
    if len(text) > _MAX_COMPARED or _CORRECTION.search(text) is None:
        return False
    leaves = [str(leaf).strip() for leaf in _leaves(ending) if not isinstance(leaf, bool)]
    said = set(text.split("\n"))
    made = (line.split() for line in repaired.split("\n") if line not in said)
    changed = islice((words[-1] for words in made if words), _MAX_LEAVES)
    place = max((text.find(each) for each in (*leaves, *changed) if each), default=0)
    return any(
        not any(corrected.group().strip() in leaf for leaf in leaves)
        for corrected in _CORRECTION.finditer(text, max(place, 0))
    )


def _left_beside(text: str, repaired: str, ending: Ending) -> str:
    """Return why what is left out beside a document may be a part of the answer."""
    start = text.find(repaired.strip())
    if start < 0:
        return ""
    behind = text[start + len(repaired.strip()) :]
    if _GOES_ON.match(behind) or _MORE.match(behind):
        return "more of the document follows"
    words = (text[:start] + behind).casefold()
    last = words.split()[-1:]
    for name in ending.lacks:
        if last and behind.strip() and name.casefold().startswith(last[0]):
            return f"{name!r} may be cut off"
        if re.search(rf"(?<![^\W_]){re.escape(name.casefold())}(?![^\W_])", words):
            return f"the code goes on without {name!r}, which is named beside the document"
    return ""


def _new_leaves(
    plain: Ending | None, ending: Ending, check: Callable[[], None]
) -> Iterator[str | int | float | Decimal]:
    """Yield the single values that the code makes of a repaired answer and not of the answer."""
    known = [] if plain is None else list(_leaves(plain))
    texts = {leaf for leaf in known if isinstance(leaf, str)}
    for leaf in _leaves(ending):
        check()
        if leaf not in texts if isinstance(leaf, str) else leaf not in known:
            yield leaf


def _odd_value(text: str, repaired: str, leaf: Any, kind: Content) -> str:
    """Return the reason why a single value is none that an answer states; empty where it may be."""
    if isinstance(leaf, int) and not isinstance(leaf, bool) and kind == "template":
        counted = re.search(rf"^[ \t]*{leaf}(?![.):\d])", repaired, re.MULTILINE) is not None
        stated = [place.start() for place in re.finditer(rf"(?<!\d){leaf}(?!\d)", text)]
        marks = [m.start(1) for m in _LISTED.finditer(text)]
        invented = not stated and leaf <= len(marks) and len(marks) > 1
        if counted and (invented or (stated and set(stated) <= set(marks))):
            return f"the number {leaf} of a list would be a value"
    if isinstance(leaf, float) and not isfinite(leaf) and kind == "template":
        return "a value is not a number"
    if not isinstance(leaf, str) or not leaf.strip():
        return ""
    if _CONTROLS.search(leaf):
        return "a backslash and a letter would become a control character"
    if kind != "template" or leaf not in repaired:
        return ""
    if re.search(rf"{re.escape(leaf.strip())}(?:\.\.\.|…)", text):
        return "a value may be cut off"
    if leaf.strip() == repaired.strip():
        return ""
    if any(label[1] in leaf for label in _EMPHATIC_LABEL.finditer(text)):
        return "a label would be part of a value"
    if "\n\n" in leaf.strip() and "\n\n" in text.replace(leaf.strip(), ""):
        return "a value would go on over paragraphs, and others are left out"
    whole = _NUMBERED.match(leaf) and f"\n{leaf}\n" in f"\n{repaired}\n"
    marked = not whole and _INNER_MARK.search(leaf[:_MAX_PHRASE])
    if marked and not _is_delimited(leaf.strip(), text, kind):
        return f"a mark of a list would be part of a value: {leaf[:60]!r}"
    return ""


def _cut_phrase(text: str, repaired: str, leaf: Any) -> str:
    """Return the phrase out of which a repair would cut a value of the result: words behind it on
    its line are lost, or a name before it."""
    bare = str(leaf).strip()
    if isinstance(leaf, bool) or not 0 < len(bare) <= _MAX_PHRASE:
        return ""
    if isinstance(leaf, str) and not bare[-1].isalpha():
        return ""
    places = re.finditer(rf"(?<![\w.]){re.escape(bare)}(?!\w)", text)
    lost = [_lost_beside(leaf, place, repaired) for place in islice(places, _MAX_PLACES)]
    return lost[0] if lost and all(lost) else ""


def _lost_beside(leaf: Any, place: re.Match[str], repaired: str) -> str:
    """Return a value with a word beside it that the repair leaves out and that belongs to it."""
    behind = _NEXT_WORD.match(place.string, place.end())
    changes = behind and (isinstance(leaf, str) or _CHANGES_NUMBER.match(behind[1]))
    if behind is not None and changes and _is_lost(behind[1], repaired):
        return place.group() + behind.group()
    if not isinstance(leaf, str) or not leaf.strip()[:1].isupper():
        return ""
    line = place.string[max(0, place.start() - _MAX_PHRASE) : place.start()]
    before = _NAME_BEFORE.search(line)
    if before is None or not _is_lost(before[1], repaired):
        return ""
    return before.group() + place.group()


def _is_lost(word: str, repaired: str) -> bool:
    """Return whether a repair leaves out a word that is no link of a sentence."""
    return word not in repaired and _LINK.fullmatch(word) is None


def _words_before_code(text: str, repaired: str) -> str:
    """Return the line before the first fence that a repair has changed; empty where there is
    none."""
    made = set(repaired.split("\n"))
    before, is_open = "", False
    for line in text.split("\n"):
        if _FENCE.match(line):
            if not is_open and line not in made:
                return before
            is_open = not is_open
        before = line if line.strip() else before
    return ""


def _words_beside(text: str, document: str) -> str:
    """Return the words that stand on the lines on which a document begins and ends."""
    document = document.strip()
    start = text.find(document)
    if start < 0:
        return ""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before + " " + text[start + len(document) :].partition("\n")[0]


def _ends_in_number(text: str, ending: Ending) -> bool:
    """Return whether an answer ends in a number whose part behind the point is missing, and the
    code makes a number with such a part of it."""
    cut = _CUT_NUMBER.search(text)
    return cut is not None and any(
        not isinstance(value, int) and value == Decimal(cut[1]) for value in _numbers(ending)
    )


def _is_unclosed(text: str) -> bool:
    """Return whether a fence is opened and not closed, and the last word in it may be cut off."""
    opened = _FENCE.match(text)
    if opened is None or text.count(opened[1]) % 2 == 0:
        return False
    return text.rstrip()[-1:].isalnum()


def _bears_mark(text: str, repaired: str, leaf: str, kind: Content) -> bool:
    """Return whether a text of the result bears a mark of the answer's notation at one end."""
    bare = leaf.strip()
    if not bare or bare not in repaired or bare == repaired.strip():
        return False  # it is not of the answer, or is all of it
    if kind == "document" and not _DOCUMENT.match(bare) and _DEBRIS.search(bare):
        return True
    if _is_delimited(bare, text, kind):
        return False
    if kind == "code":
        return bool(_CODE_BEFORE.match(bare) or _CODE_BEHIND.search(bare))
    if any(mark in bare and 0 < repaired.count(mark) < text.count(mark) for mark in _SEPARATORS):
        return True  # others of them were replaced
    if bare.startswith("_") != bare.endswith("_") or _AROUND.fullmatch(bare):
        return True
    # A line that the code takes as a whole it takes with the number or bullet that it asks for.
    whole = _NUMBERED.match(leaf) and f"\n{leaf}\n" in f"\n{repaired}\n"
    found = (None if whole else _BEFORE.match(bare), _BEHIND.search(bare))
    # Marks that the repair has written, or moved to this word, are those that the code asks for.
    return any(
        repaired.count(mark.group().strip()) <= text.count(mark.group().strip())
        and _word_beside(mark) in text
        for mark in found
        if mark is not None
    )


def _word_beside(mark: re.Match[str]) -> str:
    """Return a mark at one end of a value together with the word of the value beside it."""
    whole = mark.string
    if mark.start() == 0:
        word = _FIRST_WORD.match(whole, mark.end())
        return whole[: word.end()] if word else whole
    word = _LAST_WORD.search(whole, max(0, mark.start() - _MAX_PHRASE), mark.start())
    return whole[word.start() :] if word else whole


def _holds_nothing(ending: Ending, repaired: str) -> bool:
    """Return whether the code makes nothing of an answer that says something."""
    if ending.effects or ending.value is None:
        return False  # what a function that returns nothing did with the answer is not seen
    if ending.is_empty:
        return any(each.isalnum() for each in repaired)
    return _holds_none(ending.value)


def _holds_none(value: Any) -> bool:
    """Return whether a result has places for values, and all of them are empty."""
    fields = fields_of(value)
    held = fields if fields is not None else value
    inner: list[Any] = list(held.values()) if isinstance(held, dict) else []
    if isinstance(held, list | tuple):
        inner = list(held)
    return bool(inner) and all(each is None or _holds_none(each) for each in inner)


def _is_delimited(leaf: str, text: str, kind: Content) -> bool:
    """Return whether an answer says where a text begins and ends: all within is the text's."""
    quoted = [json.dumps(leaf, ensure_ascii=False), json.dumps(leaf), f"'{leaf}'"]
    if kind == "document":
        quoted.append(f">{leaf}<")
    return any(each in text for each in quoted)


def _numbers(ending: Ending) -> Iterator[float | Decimal]:
    """Yield the numbers in what the code made of an answer."""
    return (each for each in _leaves(ending) if isinstance(each, int | float | Decimal))


def _leaves(ending: Ending) -> Iterator[str | int | float | Decimal]:
    """Yield the single values in what the code made of an answer."""
    pending = [(ending.value, 0), *((effect, 0) for effect in ending.effects)]
    for _ in range(_MAX_LEAVES):
        if not pending:
            return
        value, depth = pending.pop()
        if isinstance(value, str | int | float | Decimal):
            yield value
        elif depth < _MAX_DEPTH:
            inner = value if isinstance(value, list | tuple | set | frozenset) else ()
            if isinstance(value, dict):
                inner = [*value.keys(), *value.values()]
            elif (fields := fields_of(value)) is not None:
                inner = fields.values()
            pending.extend((each, depth + 1) for each in inner)


def _unread_line(text: str, repaired: str, ending: Ending, rehearse: Rehearse) -> str:
    """Return the reason why a line that nothing reads must be a part of what is read."""
    lines = repaired.split("\n")
    came = text.split("\n")
    full = [number for number, line in enumerate(lines) if any(c.isalnum() for c in line)]
    if not 1 < len(full) <= _MAX_LINES:
        return ""
    unread: list[str] = []
    read: set[str] = set()
    for number in full:
        left = rehearse("\n".join([*lines[:number], *lines[number + 1 :]]))
        if left is not None and _is_alike(left, ending):
            unread.append(lines[number])
            continue
        read |= _kinds_of(lines[number])
        if len(came) == len(lines):
            read |= _kinds_of(came[number])
    for line in unread:
        if _kinds_of(line) & read and not says_nothing(line):
            return f"nothing would read the line {line.strip()[:60]!r}"
    return ""


def _is_alike(one: Ending, other: Ending) -> bool:
    same = is_same((one.value, one.effects), (other.value, other.effects))
    return same and one.kind == other.kind


def _kinds_of(line: str) -> set[str]:
    """Return what a line has in common with the other records of a list: its label, or else its
    marks; and its shape, where numbers or marks behind the words tell it from a sentence."""
    mark = _MARK.match(line)
    start = mark.end() if mark else 0
    label = _LABEL.match(line, start)
    kind = label[1].strip(" *_`").casefold() if label else mark[1] if mark else ""
    kinds = {re.sub(r"\d+", "9", kind)}
    shape = re.sub(r"[^\W\d_]+(?: [^\W\d_]+)*", "w", re.sub(r"\d+", "9", line.strip()))
    if "9" in shape or (mark and mark[1]) or _STRUCTURE.search(shape):
        kinds.add(f"shape {shape}")
    return kinds


def overrules_selection(text: str, repaired: str) -> bool:
    """Return whether a repair gives lines with a mark of their own the mark of those that the code
    reads: it may choose by it (``- delete``, ``+ keep``).

    A number may take any mark's place where those before and behind it are there.
    """
    came, made = text.split("\n"), repaired.split("\n")
    if len(came) != len(made):
        return False
    marks = [_LINE_MARK.match(line) for line in made]
    kept = {
        _plain_mark(mark[1])
        for mark, old, new in zip(marks, came, made, strict=True)
        if old == new and mark is not None and mark[1]
    }
    for place, (old, new) in enumerate(zip(came, made, strict=True)):
        before, after = _LINE_MARK.match(old), marks[place]
        if old == new or before is None or after is None or not before[1] or not after[1]:
            continue
        was, is_now = _plain_mark(before[1]), _plain_mark(after[1])
        if was == is_now or is_now not in kept or was[:1] == "9":
            continue
        numbered = is_now[:1] == "9" and any(came[i] == made[i] for i in range(place))
        if not numbered:
            return True
    return False


def _plain_mark(mark: str) -> str:
    return re.sub(r"\d+", "9", "".join(mark.split()))


def without_marks(text: str) -> str:
    """Return a text without emphasis, heading signs and quoted lines."""
    bare = _TRAILING.sub("", _LEADING.sub("", text))
    for _ in range(2):  # ``**`x`**``
        bare = _EMPHASIS.sub(r"\2", bare)
    return bare
