"""Marks of tainted values: which answer a value comes from, and what was done to it so far.

Operations of all answers of one origin meet in one tree: the same operation at the same place of
the application is one node, however often and on however many items it runs. The tree is bounded
by the application's code, never by its data; what exceeds the limits is not recorded, and nothing
here raises into the application.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from types import FrameType
from typing import Any, NamedTuple, cast

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.adaptation.learning.taint.places import UNKNOWN_PLACE, FilePlace, Scope, place_of

__all__ = [
    "MAX_ANSWERS",
    "MAX_DEPTH",
    "MAX_NODES",
    "MAX_RECORDS",
    "MAX_VARIANTS",
    "Answer",
    "Mark",
    "Node",
    "RecordedOperation",
    "Tree",
    "Varying",
    "Written",
    "application_frame",
]


# The program's state beside an answer: simple values of names that code can branch on.
#
# Read without running anything of the application: locals of its frames, and the instance
# dictionaries of ``self`` and ``cls``. No property, no ``__getattr__`` and no ``repr`` of an
# application's class is called.

_MAX_TEXT = 40
"""Characters of a text that code can branch on; longer ones are data (ours)."""
_MAX_NUMBER = 10_000
"""Numbers up to this are states, larger ones data (ours)."""
_MAX_NAMES = 64
"""Names of one frame that are kept (ours)."""


def frame_state(frame: FrameType) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the state of one frame: (function, name) with the value as an expression."""
    code = frame.f_code
    function = code.co_qualname
    place = f"{code.co_filename}:{code.co_firstlineno}:{function}"
    for name, value in _names(frame):
        yield (place, name), value


def _names(frame: FrameType) -> Iterator[tuple[str, str]]:
    """Yield the names of a frame, and the attributes of ``self`` and ``cls``, with
    simple values."""
    scope = dict(frame.f_locals)
    left = _MAX_NAMES
    for name, value in scope.items():
        if name.startswith("__") or left <= 0:
            continue
        shown = simple_value(value)
        if shown is not None:
            left -= 1
            yield name, shown
    for holder in ("self", "cls"):
        for name, value in _attributes(scope.get(holder)):
            shown = None if name.startswith("__") or left <= 0 else simple_value(value)
            if shown is not None:
                left -= 1
                yield f"{holder}.{name}", shown


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """Return the instance dictionary of an object."""
    if value is None:
        return []
    try:
        held = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return []
    return list(cast("Mapping[str, Any]", held).items()) if isinstance(held, Mapping) else []


def simple_value(value: Any) -> str | None:
    """Return a value as an expression, where it is a truth value, a small integer, a short text,
    ``None`` or a member of an enumeration."""
    kind: Any = cast("Any", type(value))
    if value is None or kind is bool:
        return repr(value)
    if kind is int:
        return repr(value) if abs(value) <= _MAX_NUMBER else None
    # Exactly ``str``: what comes from the answer itself is no state of the program.
    if kind is str:
        return repr(value) if len(value) <= _MAX_TEXT else None
    if Enum in kind.__mro__:
        return f"{kind.__name__}.{value._name_}"
    return None


_logger = get_logger(__name__)

MAX_NODES = 2_000
"""Operations kept of one origin."""
MAX_DEPTH = 32
"""Operations on the result of an operation, and so on."""
MAX_VARIANTS = 8
"""Different arguments seen at one place; with more, the argument counts as computed."""
MAX_RECORDS = 20_000
"""Operations looked at for one answer; what comes later runs unseen."""
MAX_ANSWERS = 1_000
"""Answers of one origin that are told apart; later ones travel as plain values."""
_MAX_FUNCTIONS = 32
"""Functions whose state is kept with one answer (ours)."""
_MAX_CALLERS = 6
"""Frames of the application, from the origin of an answer outwards, whose state is read."""
_MAX_FRAMES = 60
"""Frames looked at for them (ours)."""

_OWN = __file__.rpartition("marks.py")[0]
"""The folder of this package: its frames are not the application's."""


