"""Family of readers: Markdown code fences that code looks for, and what it reads inside them.

``text.split("```json")[1].split("```")[0]`` demands a fence with the tag ``json``; the consumers
of its content are read on as those of a text of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.reading.cut_records import MARK_TESTS, SEARCHES, SPLITS
from knitbone.adaptation.reading.regex_matches import is_regex, pattern_of, texts_of_matches
from knitbone.adaptation.reading.regex_outlines import FENCE, outline_of
from knitbone.adaptation.reading.split_accesses import parts_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    are_near,
    consumers_of,
    first_on_violation,
    first_text,
    lowest_with_texts,
    unknown,
)
from knitbone.adaptation.requirements.operation_names import function_name
from knitbone.adaptation.requirements.records import (
    Confidence,
    Evidence,
    FencedTemplate,
    ParserSyntax,
    Requirement,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.regex_templates import (
    REPEATS,
    UnreadablePattern,
    parse_pattern,
    sre,
)
from knitbone.adaptation.requirements.uses import Computed, Operation, Use

__all__ = ["fence_tags", "read_fences"]


# Tags of Markdown code fences that a regular expression accepts.
#
# Code finds fences with expressions such as ```` ```(?:json)?(.*?)``` ````. A repair has to know
# whether ``json`` must stand behind the opening fence, may stand there, or whether any word may.

_MAX_TAGS = 32
"""Tags of one fence that are told apart (ours)."""
_WILD = ("", "required", "optional")
"""A class of letters stands for no tag, for any tag that must be there, or that may be there."""


def fence_tags(pattern: str, flags: int = 0) -> tuple[str, ...] | None:
    """Return the tags that the pattern accepts behind its opening fence, ``""`` for none; an empty
    tuple where any tag is accepted but one must stand there; ``None`` where there is no fence."""
    tokens, _ = parse_pattern(pattern, flags)
    flat = _flattened(tokens)
    for index in range(len(flat) - 2):
        if all(t[0] is sre.LITERAL and t[1] == ord("`") for t in flat[index : index + 3]):
            return _tags(flat[index + 3 :])
    return None


def _flattened(tokens: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return the tokens with groups opened and exact repetitions written out, at the top of the
    pattern."""
    flat: list[tuple[Any, Any]] = []
    for operation, argument in tokens:
        if operation is sre.SUBPATTERN:
            flat.extend(_flattened(argument[3]))
        elif operation in REPEATS and int(argument[0]) == int(argument[1]) <= 4:
            flat.extend(_flattened(argument[2]) * int(argument[1]))
        else:
            flat.append((operation, argument))
    return flat


def _tags(tokens: list[tuple[Any, Any]]) -> tuple[str, ...]:
    """Return the tags that the tokens behind the three backticks accept."""
    done: list[str] = []
    wildcard = _spell_tags(tokens, "", done)
    named = tuple(dict.fromkeys(tag.lower() for tag in done))[:_MAX_TAGS]
    if wildcard == "optional" or (wildcard and "" in done):
        return ("",)
    return () if wildcard == "required" else named


def _spell_tags(tokens: list[tuple[Any, Any]], tag: str, done: list[str]) -> str:
    """Add the tags that the tokens spell; return whether a class of letters stands for any tag."""
    for index, (operation, argument) in enumerate(tokens):
        rest = tokens[index + 1 :]
        if operation is sre.LITERAL and not chr(argument).isspace() and argument != ord("`"):
            tag += chr(argument)
            continue
        if operation is sre.SUBPATTERN:
            return _spell_tags([*argument[3], *rest], tag, done)
        if operation is sre.BRANCH:
            return max((_spell_tags([*b, *rest], tag, done) for b in argument[1]), key=_WILD.index)
        if operation in REPEATS and int(argument[1]) == 1:
            taken = _spell_tags([*argument[2], *rest], tag, done)
            return max(taken, _spell_tags(rest, tag, done), key=_WILD.index)
        if operation is sre.IN and (letter := _in_either_case(argument)):
            tag += letter
            continue
        if operation in REPEATS and not tag and _before_a_tag(argument, rest):
            continue
        if operation in REPEATS and not tag and _is_letters(list(argument[2])):
            return "optional" if int(argument[0]) == 0 else "required"
        break
    done.append(tag)
    return ""


def _in_either_case(members: Iterable[tuple[Any, Any]]) -> str:
    """Return the letter of a class like ``[Ss]``; empty for any other class."""
    letters = {chr(v).lower() if op is sre.LITERAL else "" for op, v in members}
    return letters.pop() if len(letters) == 1 else ""


