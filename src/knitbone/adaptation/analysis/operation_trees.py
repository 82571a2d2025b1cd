"""Trees of operations on outputs, one for each place where an output becomes available.

``text.split(":")[1]`` is the root with a child ``.split``, which has a child ``getitem``. The flow
grows the trees while it evaluates functions; ``export`` turns them into the ``Use`` records that
the readers of requirements see.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from knitbone.adaptation.analysis.rankings import Queries
from knitbone.adaptation.analysis.values import Place, ProducingCall, Values, tracked_in
from knitbone.adaptation.requirements import Evidence
from knitbone.adaptation.requirements.records import Confidence, OnViolation
from knitbone.adaptation.requirements.sites import Prompt, SiteKind
from knitbone.adaptation.requirements.uses import Branch, Form, Operation, Use

__all__ = ["RETURNED", "Forest", "SiteDraft", "Trial", "export"]

_MAX_NODES = 4_000
"""Operations on one output that are told apart (ours)."""
_MAX_DEPTH = 40
_MAX_CONTEXTS = 24
"""Callers of one function whose uses are told apart (ours)."""

RETURNED = "returned"
"""Name of the node for a value that a function returned to one of its callers; not an operation."""
PLAIN = frozenset(
    {RETURNED, ".strip", ".lstrip", ".rstrip", "str", "truth", "is_none", "len", "format", "join"}
)
"""Operations that demand nothing of the output."""


class Trial(NamedTuple):
    """One of several attempts that are made in turn: the body of a ``try``, or a handler."""

    where: str
    """``file:line`` of the ``try`` or ``if``."""
    order: int
    """0 is tried first."""


class OperationKey(NamedTuple):
    """The identity of an operation on a value."""

    operation: Operation
    file: str
    line: int
    column: int


class OperationNode:
    """An operation on the value of its parent."""

    __slots__ = (
        "children",
        "depth",
        "draft",
        "evidence",
        "number",
        "on_violation",
        "operation",
        "parent",
        "place",
        "trials",
    )

    def __init__(
        self,
        number: int,
        draft: SiteDraft,
        operation: Operation,
        evidence: Evidence,
        parent: OperationNode | None,
    ) -> None:
        self.number = number
        self.draft = draft
        self.operation = operation
        self.evidence = evidence
        self.parent = parent
        self.depth = parent.depth + 1 if parent is not None else 0
        self.children: dict[OperationKey, OperationNode] = {}
        self.on_violation: OnViolation = "unknown"
        self.trials: set[Trial] = set()
        self.place: Place | None = None
        """The call through which a function returned the value; only of a ``RETURNED`` node."""


class SiteDraft:
    """A site in the making: what is known of one output so far."""

    def __init__(
        self, place: Place, kind: SiteKind, provider: str, form: Form, variant: str = ""
    ) -> None:
        self.place = place
        self.variant = variant
        self.kind: SiteKind = kind
        self.provider = provider
        self.form: Form = form
        self.confidence: Confidence = "high"
        self.streamed = False
        self.chained = False
        self.looped = False
        """True if it is one of the parts of a response that a loop goes over."""
        self.queries: Queries | None = None
        """Of a list that the application ranks itself: what holds the text that it is ranked by."""
        self.sent = False
        """True if the value, or something made of it, is sent to a model."""
        self.origins: list[ProducingCall] = []
        self.prompts: dict[Prompt, None] = {}
        self.inner: dict[SiteDraft, None] = {}
        """Sites whose value, as it was produced, a function gives here."""
        self.outer: dict[SiteDraft, None] = {}
        """Sites to which a function gives this one's value."""
        self.root: OperationNode | None = None
        self.size = 0

    @property
    def is_read(self) -> bool:
        """Return whether any code does something with the output."""
        return self.root is not None and any(
            node.operation.name not in PLAIN for node in _below(self.root)
        )

    @property
    def is_free(self) -> bool:
        """Return whether no code does anything with the output, on its way to here or
        further on."""
        return not (self.is_read or _any_read(self, "inner") or _any_read(self, "outer"))


def _any_read(draft: SiteDraft, way: Literal["inner", "outer"]) -> bool:
    """Return whether one of the sites on the way to, or from, this one is read."""
    seen, pending = {draft}, [draft]
    while pending:
        for other in getattr(pending.pop(), way):
            if other not in seen:
                if other.is_read:
                    return True
                seen.add(other)
                pending.append(other)
    return False


def _below(node: OperationNode) -> Iterator[OperationNode]:
    """Find all operations below a node."""
    for child in node.children.values():
        yield child
        yield from _below(child)


