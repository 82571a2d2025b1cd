"""Templates, their masks and what fills them: the checks by code, before an agent sees a prompt.

ToolFuzz §4.2 trusts the model that writes them. A small model repeats a way of writing, fills in
the mask's own name or three different amounts; such a set would accuse a sound tool.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence

import msgspec

from knitbone.common.structured.moments import read_moment
from knitbone.fuzzing.documentation.records import FilledPrompt, PromptSet, PromptTemplate

__all__ = [
    "Refused",
    "check_infills",
    "is_degenerate",
    "is_filled",
    "plain",
    "prompt_set",
    "read_template",
    "set_id",
]


# Texts that are no request: repeated characters and words, programs, placeholders.
#
# Models that are asked for what should break a tool fall into them (ToolFuzz, App. J.4, Figure 21);
# they are counted, never tried.

_RUN = re.compile(r"(\S)\1{9,}")
"""Ours: ten times the same character; numbers and words of people have fewer."""
_LETTER = re.compile(r"[^\W\d_]")
_PROGRAM = re.compile(
    r"""["'][^"']*["']\s*(?:[*+]\s*["'\d]|\.(?:repeat|join|format)\()|\$\{|<\w+>"""
)
"""``"a" * 1000``, ``"a" + "b"``, ``"x".repeat(9)``, ``${name}``, ``<name>``."""
_LONG = 10
"""Words from which their repetition is looked at."""
_DISTINCT = 0.4
"""Ours: share of different words below which a text repeats itself."""
_LONGEST = 2_000


def is_degenerate(text: str) -> bool:
    """Whether nobody would ask this."""
    if len(_LETTER.findall(text[:_LONGEST])) < 2 or len(text) > _LONGEST:
        return True
    if _RUN.search(text) or _PROGRAM.search(text):
        return True
    words = text.casefold().split()
    return len(words) >= _LONG and len(set(words)) < _DISTINCT * len(words)


_MASK = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"[^\W\d_][\w -]{0,39}")
_LONGEST_TEMPLATE = 300
_LONGEST_INFILL = 200
_NEXT = re.compile(r" (\w+)\b")
_SPACES = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")
_POINTING = frozenset(
    "a an the this that these those some any my your our one another specific certain".split()  # noqa: SIM905
)
"""Words that make no thing of a name: "the city", "some month"."""
_DIGITS = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
_AMOUNT = re.compile(rf"(\D*?)({_DIGITS.pattern})(\D*)")
_WORDS = (  # noqa: SIM905 - one line to read
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
"""Amounts as people write them in words, each at its own place."""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the writer got wrong."""

    reason: str
    """One of a few fixed wordings, by which it is counted."""
    text: str


def read_template(text: str, *, used: Collection[str] = ()) -> PromptTemplate | Refused:
    """The template in a text, or why it is none.

    Args:
        used: templates that there are already.
    """
    text = _SPACES.sub(" ", text).strip()
    masks = [match[1].strip() for match in _MASK.finditer(text)]
    rest = _MASK.sub("", text)
    reason = ""
    if len(text) > _LONGEST_TEMPLATE or is_degenerate(text):
        reason = "a template that nobody would ask"
    elif "[" in rest or "]" in rest:
        reason = "brackets that do not close"
    elif not masks:
        reason = "a template without a mask"
    elif not all(_NAME.fullmatch(mask) for mask in masks):
        reason = "a mask that is no word"
    elif not plain(rest):
        reason = "a template of masks only"
    elif plain(text) in {plain(each) for each in used}:
        reason = "a template that was used before"
    if reason:
        return Refused(reason=reason, text=text[:_LONGEST_TEMPLATE])
    return PromptTemplate(text=text, masks=tuple(dict.fromkeys(masks)))


def check_infills(
    template: PromptTemplate,
    infills: Mapping[str, Sequence[str]],
    *,
    used: Mapping[str, Collection[str]] | None = None,
) -> tuple[dict[str, tuple[str, ...]], list[Refused]]:
    """The infills of each mask that can be used, and the others.

    Args:
        infills: by name of the mask.
        used: infills of earlier sets, by plain name of the mask.
    """
    by_name = {plain(name.strip("[] ")): values for name, values in infills.items()}
    kept: dict[str, tuple[str, ...]] = {}
    refused: list[Refused] = []
    for mask in template.masks:
        good: list[str] = []
        before = {plain(each) for each in (used or {}).get(plain(mask), ())}
        for value in by_name.get(plain(mask), ()):
            text = _SPACES.sub(" ", value).strip()
            if reason := _fault(text, mask, good, before):
                refused.append(Refused(reason=reason, text=f"[{mask}]: {text[:_LONGEST_INFILL]}"))
            else:
                good.append(text)
        if not good:
            refused.append(Refused(reason="a mask that is not filled", text=f"[{mask}]"))
        kept[mask] = tuple(good)
    return kept, refused


def _fault(text: str, mask: str, good: Sequence[str], before: Collection[str]) -> str:
    """Why an infill cannot be used; empty where it can."""
    name = plain(text)
    if not name or len(text) > _LONGEST_INFILL or "[" in text or "]" in text:
        return "an infill that is none"
    words = [word for word in name.split() if word not in _POINTING]
    if not words or words == plain(mask).split():
        return "an infill that is the mask's name"
    if text in good:
        return "an infill that repeats another"
    if name in before:
        return "an infill that was used before"
    if any(_are_others(text, each) for each in good):
        return "an infill that means another thing"
    return ""


def _are_others(one: str, other: str) -> bool:
    """Whether two infills surely say two things: other days; other amounts of the same, such as
    ``3`` and ``5``, ``3 km`` and ``5 km``, ``3`` and ``a few``. ``1 km`` and ``1000 m`` may be one.
    """
    days = [moment.day for text in (one, other) if (moment := read_moment(text)) is not None]
    if len(days) == 2 and None not in days:
        return days[0] != days[1]
    first, second = _amounts(one), _amounts(other)
    if any(_is_bare(text) for text in (one, other)):
        return not first & second
    both = _AMOUNT.fullmatch(one), _AMOUNT.fullmatch(other)
    if both[0] is None or both[1] is None:
        return False
    same_unit = all(plain(both[0][side]) == plain(both[1][side]) for side in (1, 3))
    return same_unit and first != second


def _amounts(text: str) -> frozenset[float]:
    """The numbers in a text, as digits or as words."""
    words = plain(text).split()
    found = {float(match[0].replace(",", "")) for match in _DIGITS.finditer(text)}
    return frozenset(found | {float(_WORDS.index(word)) for word in words if word in _WORDS})


def _is_bare(text: str) -> bool:
    return bool(_DIGITS.fullmatch(text.strip())) or plain(text) in _WORDS


def prompt_set(
    template: PromptTemplate, infills: Mapping[str, Sequence[str]], *, count: int
) -> PromptSet | None:
    """The set of synonymous prompts; ``None`` where there are not two different ones.

    A mask with fewer infills than another gets its own again.
    """
    prompts: dict[str, FilledPrompt] = {}
    longest = max((len(values) for values in infills.values()), default=0)
    if not all(infills.get(mask) for mask in template.masks):
        return None
    for place in range(min(count, longest)):
        chosen = {mask: infills[mask][place % len(infills[mask])] for mask in template.masks}
        text = _filled(template.text, chosen)
        prompts.setdefault(text, FilledPrompt(text=text, infills=chosen))
    if len(prompts) < 2:
        return None
    return PromptSet(
        id=set_id(template, tuple(prompts)), template=template, prompts=tuple(prompts.values())
    )


def _filled(template: str, chosen: Mapping[str, str]) -> str:
    """The template with its masks filled; a word that an infill ends with and that follows the mask
    stands once: ``[nights] nights`` with ``two nights``."""
    parts: list[str] = []
    end = 0
    for match in _MASK.finditer(template):
        infill = chosen[match[1].strip()]
        parts += [template[end : match.start()], infill]
        end = match.end()
        word = _NEXT.match(template, end)
        if word is not None and infill.casefold().endswith(f" {word[1].casefold()}"):
            end = word.end()
    return "".join((*parts, template[end:]))


def set_id(template: PromptTemplate, texts: Sequence[str]) -> str:
    """Digest that names a set."""
    content = json.dumps([template.text, *texts])
    return hashlib.sha256(content.encode("ascii")).hexdigest()[:10]


def is_filled(prompt: FilledPrompt) -> bool:
    """Whether a prompt that was put into other words holds every infill and no mask.

    An infill stands as a whole: ``SF`` is not in ``transfer``.
    """
    text = f" {plain(prompt.text)} "
    if _MASK.search(prompt.text):
        return False
    return all(f" {plain(infill)} " in text for infill in prompt.infills.values())


def plain(text: str) -> str:
    """Words alone, for comparing: no case, no punctuation, one space; a text of signs only is kept
    as it is."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _NO_WORD.sub(" ", folded).strip() or folded.strip()
