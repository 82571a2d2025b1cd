"""Sites of outputs: the expression at which an output becomes available to the application.

An output becomes available where it is taken out of a response, where a function that returns one
is called, inside a chain, or where the application ranks or cuts a text itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.catalogue import Produced
from knitbone.adaptation.analysis.catalogue.conversations import REPLY, TEXT_METHODS
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.operation_trees import RETURNED, SiteDraft
from knitbone.adaptation.analysis.values import (
    Awaitable,
    ComposedText,
    Constant,
    External,
    FixedItems,
    Frozen,
    Keyed,
    Place,
    ProducingCall,
    Response,
    Series,
    Settings,
    Tracked,
    Value,
    Values,
    freeze,
    is_constant,
    join,
    tracked_in,
)
from knitbone.adaptation.reading.scenario import OWN_RANKING
from knitbone.adaptation.requirements import Evidence, Shape
from knitbone.adaptation.requirements.sites import Prompt, SiteKind
from knitbone.adaptation.requirements.uses import Computed, Form, Operation

__all__ = ["TEXT_FIELDS", "OutputSites", "freeze_settings", "prompts_in"]


# Loops of an application that cut a text into chunks themselves, recognised by their syntax.
#
# ``for i in range(0, len(text), step): text[i : i + size]``, and the same with ``while``: each is a
# site. ``runtime/instrument/transform.py`` puts the expressions of some of them into calls. It asks
# for more of a loop's form than is asked here.

_TEXT_NAMES = re.compile(
    r"(?<![A-Za-z])(?:text|content|string|transcript|body|document|doc|page|article|words|tokens|input|data|str|s)"
    r"(?:\(\))?$",
    re.IGNORECASE,
)
"""Names of one text, as against lists of something."""


class LoopCut(NamedTuple):
    """A loop that cuts a text: the slice, and the expressions of its step and width."""

    piece: ast.Subscript
    step: ast.expr | None
    width: ast.expr | None
    line: int


def find_while_cut(loop: ast.While) -> LoopCut | None:
    """Recognise ``while i < len(text): text[i : i + size]; i += step``."""
    test = loop.test
    if not (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], ast.Lt)
        and isinstance(test.comparators[0], ast.Call)
        and ast.unparse(test.comparators[0].func) == "len"
        and test.comparators[0].args
    ):
        return None
    text, start = ast.unparse(test.comparators[0].args[0]), test.left.id
    if not _TEXT_NAMES.search(text):
        return None
    step: ast.expr | None = None
    piece: ast.Subscript | None = None
    for node in (part for statement in loop.body for part in ast.walk(statement)):
        if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == start:
            step = node.value
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Slice)
            and ast.unparse(node.value) == text
            and isinstance(node.slice.lower, ast.Name)
            and node.slice.lower.id == start
        ):
            piece = node
    if piece is None:
        return None
    return LoopCut(piece, step, _width(piece, test.left), loop.lineno)


def find_for_cut(target: ast.expr, iterated: ast.expr, body: list[ast.stmt]) -> LoopCut | None:
    """Recognise ``for i in range(0, len(text), step): text[i : i + size]``."""
    if not (
        isinstance(target, ast.Name)
        and isinstance(iterated, ast.Call)
        and isinstance(iterated.func, ast.Name)
        and iterated.func.id == "range"
        and len(iterated.args) == 3
        and isinstance(iterated.args[1], ast.Call)
        and ast.unparse(iterated.args[1].func) == "len"
    ):
        return None
    text = ast.unparse(iterated.args[1].args[0]) if iterated.args[1].args else ""
    if not _TEXT_NAMES.search(text):
        return None  # batches of something else are cut in the same way
    for statement in body:
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.slice, ast.Slice)
                and isinstance(node.slice.lower, ast.Name)
                and node.slice.lower.id == target.id
                and ast.unparse(node.value) == text
            ):
                return LoopCut(node, iterated.args[2], _width(node, target), iterated.lineno)
    return None


def _width(node: ast.Subscript, target: ast.expr) -> ast.expr | None:
    """Return ``size`` of ``text[i : i + size]``."""
    bounds = node.slice
    upper = bounds.upper if isinstance(bounds, ast.Slice) else None
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add):
        name = target.id if isinstance(target, ast.Name) else ""
        for one, other in ((upper.left, upper.right), (upper.right, upper.left)):
            if isinstance(one, ast.Name) and one.id == name:
                return other
    return None


_KEEPING_OPERATIONS = frozenset(
    {"source", "annotate", ".strip", ".lstrip", ".rstrip", "str", RETURNED, "piece"}
)
"""Operations after which a value is still the output."""
_TOOL_NAME = "tool-name"
"""The type of a called tool's name, which the provider has checked: no output to be repaired."""
TEXT_FIELDS = frozenset(
    {"content", "text", "output", "answer", "result", "response", "completion", "output_text"}
)
"""Keys and fields under which the text of a dictionary or object is found when the program runs
(``runtime/values/texts.py``)."""
_MIN_PROMPT = 12
"""Characters below which a text is no prompt: a role, the name of a model (ours)."""