class Forest:
    """All trees of one analysis, and their nodes by number."""

    def __init__(self) -> None:
        self.drafts: dict[tuple[Place, str], SiteDraft] = {}
        """By place, and by what configured the output where that is known."""
        self.nodes: list[OperationNode] = []

    def plant(self, draft: SiteDraft, operation: Operation, evidence: Evidence) -> OperationNode:
        """Return the root of a draft's tree."""
        if draft.root is None:
            draft.root = self._node(draft, operation, evidence, None)
        return draft.root

    def grow(
        self,
        parent: int,
        operation: Operation,
        evidence: Evidence,
        column: int,
        *,
        trials: frozenset[Trial] = frozenset(),
        on_violation: OnViolation = "unknown",
    ) -> int:
        """Return the node of an operation on a node's value; the parent where the tree is too
        large."""
        above = self.nodes[parent]
        part = OperationKey(operation, evidence.file, evidence.line, column)
        node = above.children.get(part)
        if node is None:
            if above.depth >= _MAX_DEPTH or above.draft.size >= _MAX_NODES:
                return parent
            node = self._node(above.draft, operation, evidence, above)
            above.children[part] = node
            node.on_violation = on_violation
        node.trials.update(trials)
        return node.number

    def mark_sent(self, values: Values) -> None:
        """Note that these values go to a model."""
        for value in tracked_in(values):
            self.nodes[value.node].draft.sent = True

    def leave_function(self, parent: int, place: Place, evidence: Evidence) -> int:
        """Return the node's value as it arrives at a call."""
        number = self.grow(
            parent,
            Operation(RETURNED, (place.function, place.line, place.column)),
            evidence,
            place.column,
        )
        self.nodes[number].place = place
        return number

    def replay_on_item(
        self,
        number: int,
        over: int,
        operation: Operation,
        evidence: Evidence,
        on_violation: OnViolation,
    ) -> int:
        """Do what was done to each item of a list to the one that an operation picks.

        Args:
            number: the node of what became of each item.
            over: the node at which the list is iterated, above it.
            operation: what picks one item of the list.
            on_violation: what happens where there is none.
        """
        steps = self.path(number)
        index = next((n for n, node in enumerate(steps) if node.number == over), 0)
        if not index:
            return number
        new_number = self.grow(
            steps[index - 1].number, operation, evidence, 0, on_violation=on_violation
        )
        for before, node in pairwise(steps[index:]):
            part = next(part for part, child in before.children.items() if child is node)
            new_number = self.grow(
                new_number,
                node.operation,
                node.evidence,
                part.column,
                trials=frozenset(node.trials),
                on_violation=node.on_violation,
            )
            self.nodes[new_number].place = node.place
        return new_number

    def _node(
        self,
        draft: SiteDraft,
        operation: Operation,
        evidence: Evidence,
        parent: OperationNode | None,
    ) -> OperationNode:
        """Make a node."""
        node = OperationNode(len(self.nodes), draft, operation, evidence, parent)
        self.nodes.append(node)
        draft.size += 1
        return node

    def path(self, number: int) -> list[OperationNode]:
        """Return the nodes from the root to this one."""
        found: list[OperationNode] = []
        node: OperationNode | None = self.nodes[number]
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]


def export(draft: SiteDraft) -> tuple[Use, ...]:
    """Return the draft's tree; one for each caller where a function hands the value to several."""
    return _Exporter(draft.root).trees() if draft.root is not None else ()


class _Exporter:
    """Turns one tree of nodes into ``Use`` records."""

    def __init__(self, root: OperationNode) -> None:
        self.root = root
        orders: dict[str, set[int]] = {}
        for node in _below(root):
            for trial in node.trials:
                orders.setdefault(trial.where, set()).add(trial.order)
        self._tried = {where for where, found in orders.items() if len(found) > 1 and 0 in found}

    def trees(self) -> tuple[Use, ...]:
        """Return the trees, one for each caller."""
        contexts = self._contexts(self.root)
        if len(contexts) <= 1:
            return (self._use(self.root, None),)
        found = (self._use(self.root, place) for place in contexts[:_MAX_CONTEXTS])
        return tuple(dict.fromkeys(found))

    def _contexts(self, node: OperationNode) -> list[Place]:
        """Return the calls through which values leave, the outermost ones, that lead to further
        uses."""
        places: dict[Place, None] = {}
        for child in node.children.values():
            if child.place is not None:
                if any(True for _ in _used(child)):
                    places[child.place] = None
            else:
                places.update(dict.fromkeys(self._contexts(child)))
        return list(places)

    def _use(self, node: OperationNode, place: Place | None) -> Use:
        """Return the use of a node for one caller."""
        children: list[Use] = []
        for child in node.children.values():
            if child.place is None:
                contexts = self._contexts(child) if place is not None else []
                if not contexts or place in contexts or not self._only_returned(child):
                    children.append(self._use(child, place))
            elif place is None or child.place == place:
                children.extend(self._inline(child))
        children.sort(key=lambda use: (use.evidence.file, use.evidence.line))
        branch, alternative = self._branch_of(node)
        return Use(
            operation=node.operation,
            uses=tuple(children),
            evidence=node.evidence,
            on_violation=node.on_violation,
            branch=branch,
            alternative=alternative,
        )

    def _only_returned(self, node: OperationNode) -> bool:
        """Return whether the value is used by callers only."""
        return all(
            child.place is not None or self._only_returned(child)
            for child in node.children.values()
        )

    def _inline(self, node: OperationNode) -> Iterator[Use]:
        """Yield the uses behind a call as if they stood in the function."""
        for child in node.children.values():
            if child.place is None:
                yield self._use(child, None)
            else:
                yield from self._inline(child)

    def _branch_of(self, node: OperationNode) -> tuple[Branch, str]:
        """Return the branch that a node stands in, and the name of its alternatives."""
        tried = sorted(trial.where for trial in node.trials if trial.where in self._tried)
        if tried:
            return "core", tried[0]
        if any(trial.order > 0 for trial in node.trials):
            return "handler", ""
        return "core", ""


def _used(node: OperationNode) -> Iterator[OperationNode]:
    """Find the operations behind the calls through which a value leaves."""
    for child in node.children.values():
        if child.place is None:
            yield child
        else:
            yield from _used(child)