def _before_a_tag(repeat: Any, rest: Sequence[tuple[Any, Any]]) -> bool:
    r"""Return whether letters that may be missing stand before a tag that is spelled out, as in
    ``[\w\s]*python``."""
    low, _, inner = repeat
    if int(low) or len(inner) != 1 or inner[0][0] is not sre.IN or not rest:
        return False
    kinds = {str(value) for op, value in inner[0][1] if op is sre.CATEGORY}
    words = "CATEGORY_WORD" in kinds or any(op is sre.RANGE for op, _ in inner[0][1])
    operation, argument = rest[0]
    return words and operation is sre.LITERAL and chr(argument).isalnum()


def _is_letters(tokens: list[tuple[Any, Any]]) -> bool:
    r"""Return whether a class spells tags: ``\w``, ``[a-z]``, ``[^\n]``; not one of blanks only."""
    if len(tokens) != 1:
        return False
    operation, argument = tokens[0]
    if operation is sre.NOT_LITERAL:
        return argument == ord("\n")
    if operation is not sre.IN:
        return False
    kinds = {str(value) for op, value in argument if op is sre.CATEGORY}
    if "CATEGORY_SPACE" in kinds:
        return False
    if argument[0][0] is sre.NEGATE:
        return any(op is sre.LITERAL and v == ord("\n") for op, v in argument)
    return bool(kinds) or any(
        op is sre.RANGE or (op is sre.LITERAL and chr(v).isalnum()) for op, v in argument
    )


_ANCHORED = re.compile(r"\^\(?(?:\?:)?(\w+(?:\|\w+)*)\)?(?:\\s[*+]|\\n)?")
"""An expression for one of several words at the start."""