class Varying(NamedTuple):
    """An argument that is not a constant of the application, as it is written."""

    expression: str


class Written(int):
    """A number that belongs to the operation, whatever the expression says: the index of a target,
    the flags of a compiled pattern."""


class RecordedOperation(NamedTuple):
    """One operation: ``.split``, ``json.loads``, ``getitem``, ``eq``, ... and its arguments.

    Method names begin with a dot, functions are dotted names, builtins bare.
    """

    name: str
    arguments: tuple[Any, ...] = ()
    keywords: tuple[tuple[str, Any], ...] = ()
    position: str = ""
    """Which parameter the value is, where it is not the first."""


class Node:
    """An operation at a place of the application, and what was done with its results."""

    __slots__ = ("_lock", "_variants", "children", "depth", "number", "operation", "place")

    def __init__(
        self, operation: RecordedOperation, place: FilePlace, depth: int, number: int
    ) -> None:
        self.operation = operation
        self.place = place
        self.depth = depth
        self.number = number
        """Unique in its tree; the root is 0."""
        self.children: dict[tuple[RecordedOperation, FilePlace], Node] = {}
        self._variants: dict[tuple[str, FilePlace], int] = {}
        self._lock = new_lock()

    def child(self, operation: RecordedOperation, place: FilePlace, tree: Tree) -> Node | None:
        """Return the node for an operation on this node's result; ``None`` beyond the limits."""
        key = (operation, place)
        found = self.children.get(key)
        if found is not None:
            return found
        with self._lock:
            spot = (operation.name, place)
            if self._variants.get(spot, 0) >= MAX_VARIANTS:
                key = (_computed(operation), place)
            if key in self.children:
                return self.children[key]
            number = tree.next_number()
            if number is None or self.depth >= MAX_DEPTH:
                return None
            self._variants[spot] = self._variants.get(spot, 0) + 1
            node = Node(key[0], place, self.depth + 1, number)
            self.children[key] = node
            return node

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        pending: list[Node] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children.values())))


def _computed(operation: RecordedOperation) -> RecordedOperation:
    """Return the operation with all arguments taken for computed ones."""
    return operation._replace(
        arguments=tuple(Varying("...") for _ in operation.arguments),
        keywords=tuple((name, Varying("...")) for name, _ in operation.keywords),
    )


class Tree:
    """Everything that was done to the answers of one origin in this process."""

    def __init__(self, identity: str, scope: Scope, form: str = "text") -> None:
        self.identity = identity
        """Names the origin, across processes."""
        self.scope = scope
        self.root = Node(RecordedOperation("source", (form,)), UNKNOWN_PLACE, 0, 0)
        self.answers: list[Answer] = []
        self._numbers = 0
        self._lock = new_lock()

    def next_number(self) -> int | None:
        """Return the number of the next node; ``None`` when there are enough."""
        with self._lock:
            if self._numbers >= MAX_NODES:
                return None
            self._numbers += 1
            return self._numbers

    def answer(self) -> Answer | None:
        """Return a new answer of this origin; ``None`` when enough have been seen."""
        with self._lock:
            if len(self.answers) >= MAX_ANSWERS:
                return None
            answer = Answer(self)
            self.answers.append(answer)
            return answer


class Answer:
    """One value that the origin brought: which operations reached it, under which state."""

    __slots__ = ("functions", "hits", "live", "raised", "records", "states", "tree")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.hits: set[int] = {0}
        """Numbers of the nodes that were reached."""
        self.live: set[int] = {0}
        """Those of them whose result held something that code could go on with."""
        self.raised: set[int] = set()
        """Those of them that raised."""
        self.states: dict[tuple[str, str], str] = {}
        """(function, name) -> value, as a Python expression."""
        self.functions: set[int] = set()
        """Codes whose frames were looked at."""
        self.records = 0

    def note_state(self, frame: FrameType) -> None:
        """Keep the state of one frame of the application, once a function."""
        code = id(frame.f_code)
        if code in self.functions or len(self.functions) >= _MAX_FUNCTIONS:
            return
        self.functions.add(code)
        for name, value in frame_state(frame):
            self.states.setdefault(name, value)

    def note_callers(self, frame: FrameType | None) -> None:
        """Keep the state of the application's frames that led to the answer.

        Args:
            frame: the innermost of them.
        """
        seen = taken = 0
        while frame is not None and seen < _MAX_FRAMES and taken < _MAX_CALLERS:
            if self.tree.scope.contains(frame.f_code.co_filename):
                self.note_state(frame)
                taken += 1
            frame = frame.f_back
            seen += 1

    def mark(self) -> Mark:
        """Return the mark of the whole value."""
        return Mark(self, self.tree.root)


