"""Least-cost reading of a broken text: a search for the cheapest edits that make it a document.

A *node* is a place in the text together with what is open and what is due there; an *edge* reads
a token, at no cost where the grammar has it, or makes an edit. Well-formed stretches are one chain
of nodes. Where the chain breaks, the edits of the nodes in a window before the break are tried,
cheapest first (Dijkstra); readings that meet again at the same node go on as one, so that each
costs a few tokens. The readings are then enumerated backwards from the end, in the order of their
costs.

The search knows no notation: ``json_grammar.py``, ``xml_grammar.py`` and ``csv_grammar.py`` say
which tokens and edits there are. It only proposes readings with their costs; ``decide``
(``decision.py``) judges them.

Source: least-cost error correction (Aho and Peterson 1972); windows and evidence are ours.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

from knitbone.parsing.costs import COSTS, Costs

__all__ = [
    "CLOSED_AT_END",
    "CUT_OFF",
    "KINDS",
    "MAX_DEPTH",
    "DocumentEdit",
    "Enclosure",
    "PlaceSchema",
    "Reading",
    "Search",
    "SearchNode",
]

MAX_DEPTH = 200
"""Levels of nesting; the strictest common parser stops there."""
_MOST_NODES = 30_000
"""Nodes beyond one for each token before the search gives up: about 0.1 s."""
_MOST_READINGS = 40
_HABIT = 3
"""How often a mark is seen before it is one of the text's notation."""
_AGAIN = 0.3
"""What a mark costs at the second place, for once at the first."""
_MOST_EDITS = 1.9
"""Slips in one document, with what speaks against a reading: where two are mended, the value is
too often another one (``documents.blind``, one to three random characters)."""
_SHOWN = 30
"""Characters that are quoted where reading stopped."""
_WINDOW = 48
"""Tokens before a break whose edits are tried."""
_BOUNDARIES = 24
"""Ends of members, of each open bracket, whose edits are tried beside them."""
CUT_OFF = "the text is cut off: it ends in the middle of the document"
CLOSED_AT_END = "closing brackets added at the end"
_STEPS = 6
"""Tokens behind an edit that are read one by one; then the grammar is asked whether all else is
intact."""
_NEARLY = 1e-9


class DocumentEdit(NamedTuple):
    """One change to the text."""

    start: int
    end: int
    new: str
    rule: str
    content: str | None = None
    """What the new text says, where it is written only when the reading is looked at."""


class Reading(NamedTuple):
    """A document that the text may be."""

    cost: float
    edits: tuple[DocumentEdit, ...]
    """In the order of the text, what stands around the document not among them."""
    start: int
    end: int


KINDS = {
    "object": "{",
    "array": "[",
    "string": '"',
    "number": "0",
    "integer": "0",
    "boolean": "t",
    "null": "n",
}
"""How a value of each type of JSON Schema begins, in ``PlaceSchema.kinds``."""


class PlaceSchema:
    """What the target knows of one place: the keys there, and what stands under them."""

    __slots__ = ("closed", "items", "keys", "kinds", "others")

    def __init__(self) -> None:
        self.keys: dict[str, PlaceSchema | None] = {}
        self.closed = False
        """Whether other keys speak against a reading."""
        self.items: PlaceSchema | None = None
        self.others: PlaceSchema | None = None
        """What stands under keys that are not named."""
        self.kinds: frozenset[str] = frozenset()
        """Opening brackets and ``"`` that may begin a value here; empty: anything may."""


class Enclosure:
    """What is open. Equal frames are the same object."""

    __slots__ = ("depth", "kind", "parent", "slot", "within")

    def __init__(self, kind: str, parent: Enclosure | None, slot: PlaceSchema | None) -> None:
        self.kind = kind
        self.parent = parent
        self.slot = slot
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.within: dict[tuple[str, PlaceSchema | None], Enclosure] = {}

    def opened(self, kind: str, slot: PlaceSchema | None) -> Enclosure:
        key = kind, slot
        frame = self.within.get(key)
        if frame is None:
            frame = self.within[key] = Enclosure(kind, self, slot)
        return frame


