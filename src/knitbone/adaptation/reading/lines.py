"""Family of readers: texts that code takes apart into lines.

What each line must look like is read from the loop over them; where the code only collects the
lines, the text is a list with one item a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    Text,
    consumers_of,
    lowest_confidence,
)
from knitbone.adaptation.requirements.records import (
    Element,
    PositionalTemplate,
    Requirement,
    Unknown,
    ValueType,
)
from knitbone.adaptation.requirements.uses import Operation, Use

__all__ = ["read_lines"]

_LISTS = frozenset({"list", "tuple", "sorted", "reversed", "slice", "set", "filter", "iter"})
"""Functions whose result is still the list of lines."""
_TESTS_OF_ITEMS = frozenset(
    {"join", "len", "truth", "is_none", "eq", "ne", "in", "contains", "slice"}
)
"""Operations that only look at a line."""
_TESTS_OF_CHARACTERS = frozenset(
    {".isalnum", ".isalpha", ".isdigit", ".isspace", ".isupper", ".islower", ".isnumeric"}
)
_HANDED_ON = frozenset({"isinstance", "truth", "is_none", "str"})
"""Operations on a list that say that other code uses it."""
_METHODS_WITHOUT_READING = frozenset(
    {"startswith", "endswith", "append", "extend", "add", "insert", "count"}
)
"""Methods that only look at a line, or put it into a list."""


_LINE_BREAKS = (("\n",), ("\r\n",), ("\n\n",), ("\n\n\n",), ("\r\n\r\n",))
"""Arguments of a ``split`` at line breaks or between paragraphs."""


def is_lines(consumer: Consumer) -> bool:
    """Return whether the text is split at its line breaks."""
    operation = consumer.use.operation
    if consumer.name == ".splitlines":
        return True
    return consumer.name == ".split" and operation.arguments[:1] in _LINE_BREAKS


def walk_list(use: Use) -> Iterator[tuple[str, Use]]:
    """Find the uses of a list of texts, with the role of each: ``("item" | "index" | "join" | ...,
    node)``."""
    for child in use.uses:
        name = child.operation.name
        if name in _LISTS:
            yield from walk_list(child)
        elif name == "enumerate":
            for pair in child.uses:
                if pair.operation.name != "iterate":
                    continue
                for part in pair.uses:
                    if part.operation.name == "unpack" and part.operation.arguments[:1] == (1,):
                        yield "item", part
        elif name == "iterate":
            yield "item", child
        elif name in ("getitem", "unpack", ".pop", "next"):
            yield "index", child
        elif name == "join":
            yield "join", child
        else:
            yield name, child


def rejoined(readers: Sequence[Consumer]) -> list[Consumer]:
    """Find where the items of a list are joined again, directly or after trimming."""
    return [reader for reader in readers if reader.name == "join"]


def _reads(reader: Consumer) -> bool:
    """Return whether an item is used for itself, not only looked at or gathered with others."""
    if reader.name in _TESTS_OF_ITEMS or reader.name.startswith("re."):
        return False
    if reader.name == "iterate":  # character by character
        return any(use.operation.name not in _TESTS_OF_CHARACTERS for use in reader.use.uses)
    return reader.name.rpartition(".")[2] not in _METHODS_WITHOUT_READING


def read_lines(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return what is read from each line, or else that the text is a list, one item a line."""
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for index, consumer in enumerate(consumers):
        if is_lines(consumer):
            claimed.add(index)
            requirements.extend(_read_one(consumer, read_on))
    return FamilyResult(tuple(requirements), frozenset(claimed))


class _LineUses:
    """The uses of the lines of one text."""

    def __init__(self, *, listed: bool) -> None:
        self.readers: list[Consumer] = []
        """Operations on each single line."""
        self.below: list[Requirement] = []
        """Requirements that are read from some lines, or from the joined text."""
        self.joined = False
        """True if the lines are only put together again, or read as a whole."""
        self.listed = listed
        """True if the code takes the lines for a list of items."""


def _read_one(consumer: Consumer, read_on: ReadOn) -> list[Requirement]:
    """Return the requirements of one split into lines."""
    uses = _uses_of_lines(consumer, read_on)
    of_lines = read_on(uses.readers)
    below = [*uses.below, *of_lines]
    words = _words_of_lines(of_lines)
    only_values = words is not None or _item_type(of_lines) != "any"
    if any(not isinstance(r, Unknown) for r in of_lines) and not only_values:
        return below
    if uses.joined or consumer.text.lost or not uses.listed:
        return below
    item = words or Element(kind="slot", type=_item_type(of_lines), captured=True)
    return [_list_template(consumer, item), *(r for r in below if r not in of_lines)]