def read_fences(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for all searches for fences in one text, but one for each regular
    expression: where there are several, the code tries one after another, and one that matches
    is enough."""
    searches = [i for i, c in enumerate(consumers) if not c.passing and _fence_tags(c) is not None]
    places: dict[Evidence, list[int]] = {}
    for index in searches:
        if is_regex(consumers[index]):
            places.setdefault(consumers[index].use.evidence, []).append(index)
    cutting = [i for i in searches if consumers[i].name in SPLITS | SEARCHES]
    groups = [*places.values(), *([cutting] if cutting else [])]
    if len(groups) < 2:
        return _one_fence(consumers, read_on)
    apart = {index for group in groups for index in group}
    mark = f"{consumers[groups[0][0]].use.evidence.file}:{next(iter(places)).line}"
    requirements: list[Requirement] = []
    claimed: set[int] = set(searches)
    for group in groups:
        kept = [i for i in range(len(consumers)) if i in group or i not in apart]
        read = _one_fence([consumers[i] for i in kept], read_on)
        claimed.update(kept[i] for i in read.claimed)
        requirements.extend(
            msgspec.structs.replace(r, alternative=r.alternative or mark)
            if isinstance(r, FencedTemplate)
            else r
            for r in read.requirements
        )
    return FamilyResult(tuple(requirements), frozenset(claimed))


class _Searches(NamedTuple):
    """The searches for one fence."""

    indices: list[int]
    """Of the consumers."""
    tags: list[str]
    """Accepted behind the opening fence."""
    tested: list[str]
    """Tags that the code only tests for."""
    any_tag: bool
    below: list[Requirement]
    """Requirements of the text inside the fence."""


def _searches(consumers: Sequence[Consumer], read_on: ReadOn) -> _Searches:
    """Collect the searches for a fence among the consumers of a text."""
    indices: list[int] = []
    tags: list[str] = []
    tested: list[str] = []
    any_tag = False
    below: list[Requirement] = []
    for index, consumer in enumerate(consumers):
        accepted = None if consumer.passing else _fence_tags(consumer)
        if accepted is None:
            continue
        indices.append(index)
        if _opens(consumer):
            any_tag = any_tag or not accepted
            tags.extend(accepted)
            tags.extend(_removed_tags(consumer) if accepted == ("",) else ())
        elif consumer.name != ".endswith" and consumer.name not in SEARCHES:
            tested.extend(accepted)
        below.extend(_contents(consumer, read_on))
    return _Searches(indices, tags, tested, any_tag, below)


def _one_fence(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for the searches that belong together."""
    indices, tags, tested, any_tag, below = _searches(consumers, read_on)
    if not indices:
        return FamilyResult()
    slices = _computed_slices(consumers) if _any_position(consumers, indices) else []
    for index in slices:
        sliced = consumers[index]
        below.extend(read_on(consumers_of(sliced.use, sliced.text.then("slice", exact=False))))
    claimed = frozenset({*indices, *slices})
    searches = [consumers[index] for index in indices]
    first = searches[0]
    near = [consumers[i] for i in slices if are_near(first, consumers[i])]
    if near and all(map(_stops_before, near)):
        return FamilyResult(tuple(below), claimed)  # the words before a block: none need follow
    if first.text.lost:
        return FamilyResult((unknown(first, first.text.lost), *below), claimed)
    if all(search.name == ".endswith" for search in searches):
        return FamilyResult(tuple(below), claimed)
    template = FencedTemplate(
        languages=() if any_tag else _ordered(tags or tested),
        optional=_optional(consumers, searches, below, read_on, claimed),
        reader=_reader(first) if len(searches) == 1 else None,
        steps=first.text.steps,
        on_violation=first_on_violation(search.use for search in searches),
        evidence=first.use.evidence,
        confidence=lowest_with_texts(_confidence(searches), searches),
        alternative=first.text.alternative,
        when=first.text.when,
    )
    return FamilyResult((template, *below), claimed)


def _fence_tags(consumer: Consumer) -> tuple[str, ...] | None:
    """Return the tags that one search for a fence accepts; ``None`` where it searches for none."""
    if is_regex(consumer):
        known = pattern_of(consumer.use)
        if isinstance(known, str):
            return None
        try:
            outline_of(*known)
            return fence_tags(*known)
        except UnreadablePattern:
            return None
    if consumer.name not in SPLITS | SEARCHES | MARK_TESTS:
        return None
    mark = first_text(consumer.use.operation)
    if mark is None or FENCE not in mark:
        return None
    tag = mark.partition(FENCE)[2].strip("`").strip().lower()
    return (tag,) if not tag or tag.replace("+", "").replace("#", "").isalnum() else None


def _opens(consumer: Consumer) -> bool:
    """Return whether the tags are those of an opening fence. A bare fence that is only tested for,
    or looked for behind a start, says nothing about tags."""
    if consumer.name in MARK_TESTS:
        return (
            consumer.name != ".endswith"
            and bool(_fence_tags(consumer))
            and _fence_tags(consumer) != ("",)
        )
    closes = consumer.name in (".rfind", ".rindex") or len(consumer.use.operation.arguments) > 1
    return not (consumer.name in SEARCHES and closes and _fence_tags(consumer) == ("",))


def _ordered(tags: Sequence[str]) -> tuple[str, ...]:
    """Return the named tags in the order of the code, "no tag" last. ``split("```python")``
    followed by ``split("```")`` closes the fence; it does not accept one without a tag."""
    named = tuple(dict.fromkeys(tag for tag in tags if tag))
    return (*named, "") if "" in tags or not named else named


def _removed_tags(consumer: Consumer) -> list[str]:
    """Return the tags that the code removes from the text between two bare fences."""
    if consumer.name not in SPLITS:
        return []
    parts = parts_of([consumer])
    pending = [use for place, nodes in parts.nodes.items() if place for use in nodes]
    found: list[str] = []
    while pending:
        for use in pending.pop().uses:
            name, texts = use.operation.name, _texts(use.operation)
            if name in (".removeprefix", ".startswith"):  # ``if t.startswith("json"): t = t[4:]``
                found.extend(text.strip() for text in texts[:1] if text.strip().isalnum())
            elif name in ("re.sub", "regex.sub") and len(texts) > 1 and not texts[-1].strip():
                spelled = _ANCHORED.fullmatch(texts[0])
                found.extend(spelled[1].split("|") if spelled else ())
            elif name != ".strip":
                continue
            pending.append(use)
    return [tag.lower() for tag in found]


def _texts(operation: Operation) -> list[str]:
    """Return the arguments that are texts."""
    return [argument for argument in operation.arguments if isinstance(argument, str)]


def _contents(consumer: Consumer, read_on: ReadOn) -> list[Requirement]:
    """Return the requirements that are read from the inside of a fence."""
    text, use = consumer.text, consumer.use
    if is_regex(consumer):
        known = pattern_of(use)
        if isinstance(known, str):
            return []
        groups = outline_of(*known).groups
        method = function_name(consumer.name)
        return [
            requirement
            for _, node, found in texts_of_matches(use, method, groups, text)
            for requirement in read_on(consumers_of(node, found))
        ]
    if consumer.name not in SPLITS:
        return []
    behind = text.then(consumer.name, *use.operation.arguments, exact=False, lines=False)
    parts = parts_of([consumer])
    nodes = [(place, node) for place in sorted(parts.nodes) for node in parts.nodes[place]]
    nodes.extend((-1, node) for node in parts.items)
    below: list[Requirement] = []
    for place, node in nodes:
        inside = consumers_of(
            node, behind.then("getitem", place) if _is_counted_from_start(node) else behind
        )
        closing = [c for c in inside if c.name in SPLITS and _fence_tags(c) is not None]
        for close in closing:
            below.extend(_contents(close, read_on))
        below.extend(read_on([c for c in inside if not (_fence_tags(c) is not None)]))
    return below


def _is_counted_from_start(node: Use) -> bool:
    """Return whether code names the part by its place from the start. One that is counted from the
    end is another part in each text."""
    index = node.operation.arguments[0] if node.operation.arguments else None
    return node.operation.name in ("getitem", "unpack", ".pop") and _is_place(index)


def _is_place(index: object) -> bool:
    """Return whether an index counts from the start."""
    return isinstance(index, int) and index >= 0


def _any_position(consumers: Sequence[Consumer], found: Sequence[int]) -> bool:
    """Return whether one of the searches is for a position, or a test."""
    return any(consumers[index].name in SEARCHES | MARK_TESTS for index in found)


def _stops_before(consumer: Consumer) -> bool:
    """Return whether a slice goes from the beginning to a place."""
    bounds = consumer.use.operation.arguments
    return len(bounds) > 1 and bounds[0] in (None, 0) and isinstance(bounds[1], Computed)


def _computed_slices(consumers: Sequence[Consumer]) -> list[int]:
    """Find the slices whose bounds are computed."""
    return [
        index
        for index, consumer in enumerate(consumers)
        if consumer.name == "slice"
        and not consumer.passing
        and any(isinstance(a, Computed) for a in consumer.use.operation.arguments)
    ]


def _optional(
    consumers: Sequence[Consumer],
    searches: Sequence[Consumer],
    below: Sequence[Requirement],
    read_on: ReadOn,
    claimed: frozenset[int],
) -> bool:
    """Return whether the code continues with the whole text where there is no fence: it asks first,
    or the same consumer also reads the text as it is."""
    guards = [search for search in searches if search.name in MARK_TESTS]
    if guards:
        return all(guard.use.on_violation != "raises" for guard in guards)
    rest = [c for i, c in enumerate(consumers) if i not in claimed]
    outside = {r.evidence.line for r in read_on(rest) if _is_parser(r)}
    if any(_is_parser(r) and r.evidence.line in outside for r in below):
        return True
    # ``code = match[1] if match else text``: whatever is done with one is done with the other.
    either = {c.use.evidence for c in rest}
    return any(
        search.use.on_violation != "raises" and not either.isdisjoint(_evidence(search))
        for search in searches
    )


def _evidence(search: Consumer) -> Iterator[Evidence]:
    """Find where the code reads what it found with an expression."""
    known = pattern_of(search.use) if is_regex(search) else ""
    if isinstance(known, str):
        return
    groups = outline_of(*known).groups
    method = function_name(search.name)
    for _, node, found in texts_of_matches(search.use, method, groups, search.text):
        for consumer in consumers_of(node, found):
            yield consumer.use.evidence


def _is_parser(requirement: Requirement) -> bool:
    """Return whether a requirement is that of a parser."""
    return isinstance(requirement, ParserSyntax | StructuredTemplate)


def _confidence(searches: Sequence[Consumer]) -> Confidence:
    """Return how sure the searches are."""
    certain = any(
        is_regex(search) or search.name in SPLITS | {".index", ".find"} for search in searches
    )
    return "high" if certain else "medium"


def _reader(consumer: Consumer) -> Reader | None:
    """Return the reader of a fence that one expression finds, where it can be replayed."""
    known = pattern_of(consumer.use) if is_regex(consumer) else "no expression"
    if isinstance(known, str) or not consumer.text.replayable or consumer.text.nested:
        return None
    method = function_name(consumer.name)
    if method == "split":
        return None
    return Reader(
        kind="regex", method=method, pattern=known[0], flags=known[1], steps=consumer.text.steps
    )