class Mark(NamedTuple):
    """The origin of a tainted value: an answer, and the operation whose result it is."""

    answer: Answer
    node: Node

    def record(
        self,
        name: str,
        arguments: tuple[Any, ...] = (),
        keywords: tuple[tuple[str, Any], ...] = (),
        *,
        position: str = "",
        written_at: tuple[int, ...] | None = None,
        frame: FrameType | None = None,
    ) -> Mark | None:
        """Note an operation that application code applies to the value.

        Args:
            arguments: the other positional arguments, without the value.
            written_at: where they stand in the call, if not at the beginning.
            position: which parameter the value is, if not the first.

        Returns the mark of the result; ``None`` where the caller is not the application (a
        library's own steps are not the application's) or a limit is reached. Never raises.
        """
        answer = self.answer
        if answer.records >= MAX_RECORDS:
            return None
        try:
            frame = frame or application_frame(answer.tree.scope)
            if frame is None:
                return None
            answer.records += 1
            place = place_of(frame, name)
            where = written_at or range(len(arguments))
            operation = RecordedOperation(
                name,
                tuple(
                    _compared(v, place) if name in _COMPARISONS else _argument(v, i, place)
                    for i, v in zip(where, arguments, strict=False)
                ),
                tuple((key, _argument(value, key, place)) for key, value in keywords),
                position,
            )
            node = self.node.child(operation, place, answer.tree)
            if node is None:
                return None
            answer.hits.add(node.number)
            answer.note_state(frame)
            return Mark(answer, node)
        except Exception:  # noqa: BLE001 - fail open: the application never sees our errors
            log(_logger, logging.DEBUG, "operation not recorded", exc_info=True)
            return None

    def note_live(self) -> None:
        """Note that the operation's result holds something."""
        self.answer.live.add(self.node.number)

    def note_raised(self) -> None:
        """Note that the operation raised."""
        self.answer.raised.add(self.node.number)


def application_frame(scope: Scope) -> FrameType | None:
    """Return the frame that called into this package, if it is the application's own."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    if frame is not None and scope.contains(frame.f_code.co_filename):
        return frame
    return None


_MAX_ARGUMENT = 2_000
"""Characters of a text argument that are kept as a constant (ours)."""
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def _compared(value: Any, place: FilePlace) -> Any:
    """Return what a text is compared with: often another text of the program, no constant."""
    return _argument(value, 0, place) if place.is_written(0, value) else _varying(place, 0)


def _argument(value: Any, key: int | str, place: FilePlace) -> Any:
    """Return an argument as data: a constant, a tuple of constants, or ``Varying``."""
    kind: Any = cast("Any", type(value))
    if kind is Varying:
        return value
    if kind is tuple and len(value) <= 64:
        items = tuple(_argument(item, key, place) for item in value)
        return items if not any(type(item) is Varying for item in items) else _varying(place, key)
    if kind in (str, bytes) and len(value) <= _MAX_ARGUMENT:
        return value
    if value is None or kind is bool:
        return value
    if kind is Written:
        return int(value)
    # Numbers are often positions computed from the text itself: only those that are written.
    if kind in (int, float) and place.is_written(key, value):
        return value
    return _varying(place, key)


def _varying(place: FilePlace, key: int | str) -> Varying:
    """Return an argument that is no constant, as the code writes it."""
    return Varying(place.argument(key) or "...")