class OutputSites:
    """Makes the sites of one function."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._state = evaluator.state

    def origin(self, node: ast.expr, text: str = "") -> ProducingCall:
        """Return the call that brings an output."""
        module = self._evaluator.module
        written = text or module.text(node.func if isinstance(node, ast.Call) else node)
        return ProducingCall(written, str(module.path), node.lineno, node.end_lineno or node.lineno)

    def output_of_call(
        self,
        produced: Produced,
        node: ast.Call,
        prompts: tuple[Prompt, ...],
        handed: ProducingCall | None = None,
    ) -> Values:
        """Return the value of a recognised call, or of one of a method that ``handed`` gave to
        this function."""
        response = Response(
            produced._replace(schema=None, parser=None)
            if not isinstance(produced.schema, Shape)
            else produced._replace(parser=None),
            produced.shape,
            handed or self.origin(node),
            self._evaluator.place(node),
        )
        self._state.add_produced(response, prompts)
        if produced.awaited:
            return (Awaitable((response,)),)
        return self.arrive(response, node)

    def arrive(self, response: Response, node: ast.expr) -> Values:
        """Return a response, or its output, at the expression where it is available."""
        produced = response.produced
        if produced.form in ("response", "message"):
            place = self._evaluator.place(node)
            return (msgspec.structs.replace(response, place=place),)
        return (self.make_site(response, produced.form, node),)

    def access(self, response: Response, access: str, node: ast.expr) -> Values:
        """Return what one access of a response gives; at the end of the way stands the output."""
        followed = catalogue.follow(response.shape, access)
        if followed is None or followed.shape == _TOOL_NAME:
            return ()
        if REPLY in followed.shape and followed.shape != REPLY and self._is_taken_apart(node):
            return (msgspec.structs.replace(response, shape=REPLY),)
        if followed.form in ("response", "message"):
            return (msgspec.structs.replace(response, shape=followed.shape),)
        if followed.piece:
            return (self.make_site(response, followed.form, node, piece=True),)
        return (self.make_site(response, followed.form, node),)

    def _is_taken_apart(self, node: ast.expr) -> bool:
        """Return whether the code goes on as with an object or a list, not as with a text."""
        outer = self._state.surroundings(self._evaluator.function).around(node)
        if isinstance(outer, ast.Attribute):
            return outer.attr not in TEXT_METHODS
        if isinstance(outer, ast.Subscript):
            return outer.value is node and not isinstance(outer.slice, ast.Slice)
        return isinstance(outer, ast.For | ast.AsyncFor | ast.comprehension) and outer.iter is node

    def text_itself(self, response: Response, name: str, node: ast.expr) -> Tracked | None:
        """Return an answer of which the code calls a method of texts."""
        if response.shape != REPLY or name not in TEXT_METHODS:
            return None
        return self.make_site(response, "text", node)

    def text_of(self, response: Response, node: ast.expr) -> Tracked | None:
        """Return the text of a message that is given away as a whole."""
        for access in (".content", ".text", "str()"):
            followed = catalogue.follow(response.shape, access)
            if followed is not None and followed.form == "text":
                return self.make_site(response, "text", node, whole=True)
        return None

    def make_site(
        self,
        response: Response,
        form: Form,
        node: ast.expr,
        *,
        piece: bool = False,
        whole: bool = False,
    ) -> Tracked:
        """Make a site of this expression (of a stream's pieces, of the stream's call)."""
        produced = response.produced
        place = response.place if piece else self._evaluator.place(node)
        draft = self.draft(place, produced.kind, produced.provider, "message" if whole else form)
        draft.confidence = produced.confidence
        draft.streamed = draft.streamed or piece
        draft.looped = response.looped
        self._add_origin(draft, response.origin)
        evidence = self._evaluator.evidence(node)
        root = self._state.forest.plant(draft, Operation("source", (form,)), evidence)
        if not isinstance(produced.schema, Shape) or piece:
            return Tracked(root.number, piece)
        return Tracked(self._declare(root.number, produced.schema, evidence, node))

    def _declare(self, number: int, shape: Shape, evidence: Evidence, node: ast.expr) -> int:
        """Record that the call itself declares what the output looks like."""
        operation = Operation("annotate", (shape,))
        column = node.end_col_offset or 0
        return self._state.forest.grow(number, operation, evidence, column)

    def draft(
        self, place: Place, kind: SiteKind, provider: str, form: Form, variant: str = ""
    ) -> SiteDraft:
        """Return the draft of the site at a place; sites with another configuration are apart."""
        drafts = self._state.forest.drafts
        if (place, variant) not in drafts:
            drafts[place, variant] = SiteDraft(place, kind, provider, form, variant)
        return drafts[place, variant]

    def configured_site(
        self,
        produced: Produced,
        node: ast.Call,
        settings: Settings,
        made: Evidence | None,
    ) -> Tracked:
        """Make a site for an output whose form the configuration of a splitter or
        retriever says."""
        place = self._evaluator.place(node)
        variant = f"{made.file}:{made.line}" if made is not None else ""
        draft = self.draft(place, produced.kind, produced.provider, produced.form, variant)
        draft.confidence = produced.confidence
        self._add_origin(draft, self.origin(node))
        operation = Operation("source", (produced.form,), settings=settings)
        evidence = made or self._evaluator.evidence(node)
        root = self._state.forest.plant(draft, operation, evidence)
        if _amount_told(operation) > _amount_told(root.operation):
            root.operation, root.evidence = operation, evidence
        return Tracked(root.number)

    def source_site(
        self, node: ast.expr, name: str, place: ast.expr, form: Form = "text"
    ) -> Tracked:
        """Make a site for the value of a function that carries ``@knitbone.source``."""
        draft = self.draft(self._evaluator.place(place), "source", "knitbone.source", form)
        origin = self.origin(node, name)
        self._add_origin(draft, origin)
        root = self._state.forest.plant(
            draft, Operation("source", (form,)), self._evaluator.evidence(place)
        )
        return Tracked(root.number)

    def ranked_list(self, values: Values, node: ast.expr, *, returned: bool = False) -> Values:
        """Make a site of a list that the application ranks by a text: its entries are retrieved.

        What a function returns is one at its calls, as with all outputs; inside a function, lists
        count where it does not return them.
        """
        function, rankings = self._evaluator.function, self._state.rankings
        if next(tracked_in(values), None) is not None:
            return values
        if returned != rankings.returns_ranked_list(function):
            return values
        queries = rankings.queries_of(function, node)
        if not queries or (
            isinstance(node, ast.GeneratorExp) and not rankings.is_joined(function, node)
        ):
            return values
        draft = self.draft(
            self._evaluator.place(node), "retriever", OWN_RANKING, "texts", OWN_RANKING
        )
        draft.confidence = "medium"
        draft.queries = queries
        self._add_origin(draft, self.origin(node))
        operation = Operation("source", ("texts",), settings=(("retriever", OWN_RANKING),))
        root = self._state.forest.plant(draft, operation, self._evaluator.evidence(node))
        return (Tracked(root.number), *values)

    def _add_origin(self, draft: SiteDraft, origin: ProducingCall) -> None:
        """Add a producing call, and its prompts, to a draft."""
        if origin not in draft.origins:
            draft.origins.append(origin)
        brought = self._state.produced.get((origin, draft.kind))
        for prompt in brought.prompts if brought else ():
            if len(draft.prompts) < 8:
                draft.prompts[prompt] = None

    def yielded_output(self, values: Values, node: ast.expr) -> Values:
        """Return what a generator of the application gives: outputs that became available inside
        of it, one by one, since the call gives none of them yet. Pieces of a stream become
        available at the call."""
        series: list[Value] = []
        for value in values:
            items = value.items if isinstance(value, Series) else (value,)
            pieces = tuple(i for i in items if isinstance(i, Tracked) and i.piece)
            for moved in self.returned_output((Series(pieces),), node, (), ()) if pieces else ():
                series.extend(moved.items if isinstance(moved, Series) else (moved,))
            left = (self._left_inside(item, node, set()) for item in items if item not in pieces)
            series.extend(left)
        return (Series(tuple(series)),)

    def returned_output(
        self, values: Values, node: ast.expr, given: Values, prompts: tuple[Prompt, ...]
    ) -> Values:
        """Return what a function of the application gives, at the expression of its call.

        An output as it was produced becomes available at the call: the caller decides what it
        must look like. What was already taken apart stays in the callee's tree, with the call as
        its context.
        """
        if next(tracked_in(values), None) is None:
            return values
        own = {self._state.forest.nodes[t.node].draft for t in tracked_in(given)}
        return join(tuple(self._moved_to_call(value, node, own, prompts) for value in values))

    def _moved_to_call(
        self, value: Value, node: ast.expr, own: set[SiteDraft], prompts: tuple[Prompt, ...]
    ) -> Value:
        """Return a returned value, with the outputs in it available at the call."""
        if isinstance(value, Series):
            items = tuple(self._moved_to_call(item, node, own, prompts) for item in value.items)
            return Series(items, value.over)
        if isinstance(value, FixedItems):
            return FixedItems(
                tuple(
                    tuple(self._moved_to_call(item, node, own, prompts) for item in items)
                    for items in value.items
                ),
                value.made,
            )
        if isinstance(value, Keyed):
            return self._keyed_at_call(value, node, own, prompts)
        if not isinstance(value, Tracked):
            return value
        path = self._state.forest.path(value.node)
        draft = path[0].draft
        if draft in own or draft.place.function == self._evaluator.function.key:
            return value
        place = self._evaluator.place(node)
        if all(step.operation.name in _KEEPING_OPERATIONS for step in path):
            return self._site_at_call(value, draft, place, node, prompts)
        left = self._state.forest.leave_function(value.node, place, self._evaluator.evidence(node))
        return Tracked(left, value.piece)

    def _keyed_at_call(
        self, value: Keyed, node: ast.expr, own: set[SiteDraft], prompts: tuple[Prompt, ...]
    ) -> Keyed:
        """Return a returned dictionary. One output under a name for texts is available at the call;
        of several, or under any key, each is where it was put in."""
        holding = [key for key, items in value.entries if any(tracked_in(items))]
        if any(tracked_in(value.rest)) or any(key not in TEXT_FIELDS for key in holding):
            holding = []

        def moved(items: Values) -> Values:
            if len(holding) == 1:
                return tuple(self._moved_to_call(item, node, own, prompts) for item in items)
            return tuple(self._left_inside(item, node, own) for item in items)

        entries = tuple((key, moved(items)) for key, items in value.entries)
        return Keyed(entries, moved(value.rest), moved(value.names), value.made)

    def _left_inside(self, value: Value, node: ast.expr, own: set[SiteDraft]) -> Value:
        """Return a returned value whose outputs stay available where they are."""
        if isinstance(value, Series):
            return Series(tuple(self._left_inside(i, node, own) for i in value.items), value.over)
        if isinstance(value, FixedItems):
            items = (tuple(self._left_inside(i, node, own) for i in item) for item in value.items)
            return FixedItems(tuple(items), value.made)
        if isinstance(value, Keyed):
            entries = tuple(
                (key, tuple(self._left_inside(i, node, own) for i in items))
                for key, items in value.entries
            )
            rest = tuple(self._left_inside(item, node, own) for item in value.rest)
            return Keyed(entries, rest, value.names, value.made)
        if not isinstance(value, Tracked):
            return value
        draft = self._state.forest.nodes[value.node].draft
        if draft in own or draft.place.function == self._evaluator.function.key:
            return value
        place, evidence = self._evaluator.place(node), self._evaluator.evidence(node)
        return Tracked(self._state.forest.leave_function(value.node, place, evidence), value.piece)

    def _site_at_call(
        self,
        value: Tracked,
        inner: SiteDraft,
        place: Place,
        node: ast.expr,
        prompts: tuple[Prompt, ...],
    ) -> Tracked:
        """Make a site of the call for an output that the function returned as it was produced."""
        form = "text" if inner.form == "message" else inner.form
        draft = self.draft(place, inner.kind, inner.provider, form, inner.variant)
        draft.confidence = inner.confidence
        draft.streamed = value.piece
        if draft is not inner:
            if inner.queries is not None:
                callee = self._state.functions[inner.place.function]
                function = self._evaluator.function
                draft.queries = self._state.rankings.queries_behind_call(
                    function, node, callee, inner.queries
                )
            draft.inner[inner] = None
            inner.outer[draft] = None
        for origin in inner.origins:
            if origin not in draft.origins:
                draft.origins.append(origin)
        for prompt in prompts or tuple(inner.prompts):
            if len(draft.prompts) < 8:
                draft.prompts[prompt] = None
        path = self._state.forest.path(value.node)
        evidence = self._evaluator.evidence(node)
        settings = bool(path[0].operation.settings)
        root = self._state.forest.plant(
            draft, path[0].operation, path[0].evidence if settings else evidence
        )
        number = root.number
        for step in path:
            if step.operation.name == "annotate":
                number = self._declare(number, step.operation.arguments[0], evidence, node)
        return Tracked(number, value.piece)

    def for_cut_site(
        self,
        target: ast.expr,
        iterated: ast.expr,
        body: list[ast.stmt],
        comprehension: ast.expr | None,
    ) -> None:
        """Make a site of ``for i in range(0, len(text), step): text[i : i + size]``."""
        cut = find_for_cut(target, iterated, body)
        if cut is not None:
            form: Form = "text" if comprehension is None else "texts"
            self._loop_cut_site(cut, comprehension or cut.piece, form)

    def while_cut_site(self, loop: ast.While) -> None:
        """Make a site of ``while i < len(text): text[i : i + size]; i += step``."""
        cut = find_while_cut(loop)
        if cut is not None:
            self._loop_cut_site(cut, cut.piece, "text")

    def _loop_cut_site(self, cut: LoopCut, node: ast.expr, form: Form) -> None:
        """Make a site of a loop that cuts a text."""
        constant, values = self._evaluator.constant, self._evaluator.values
        step = None if cut.step is None else constant(values(cut.step))
        size = None if cut.width is None else constant(values(cut.width))
        settings: list[tuple[str, Any]] = [("splitter", "slice")]
        if isinstance(size, int):
            settings.append(("size", size))
            if isinstance(step, int):
                settings.append(("overlap", size - step))
        draft = self.draft(self._evaluator.place(node), "splitter", "own loop", form)
        draft.confidence = "medium"
        file = str(self._evaluator.module.path)
        last = cut.piece.end_lineno or cut.piece.lineno
        first = min(cut.line, node.lineno)
        self._add_origin(
            draft, ProducingCall(self._evaluator.module.text(cut.piece), file, first, last)
        )
        operation = Operation("source", ("texts",), settings=freeze_settings(settings))
        self._state.forest.plant(draft, operation, self._evaluator.evidence(node))


def _amount_told(operation: Operation) -> int:
    """Return a measure of how much the code itself says of an output."""
    settings = dict(operation.settings)
    return len(settings) - 2 * len(settings.get("defaults", ()))


def freeze_settings(settings: list[tuple[str, Any]]) -> Settings:
    """Return settings that can be hashed; what is not a constant is left out."""
    frozen = [(name, freeze(value)) for name, value in settings]
    return tuple((name, value) for name, value in frozen if is_constant(value))


def prompts_in(values: Values, file: str, line: int) -> tuple[Prompt, ...]:
    """Return the texts among the arguments of a call to a model."""
    return tuple(dict.fromkeys(islice(_prompts(values, file, line, "", 0), 32)))[:8]


def _prompts(values: Values, file: str, line: int, role: str, depth: int) -> Iterator[Prompt]:
    """Find the texts among some values that may be prompts."""
    if depth > 5:
        return
    for value in values:
        if isinstance(value, Constant) and isinstance(value.value, str):
            if len(value.value) >= _MIN_PROMPT:
                yield Prompt(text=value.value, file=file, line=line, role=role)
        elif isinstance(value, ComposedText):
            if len(value.text) >= _MIN_PROMPT:
                yield Prompt(text=value.text, file=value.file, line=value.line, role=role)
        elif isinstance(value, Series):
            yield from _prompts(value.items, file, line, role, depth + 1)
        elif isinstance(value, FixedItems):
            for item in value.items:
                yield from _prompts(item, file, line, role, depth + 1)
        elif isinstance(value, Keyed):
            said = value.get("role")
            known = said[0].value if len(said) == 1 and isinstance(said[0], Constant) else ""
            for key, item in value.entries:
                if key != "role":
                    yield from _prompts(item, file, line, str(known) or role, depth + 1)
            yield from _prompts(value.rest, file, line, role, depth + 1)
        elif isinstance(value, External):
            yield from _settings_prompts(value.settings, file, line, role, 0)


def _settings_prompts(value: Any, file: str, line: int, role: str, depth: int) -> Iterator[Prompt]:
    """Find the texts in the settings of an object that may be prompts."""
    if depth > 8:
        return
    if isinstance(value, str):
        if len(value) >= _MIN_PROMPT:
            yield Prompt(text=value, file=file, line=line, role=role)
    elif isinstance(value, Computed):
        if " " in value.expression and len(value.expression) >= _MIN_PROMPT * 2:
            yield Prompt(text=value.expression, file=file, line=line, role=role)
    elif isinstance(value, Frozen | tuple):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _settings_prompts(inner, file, line, role, depth + 1)