class SearchNode:
    """A place in the text, what is open and what is due there."""

    __slots__ = (
        "at",
        "bound",
        "broken",
        "came",
        "cost",
        "due",
        "frame",
        "opened",
        "slot",
        "tried",
    )

    def __init__(
        self, at: int, due: int, frame: Enclosure, slot: PlaceSchema | None, cost: float
    ) -> None:
        self.at = at
        self.due = due
        self.frame = frame
        self.slot = slot
        """Of the value that is due."""
        self.cost = cost
        self.came: list[tuple[SearchNode, float, DocumentEdit | None]] = []
        self.opened: SearchNode | None = None
        """Where the innermost open bracket stands."""
        self.bound: SearchNode | None = None
        """The end of the member before, in the same bracket."""
        self.broken = False
        """Whether its window was asked for."""
        self.tried = False
        """Whether its edits were."""


class Search:
    """The readings of one text. A grammar says how a node is stepped from, and which edits may be
    made there.

    Args:
        start: where the document begins, or what comes before its opening mark was left out.
        end: where the text ends for the reader.
        start_due: what is due at the beginning.
        slot: what the target knows of the document.
        several: whether the document may be followed by another one.
        pause: called now and then; it may raise where the time is spent.
    """

    member_end = -1
    """What is due where a member has ended."""
    expected: ClassVar[dict[int, str]] = {}
    """Names for people of what may be due."""

    def __init__(
        self,
        text: str,
        start: int = 0,
        end: int | None = None,
        *,
        start_due: int = 0,
        slot: PlaceSchema | None = None,
        several: bool = False,
        costs: Costs = COSTS,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.is_closed = end is not None and end < len(text)
        """Whether the text goes on behind the end, so that nothing was cut off there."""
        self.text = text[:end] if self.is_closed else text
        self.end = len(self.text)
        self.costs = costs
        self.several = several
        self.pause = pause
        self.bound = _MOST_EDITS * costs.slip
        """Readings that cost more are not looked for; whoever reads lowers it."""
        self.problem = ""
        """Why no reading goes on, where the grammar knows it."""
        self.exhausted = False
        """Whether the search gave up before it was through."""
        self.cut_off = float("inf")
        """What it costs to take the text for the beginning of a longer one: a reading that is no
        cheaper is none."""
        self.another = float("inf")
        """What it costs to take what follows a document for another one."""
        self.outermost = Enclosure("", None, slot)
        self._nodes: dict[tuple[int, int, Enclosure, PlaceSchema | None], SearchNode] = {}
        self._heap: list[tuple[float, int, int, SearchNode, bool]] = []
        self._count = 0
        self._spent = 0
        self._goals: list[SearchNode] = []
        self._farthest: SearchNode | None = None
        """The last place that can be reached without an edit."""
        self._habits: dict[str, set[int]] = {}
        self.begin(start, start_due, slot, 0.0)

    # -- the grammar ----------------------------------------------------------------------------

    def step(self, node: SearchNode) -> SearchNode | None:
        """Read the token at a node. The next node where that costs nothing; ``None`` where other
        edges were added, or where the chain breaks (``broken`` says so)."""
        raise NotImplementedError

    def try_edits(self, node: SearchNode) -> None:
        """Add the edges of all edits at a node."""
        raise NotImplementedError

    def is_intact(self, node: SearchNode) -> bool:
        """Whether all that follows an edit is well formed, where that can be told at once; the end
        is then a goal."""
        del node
        return False

    # -- what a grammar adds ----------------------------------------------------------------------

    def relax(
        self,
        node: SearchNode,
        cost: float,
        at: int,
        due: int,
        frame: Enclosure,
        slot: PlaceSchema | None,
        edit: DocumentEdit | None = None,
    ) -> SearchNode | None:
        """Add an edge; the node it leads to, where that is new or was reached cheaper."""
        total = node.cost + cost
        key = at, due, frame, slot
        other = self._nodes.get(key)
        if other is None:
            other = self._nodes[key] = SearchNode(at, due, frame, slot, total)
            other.came.append((node, cost, edit))
            _place(node, other, self.member_end)
            return other
        for before, _, same in other.came:
            if before is node and same == edit:
                break
        else:
            other.came.append((node, cost, edit))
        if total < other.cost - _NEARLY:
            other.cost = total
            return other
        return None

    def edge(
        self,
        node: SearchNode,
        cost: float,
        at: int,
        due: int,
        frame: Enclosure,
        slot: PlaceSchema | None,
        edit: DocumentEdit | None = None,
    ) -> None:
        """Add an edge that is followed when its cost is due."""
        if cost > self.bound:
            return
        other = self.relax(node, cost, at, due, frame, slot, edit)
        if other is not None:
            self._spent += 1
            self.push(other)

    def push(self, node: SearchNode) -> None:
        """Go on from a node when its cost is due."""
        self._count += 1
        heapq.heappush(self._heap, (node.cost, -node.at, self._count, node, False))

    def broken(self, node: SearchNode) -> None:
        """Say that the chain breaks at a node: the edits before it are tried when it is time."""
        if node.broken:
            return
        node.broken = True
        untouched = node.cost < self.costs.slip / 2
        if untouched and (self._farthest is None or node.at > self._farthest.at):
            self._farthest = node
        self._count += 1
        cost = node.cost + self.costs.inner_quotes
        heapq.heappush(self._heap, (cost, -node.at, self._count, node, True))

    def goal(self, node: SearchNode) -> None:
        """Say that a document ends at a node."""
        if node not in self._goals:
            self._goals.append(node)

    def habit(self, node: SearchNode, kind: str, times: float = 1.0) -> float:
        """The cost of a mark of a dialect: who writes it twice writes it always."""
        places = self._habits.setdefault(kind, set())
        places.add(node.at)
        cost = times * self.costs.dialect
        return (cost, cost * _AGAIN)[len(places) - 1] if len(places) < _HABIT else 1e-4

    def ends_early(self, cost: float, *, ended: bool) -> None:
        """Say that the text may be the beginning of a longer one.

        Args:
            ended: whether it stops at a mark that ends something.
        """
        slip, unlikely = self.costs.slip, self.costs.unlikely
        self.cut_off = min(self.cut_off, cost + slip + (unlikely if ended else -unlikely))
        self.bound = min(self.bound, max(self.cut_off, slip + self.costs.margin))

    @property
    def stopped(self) -> int:
        """The last place that can be read without an edit."""
        return self._farthest.at if self._farthest is not None else self.end

    def obstacle(self) -> str:
        """What was expected where reading first stopped, and what stands there; empty
        where nothing can be said."""
        if self.problem:
            return self.problem
        node = self._farthest
        if node is None or node.due not in self.expected:
            return ""
        place = len(self.text) - len(self.text[node.at :].lstrip())
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        found = self.text[place : place + _SHOWN].split("\n", 1)[0]
        if not found:
            return CUT_OFF
        expected = self.expected[node.due]
        return f"{expected} is expected where {found!r} stands (line {line}, column {column})"

    def begin(self, at: int, due: int, slot: PlaceSchema | None, cost: float) -> None:
        """Begin a document at a place, too."""
        key = at, due, self.outermost, slot
        if key not in self._nodes:
            node = self._nodes[key] = SearchNode(at, due, self.outermost, slot, cost)
            self.push(node)

    def readings(self) -> Iterator[Reading]:
        """Yield readings, cheapest first.

        The caller stops when what it has is far enough ahead. Readings that give the same text
        come once.
        """
        seen: set[tuple[DocumentEdit, ...]] = set()
        shown = -1.0
        while True:
            frontier = self._advance(shown)
            if self._goals:
                for reading in self._enumerate(frontier, above=shown):
                    if reading.edits not in seen:
                        seen.add(reading.edits)
                        yield reading
            if not self._heap or self.exhausted or self._heap[0][0] > self.bound:
                return
            shown = frontier

    def _advance(self, shown: float) -> float:
        """Search until all readings up to a cost are known, beyond those that were shown."""
        heap = self._heap
        frontier = shown
        while heap:
            cost = heap[0][0]
            if cost > self.bound:
                break
            if cost > frontier + 1e-9:
                if self._goals and any(
                    shown + 1e-9 < goal.cost <= frontier + 1e-9 for goal in self._goals
                ):
                    return frontier
                frontier = cost
            _, _, _, node, window = heapq.heappop(heap)
            if window:
                self._open_window(node)
            elif cost <= node.cost + 1e-9:
                self._run(node)
            if self._spent > _MOST_NODES:
                self.exhausted = True
                break
        return frontier if not self.exhausted else 1e9

    def _run(self, node: SearchNode | None) -> None:
        """Follow the chain of what needs no edit."""
        steps = 0
        while node is not None:
            steps += 1
            if steps == _STEPS and node.cost >= self.costs.slip / 2 and self.is_intact(node):
                return
            if steps % 256 == 0:
                self.pause()
            node = self.step(node)

    def _open_window(self, node: SearchNode) -> None:
        """Try the edits of the nodes before a break, and where members of what is open end."""
        self.pause()
        queue: list[SearchNode] = [node]
        near = node
        for _ in range(_WINDOW):
            if not near.came:
                break
            near = min(near.came, key=_cost_of)[0]
            queue.append(near)
        opened: SearchNode | None = node
        while opened is not None:
            bound = opened.bound
            for _ in range(_BOUNDARIES):
                if bound is None:
                    break
                queue.append(bound)
                bound = bound.bound
            opened = opened.opened
            if opened is not None:
                queue.append(opened)
        for one in queue:
            if not one.tried:
                one.tried = True
                self.try_edits(one)

    def _enumerate(self, most: float, *, above: float) -> Iterator[Reading]:
        """Yield the readings that cost no more, cheapest first: back from the end, guided by what
        each node costs from the beginning."""
        count = 0
        heap: list[tuple[float, int, float, SearchNode, Any]] = []
        for goal in self._goals:
            count += 1
            heapq.heappush(heap, (goal.cost, count, 0.0, goal, (goal.at, None)))
        given = 0
        while heap and given < _MOST_READINGS:
            total, _, behind, node, made = heapq.heappop(heap)
            if total > most + 1e-9:
                return
            while node.came:
                if len(node.came) > 1:
                    break
                before, cost, edit = node.came[0]
                behind += cost
                if edit is not None:
                    made = edit, made
                node = before
            if not node.came:
                if total > above + 1e-9:
                    given += 1
                    yield _reading(total, made, node.at)
                continue
            for before, cost, edit in node.came:
                whole = before.cost + cost + behind
                if whole <= most + 1e-9:
                    count += 1
                    heapq.heappush(
                        heap,
                        (
                            whole,
                            count,
                            behind + cost,
                            before,
                            made if edit is None else (edit, made),
                        ),
                    )


def _cost_of(edge: tuple[SearchNode, float, DocumentEdit | None]) -> float:
    return edge[0].cost + edge[1]


def _place(node: SearchNode, new: SearchNode, member_end: int) -> None:
    """Note what is open at a new node, and where the member before it ends."""
    frame = node.frame
    if new.frame is frame:
        new.opened = node.opened
        new.bound = node if node.due == member_end else node.bound
    elif new.frame.parent is frame:
        new.opened = node
    elif node.opened is not None:
        opened = node.opened
        new.opened = opened.opened
        new.bound = opened.bound


def _reading(cost: float, made: Any, start: int) -> Reading:
    edits: list[DocumentEdit] = []
    end = 0
    while made is not None:
        one, rest = made
        if isinstance(one, DocumentEdit):
            edits.append(one)
        else:
            end = one
        made = rest
    return Reading(cost, tuple(edits), start, end)