def _uses_of_lines(consumer: Consumer, read_on: ReadOn) -> _LineUses:
    """Collect what the code does with the lines."""
    uses = _LineUses(listed=_is_handed_on(consumer))
    line = _one_line(consumer)
    for role, node in walk_list(consumer.use):
        if role == "item":
            found = consumers_of(node, line)
            if joins := rejoined(found):
                uses.joined = uses.joined or not any(_reads(reader) for reader in found)
                for join in joins:
                    uses.below.extend(read_on(_after_join(join.use, join.text)))
            uses.listed = True
            uses.readers.extend(reader for reader in found if reader.name != "join")
        elif role == "index":
            uses.listed = uses.listed or node.operation.name == "unpack"
            uses.below.extend(read_on(consumers_of(node, _line_at(node, line))))
        elif role == "join":
            uses.joined = True
            uses.below.extend(read_on(_after_join(node, line)))
        elif "." in role.lstrip("."):
            # ``csv.reader(text.splitlines())``: a parser that takes lines reads the whole.
            parsed = read_on([Consumer(node, consumer.text._replace(exact=False))])
            uses.joined = uses.joined or bool(parsed)
            uses.below.extend(parsed)
    return uses


def _one_line(consumer: Consumer) -> Text:
    """Return any of the lines, or of the blocks, that the text is taken apart into."""
    operation = consumer.use.operation
    blocks = _separator(consumer) != "\n"
    line = consumer.text.then(
        operation.name,
        *operation.arguments,
        lines=not blocks,
        item=blocks,
        passed_over=_skipped_lines(consumer.use),
    )
    return line._replace(exact=False) if blocks else line


def _line_at(node: Use, line: Text) -> Text:
    """Return the line that code takes by its place."""
    arguments = node.operation.arguments
    one = line.then("getitem", *arguments, exact=False)
    if node.operation.name == "getitem" and arguments and isinstance(arguments[0], int):
        return one._replace(lines=False)  # the first line, the last one: no loop over them
    return one


def _skipped_lines(use: Use) -> int:
    """Return how many lines the code skips before the first that it reads; -1 where that is not
    known."""
    ways = [use.operation, *(c.operation for c in use.uses), *_looped(use)]
    idioms = {str(way.setting("passing_over") or "") for way in ways} - {""}
    starts = [
        (*child.operation.arguments, None)[0] if child.operation.name == "slice" else 0
        for child in use.uses
        if child.operation.name in _LISTS | {"iterate", "enumerate"}
    ]
    start = starts[0] if starts and all(each == starts[0] for each in starts) else -1
    if not idioms:
        return 0
    if idioms == {"taken"}:
        popped = sum(op.name == ".pop" and op.arguments == (0,) for op in ways)
        nexts = sum(c.operation.name == "iterate" and not c.uses for c in use.uses)
        return 1 if popped + nexts == 1 else -1
    return start if idioms == {"slice"} and isinstance(start, int) and start > 0 else -1


def _looped(use: Use) -> Iterator[Operation]:
    """Find the loops over the lines, also over a part of them."""
    for child in use.uses:
        if child.operation.name in _LISTS | {"enumerate"}:
            yield from _looped(child)
        elif child.operation.name == "iterate":
            yield child.operation


def _is_handed_on(consumer: Consumer) -> bool:
    """Return whether the list goes to code that is not seen. The lines of a whole answer may be
    counted to measure it; those behind a mark are counted as its items."""
    names = {child.operation.name for child in consumer.use.uses}
    if any(step.name in ("split", "partition") for step in consumer.text.steps):
        names.discard("len")
    return names <= _HANDED_ON


def _after_join(join: Use, line: Text) -> list[Consumer]:
    """Return the consumers of the text that lines are joined to."""
    separator = join.operation.arguments[0] if join.operation.arguments else None
    text = line.then("join", separator, lines=False, exact=False)
    if not isinstance(separator, str) or separator.strip():
        # What is read at that mark afterwards, the code itself has put there.
        text = text._replace(lost="it is joined with other text before")
    return consumers_of(join, text)


def _words_of_lines(requirements: Sequence[Requirement]) -> Element | None:
    """Return the words of which each line is one, as a whole."""
    known = [r for r in requirements if not isinstance(r, Unknown)]
    if len(known) == 1 and isinstance(known[0], PositionalTemplate):
        elements = known[0].elements
        if len(elements) == 1 and elements[0].kind == "words":
            return elements[0]
    return None


def _item_type(requirements: Sequence[Requirement]) -> ValueType:
    """Return the type that every line is converted to."""
    known = [r for r in requirements if not isinstance(r, Unknown)]
    if len(known) == 1 and isinstance(known[0], PositionalTemplate):
        elements = known[0].elements
        if len(elements) == 1 and elements[0].kind == "slot":
            return elements[0].type
    return "any"


def _separator(consumer: Consumer) -> str:
    """Return the separator: a line break, or the blank line between paragraphs."""
    arguments = consumer.use.operation.arguments
    if consumer.name == ".splitlines" or not arguments:
        return "\n"
    return str(arguments[0]).replace("\r\n", "\n")


def _list_template(consumer: Consumer, item: Element) -> PositionalTemplate:
    """Return the template of a list with one item a line."""
    return PositionalTemplate(
        elements=(item,),
        separator=_separator(consumer),
        steps=consumer.text.steps,
        on_violation=consumer.use.on_violation,
        evidence=consumer.use.evidence,
        confidence=lowest_confidence("medium", consumer.text.confidence),
        alternative=consumer.text.alternative,
        when=consumer.text.when,
    )
