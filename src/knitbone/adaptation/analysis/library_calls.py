"""Calls of libraries: which bring an output, which consume one, and which only pass it on.

What a call brings says the ``catalogue``; which functions receive an output, ``library_consumers``.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import msgspec

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.arguments import (
    as_argument,
    as_choice,
    as_mapping,
    as_settings,
)
from knitbone.adaptation.analysis.attributes import AttributeLookup
from knitbone.adaptation.analysis.builtin_calls import BuiltinCalls
from knitbone.adaptation.analysis.catalogue import Produced
from knitbone.adaptation.analysis.catalogue.conversations import ANSWER, asks_a_model
from knitbone.adaptation.analysis.chains import Chains
from knitbone.adaptation.analysis.evaluator import Evaluator, FunctionCalls
from knitbone.adaptation.analysis.items import Items
from knitbone.adaptation.analysis.library_consumers import LibraryConsumers
from knitbone.adaptation.analysis.output_sites import OutputSites, freeze_settings, prompts_in
from knitbone.adaptation.analysis.program import SOURCE_NAMES
from knitbone.adaptation.analysis.regexes import Regexes, flag
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppFunction,
    Awaitable,
    CallArguments,
    Chain,
    ComposedText,
    Constant,
    External,
    FixedItems,
    Keyed,
    Partial,
    Response,
    Series,
    Settings,
    Tracked,
    Value,
    Values,
    join,
    tracked_in,
)
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["LibraryCalls", "brings_output"]

_SEARCH_METHODS = frozenset({"startswith", "endswith", "find", "index", "rfind", "rindex"})
"""Methods of a text that look for one of several."""

_RUNNERS = frozenset({"asyncio.run", "anyio.run", "trio.run"})
"""Functions that run a coroutine and return its result."""
_TRANSPARENT = frozenset(
    {"asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield"}
    | {"asyncio.run_coroutine_threadsafe", "nest_asyncio.run", "copy.copy", "copy.deepcopy"}
)
"""Functions that give back what they are given: a coroutine, or a copy."""
_CONTAINERS = frozenset(
    {"defaultdict", "OrderedDict", "deque", "Queue", "LifoQueue", "SimpleQueue", "PriorityQueue"}
)
"""Classes of containers that are empty when they are made."""
_GATHERERS = frozenset({"asyncio.gather", "tqdm.asyncio.tqdm.gather"})
"""Functions that run several coroutines."""
_SUBMITTERS = frozenset(
    {"submit", "to_thread", "run_in_executor", "run_sync", "run_in_threadpool", "apply", "spawn"}
)
"""Functions that run another one, in a thread, a pool or an executor."""
_MAPPERS = frozenset({"map", "imap", "imap_unordered", "map_async", "starmap", "thread_map"})
"""Functions that run another one for each item of a list, in a thread, a pool or an executor."""
_ENCODERS = frozenset({"json.dumps", "orjson.dumps", "ujson.dumps"})
"""Functions that write a dictionary down."""
_FIELDS = frozenset(
    {"dataclasses.field", "attrs.field", "attr.ib", "attr.field", "pydantic.PrivateAttr"}
)
"""Functions that say what the field of an object is by default."""
_KNOWN_BY_FORM = re.compile(r"\.(?:chat\.completions|messages|responses)\.a?create$")
"""Calls known by their form even where the receiver is something of another library."""
_ROUTERS = frozenset({"RunnableParallel", "RunnableMap", "RunnableLambda", "assign"})
"""LangChain's classes and methods for parts of a chain that only route."""
_CONFIGURED = frozenset({"parser", "splitter", "retriever", "vectorstore"})
"""Roles of objects whose arguments say what they do with a text: where they are made is kept."""
_CUTS = frozenset({"size", "overlap", "separators"})
"""Settings of a splitter that say where it cuts."""
_OWN_GRAPH = "StateGraph()"
"""LangGraph's graph of functions of the application."""
_OBJECT_OF_METHOD = {
    "as_retriever": "langchain_core.vectorstores.VectorStore().as_retriever()",
    "as_query_engine": "llama_index.core.VectorStoreIndex().as_query_engine()",
    "as_chat_engine": "llama_index.core.VectorStoreIndex().as_chat_engine()",
}
"""The object that a method makes, where the type of its receiver is not known."""


class LibraryCalls:
    """Evaluates the calls of libraries for one evaluation."""

    def __init__(
        self,
        evaluator: Evaluator,
        calls: FunctionCalls,
        outputs: OutputSites,
        attributes: AttributeLookup,
        items: Items,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs
        self._items = items
        self._state = evaluator.state
        self._calls = calls
        self._chains = Chains(evaluator, calls, outputs, attributes)
        self.consumers = LibraryConsumers(evaluator, outputs)
        self.regexes = Regexes(evaluator, outputs)
        self._builtins = BuiltinCalls(evaluator, calls, outputs, attributes, items, self.consumers)

    def call(self, callee: External, node: ast.Call, given: CallArguments) -> Values:
        """Return the value of a call of something of a library."""
        path = callee.path
        if path in SOURCE_NAMES:
            return self._source_wrapped(node, given)
        if path.startswith("knitbone:source:"):
            name = path.removeprefix("knitbone:source:")
            return (self._outputs.source_site(node, name, node),)
        if path.startswith(("re.", "regex.")) and path.count(".") == 1:
            return self.regexes.call(path.partition(".")[2], node, given)
        if path.startswith("builtins."):
            return self._builtins.call(path.partition(".")[2], node, given)
        settings = as_settings(self._evaluator, node, given.arguments, given.keywords)
        produced = self._produced(callee, settings)
        passed = None if produced is not None else self._passed_on(path, node, given)
        if passed is not None:
            return passed
        if produced is not None and _OWN_GRAPH in path:
            # Its nodes are functions of the application, where the outputs arise.
            state = Keyed(tuple(sorted(self._state.graph_state.items())))
            return (Awaitable((state,)),) if produced.awaited else (state,)
        if produced is not None:
            for chain in callee.inside:
                run = msgspec.structs.replace(chain, path=".invoke")
                self._chains.run(run, node, given)
            return self._brought(produced, callee, node, given)
        if taken := self._taken_out(path, node, given):
            return taken
        brought = self._by_form(path, node, given)
        if brought is not None:
            return brought
        used = self.consumers.receive(callee, node, given)
        if used:
            return used
        if catalogue.returns_itself(path):
            return (External(path.rpartition(".")[0], callee.settings, callee.made),)
        self._called_back(path, node, given)
        return (self._made(callee, settings, node, given),)

    def _taken_out(self, path: str, node: ast.Call, given: CallArguments) -> Values:
        """Return the output that a library's own function takes out of its response."""
        access = f"{'.'.join(path.split('.')[-2:])}()"
        first = given.arguments[0] if given.arguments else ()
        found = (self._outputs.access(v, access, node) for v in first if isinstance(v, Response))
        return join(*found)

    def _made(
        self, callee: External, settings: Settings, node: ast.Call, given: CallArguments
    ) -> Value:
        """Return the object that a call of a library makes."""
        path = callee.path
        if path.rpartition(".")[2] == "Prediction":
            # ``dspy.Prediction(queries=...)``: what its attributes are.
            return Keyed(
                tuple(
                    (keyword.arg, self._evaluator.values(keyword.value))
                    for keyword in node.keywords
                    if keyword.arg is not None
                )
            )
        known = catalogue.role(f"{path}()", as_mapping(settings)) in _CONFIGURED
        made = self._evaluator.evidence(node) if known else callee.made
        inside = tuple(v for v in given.all() if isinstance(v, Chain)) or callee.inside
        return External(f"{path}()", settings or callee.settings, made, inside)

    def _produced(self, callee: External, settings: tuple[tuple[str, Any], ...]) -> Produced | None:
        """Return what the catalogue says that a call brings; ``None`` where it knows of
        no output."""
        given = as_mapping(settings)
        positional = [given[str(i)] for i in range(len(given)) if str(i) in given]
        keywords = {name: value for name, value in given.items() if not name.isdigit()}
        return catalogue.produces(callee.path, as_mapping(callee.settings), keywords, positional)

    def _brought(
        self, produced: Produced, callee: External, node: ast.Call, given: CallArguments
    ) -> Values:
        """Return the output of a recognised call, with its prompts and what the
        configuration says."""
        if produced.kind == "chat":
            self._state.forest.mark_sent(given.all())
        prompts = self._prompts(produced, callee, node, given)
        settings = as_settings(self._evaluator, node, given.arguments, given.keywords)
        configured: dict[str, Any] = {}
        if produced.kind == "retriever":
            configured = catalogue.context_of(
                callee.path, as_mapping(callee.settings), as_mapping(settings)
            )
        elif produced.kind == "splitter":
            configured = catalogue.chunking_of(callee.path, as_mapping(callee.settings))
        only_class = ("?", True) in callee.settings
        if only_class:
            configured = {}  # of the object only the class is known: its defaults do not count
        if produced.kind == "splitter" and _CUTS.isdisjoint(configured):
            configured = {}  # that a text is measured in characters is no news
        known = catalogue.parser_operation(callee.path, as_mapping(callee.settings))
        if configured or (produced.kind == "retriever" and not only_class):
            configured[produced.kind] = known or callee.path
        if configured and produced.form in ("documents", "texts") and not produced.awaited:
            frozen = freeze_settings(list(configured.items()))
            return (self._outputs.configured_site(produced, node, frozen, callee.made),)
        return self._outputs.output_of_call(produced, node, prompts, callee.handed)

    def _prompts(
        self, produced: Produced, callee: External, node: ast.Call, given: CallArguments
    ) -> tuple[Any, ...]:
        """Return the texts that the call sends to a model."""
        held: list[Value] = []
        for name in produced.prompt:
            if name.isdigit():
                if int(name) < len(given.arguments):
                    held.extend(given.arguments[int(name)])
            else:
                held.extend(given.keywords.get(name, ()))
        if not produced.prompt:
            held.extend(given.arguments[0] if given.arguments else ())
        held.append(External("settings", callee.settings))
        file = str(self._evaluator.module.path)
        return prompts_in(tuple(held), file, node.lineno)

    def by_shape(self, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate a call whose receiver is of unknown type by its own form, with less
        confidence."""
        if not isinstance(node.func, ast.Attribute):
            return None
        settings = as_settings(self._evaluator, node, given.arguments, given.keywords)
        if node.func.attr in _OBJECT_OF_METHOD:
            made = self._evaluator.evidence(node)
            return (External(_OBJECT_OF_METHOD[node.func.attr], settings, made),)
        values = as_mapping(settings)
        keywords = {name for name in values if not name.isdigit()}
        if any(keyword.arg is None for keyword in node.keywords):
            keywords.add("**")
        produced = catalogue.produces_by_shape(_written_call(node.func), keywords, values)
        if produced is None:
            return self._answer(node.func.attr, node, given)
        return self._brought(produced, External(ast.unparse(node.func)), node, given)

    def _by_form(self, path: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate a call of another library that is written as those of known ones, or asks."""
        brought = self.by_shape(node, given) if _KNOWN_BY_FORM.search(path) else None
        return (
            brought if brought is not None else self._answer(path.rpartition(".")[2], node, given)
        )

    def _answer(self, name: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate a call of a library that nobody knows, which is handed a conversation."""
        told = given.keywords.get("messages", ())
        named = {keyword for keyword in given.keywords if keyword is not None}
        if not asks_a_model(name, named) or not _is_conversation(told):
            return None
        return self._brought(ANSWER, External(ast.unparse(node.func)), node, given)

    def either(self, node: ast.expr | ast.stmt, left: Values, right: Values) -> Values:
        """Evaluate ``a | b``: a chain, flags, or dictionaries."""
        if len(left) == len(right) == 1:
            a, b = flag(left[0]), flag(right[0])
            if a is not None and b is not None:
                return (Constant(a | b),)
        if isinstance(node, ast.BinOp):
            chain = self._chains.join(node, left, right)
            if chain:
                return chain
        return tuple(v for v in (*left, *right) if isinstance(v, Keyed))

    def run_chain(self, chain: Chain, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate a method of a chain."""
        return self._chains.run(chain, node, given)

    # What consumes an output.

    def value_method(
        self, value: Tracked, name: str, node: ast.Call, given: CallArguments
    ) -> Values:
        """Evaluate a method of an output."""
        if name == "join" and given.arguments:
            return self._joined(ComposedText("", "", 0), node, self._parts(node, given))
        argued = as_choice if name in _SEARCH_METHODS else as_argument
        arguments = tuple(
            argued(self._evaluator, values, argument)
            for values, argument in zip(given.arguments, node.args, strict=True)
            if not isinstance(argument, ast.Starred)
        )
        keywords = tuple(
            (k.arg, as_argument(self._evaluator, given.keywords.get(k.arg, ()), k.value))
            for k in node.keywords
            if k.arg is not None
        )
        used = self._evaluator.use(value, f".{name}", node, arguments, keywords)
        if name == "items":
            # ``for key, item in value.items()``
            return (Series((FixedItems(((), (used,))),)),)
        return (used,)

    def text_method(
        self, value: Constant | ComposedText, name: str, node: ast.Call, given: CallArguments
    ) -> Values | None:
        """Evaluate ``separator.join(parts)``, ``template.format(text)`` and other methods of a
        text."""
        if name == "join" and given.arguments:
            return self._joined(value, node, self._parts(node, given))
        if name in ("format", "format_map", "substitute", "safe_substitute"):
            return self._formatted(value, node, given)
        if name in (
            "strip",
            "lstrip",
            "rstrip",
            "replace",
            "removeprefix",
            "removesuffix",
            "lower",
        ):
            return (value,)
        return None

    def _parts(self, node: ast.Call, given: CallArguments) -> Values:
        """Return the values that are joined."""
        return self._outputs.ranked_list(given.arguments[0], node.args[0])

    def _joined(self, separator: Constant | ComposedText, node: ast.Call, parts: Values) -> Values:
        """Evaluate ``separator.join(parts)``."""
        written = separator.value if isinstance(separator, Constant) else Computed("")
        found: list[Value] = []
        items = self._items.iterate(
            tuple(v for v in parts if not isinstance(v, Tracked)), node.args[0]
        )
        # A message has one block of text as a rule: ``"".join(b.text for b in message.content)``.
        blocks = all(isinstance(item, Tracked) and self._is_block(item) for item in items)
        for item in items:
            if isinstance(item, Tracked):
                whole = Tracked(item.node)
                if item.piece or blocks:
                    found.append(whole)
                else:
                    found.append(self._evaluator.use(whole, "join", node, (written,)))
        for value in parts:
            if isinstance(value, Tracked):
                item = self._evaluator.use(value, "iterate", node)
                found.append(self._evaluator.use(item, "join", node, (written,)))
        return join(tuple(found))

    def _is_block(self, item: Tracked) -> bool:
        """Return whether a text is as it came out of a loop over the parts of a response."""
        root = self._state.forest.nodes[item.node]
        return root.parent is None and root.draft.looped

    def _formatted(
        self, value: Constant | ComposedText, node: ast.Call, given: CallArguments
    ) -> Values:
        """Evaluate ``template.format(...)``."""
        text = value.text if isinstance(value, ComposedText) else str(value.value)
        file, line = str(self._evaluator.module.path), node.lineno
        found: list[Value] = []
        if isinstance(value, Constant) and isinstance(value.value, str):
            text = _filled(value.value, given, self._evaluator)
        elif isinstance(value, ComposedText):
            file, line = value.file, value.line
        for held in tracked_in(given.all()):
            found.append(self._evaluator.use(held, "format", node, (Computed(""), Computed(""))))
        return join((ComposedText(text, file, line),), tuple(found))

    # What only passes values on.

    def _passed_on(self, path: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate a function that gives back what it is given, such as ``asyncio.run``; ``None``
        for others."""
        first = given.arguments[0] if given.arguments else ()
        last = path.rpartition(".")[2]
        if path in _RUNNERS or last == "run_until_complete":
            return self._calls.awaited(first, node)
        if path in _GATHERERS or last == "gather":
            return self._gathered(node, given)
        if path in ("functools.partial", "partial"):
            rest = tuple(given.arguments[1:])
            keywords = tuple((k, v) for k, v in given.keywords.items() if k is not None)
            kinds = (AppFunction, External, Chain)
            return tuple(Partial(v, rest, keywords, node) for v in first if isinstance(v, kinds))
        if path == "functools.reduce" and len(given.arguments) > 1:
            return self._builtins.reduced(node, given)
        if path in ("typing.cast", "typing_extensions.cast") and len(given.arguments) == 2:
            return given.arguments[1]
        if path in _TRANSPARENT:
            return first
        if last in _ROUTERS:
            return self._chains.router(last, node, given)
        if path in _FIELDS:
            return self._field(node, given)
        handed = self.handed_over(last, node, given)
        if handed is not None:
            return handed
        if last in ("Process", "Thread", "Timer") and "target" in given.keywords:
            self._started(node, given)
        return self._contained(path, node, given)

    def _contained(self, path: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate a function that makes a container, or gives what is in one; ``None`` for
        others."""
        first = given.arguments[0] if given.arguments else ()
        last = path.rpartition(".")[2]
        if path in ("itertools.chain", "itertools.islice", "itertools.chain.from_iterable"):
            return join(*given.arguments)
        if path.endswith(".as_completed"):
            return (Series(self._items.iterate(first, node)),)
        if any(True for _ in tracked_in(first)):
            return None
        if path in _ENCODERS:  # a body that is sent: what it holds is known
            return tuple(value for value in first if isinstance(value, Keyed)) or None
        if last in _CONTAINERS:
            made = self._evaluator.container_name(node)
            keyed = last in ("defaultdict", "OrderedDict")
            return (Keyed((), made=made) if keyed else FixedItems((), made),)
        return None

    def _field(self, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate ``field(default_factory=make)`` of a data class: what each object gets."""
        plain = ast.copy_location(ast.Call(node.func, [], []), node)
        found: list[Value] = [*given.keywords.get("default", ())]
        factories = (given.keywords.get(name, ()) for name in ("default_factory", "factory"))
        for factory in join(*factories):
            found.extend(self._calls.call_value(factory, plain, type(given)([], {})))
        return join(tuple(found))

    def _gathered(self, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate ``asyncio.gather`` and its like."""
        items = self._calls.gathered(join(*given.arguments))
        if len(given.arguments) > 1 and not any(isinstance(a, ast.Starred) for a in node.args):
            each = tuple(self._calls.gathered(values) for values in given.arguments)
            return (Awaitable((FixedItems(each),)),)
        return (Awaitable((Series(items),)),) if items else ()

    def _started(self, node: ast.Call, given: CallArguments) -> None:
        """Evaluate ``Process(target=function, args=(text,))``."""
        arguments: list[Values] = []
        for value in given.keywords.get("args", ()):
            if isinstance(value, FixedItems):
                arguments = list(value.items)
        plain = ast.Call(node.func, [node.func] * len(arguments), [])
        ast.copy_location(plain, node)
        for callee in given.keywords["target"]:
            if isinstance(callee, AppFunction):
                self._calls.call_value(callee, plain, type(given)(arguments, {}))

    def handed_over(self, last: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate a function that is handed to a thread, a pool or an executor with
        its arguments."""
        if last in _MAPPERS and len(given.arguments) > 1:
            return self._mapped_over(last, node, given)
        if last not in _SUBMITTERS:
            return None
        skip = 1 if last == "run_in_executor" else 0
        if len(given.arguments) <= skip:
            return None
        kinds = (AppFunction, Partial, External, Chain)
        callees = [v for v in given.arguments[skip] if isinstance(v, kinds)]
        if not callees:
            return None
        rest = type(given)(given.arguments[skip + 1 :], given.keywords)
        plain = ast.Call(node.func, node.args[skip + 1 :], node.keywords)
        ast.copy_location(plain, node)
        found: list[Value] = []
        for callee in callees:
            found.extend(self._calls.run_elsewhere(callee, plain, rest))
        inner = self._calls.gathered((Series(tuple(found)),)) if found else ()
        return self._calls.arriving(inner or tuple(found), rest, node)

    def _mapped_over(self, last: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Evaluate ``executor.map(function, items)``: a list of what the function returns."""
        kinds = (AppFunction, Partial, External, Chain)
        callees = [v for v in given.arguments[0] if isinstance(v, kinds)]
        if not callees or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        columns = list(zip(given.arguments[1:], node.args[1:], strict=True))
        items = [self._items.iterate(values, argument) for values, argument in columns]
        if last == "starmap":
            rows = [item.items for item in items[0] if isinstance(item, FixedItems)]
            items = [join(*column) for column in zip(*rows, strict=False)]
        plain = ast.Call(node.func, [node.func] * len(items), [])
        ast.copy_location(plain, node)
        found: list[Value] = []
        for callee in callees:
            found.extend(self._calls.run_elsewhere(callee, plain, type(given)(items, {})))
        if not found:
            return ()
        series = self._outputs.yielded_output((Series(join(tuple(found))),), node)
        return (Awaitable(series),) if last == "map_async" else series

    def _called_back(self, path: str, node: ast.Call, given: CallArguments) -> None:
        """Note functions of the application that a library will call."""
        is_node = path.endswith((".add_node", ".add_conditional_edges"))
        for value in given.all():
            if isinstance(value, AppFunction):
                self._state.link(self._evaluator.function, value.key)
                if is_node:
                    self._state.graph_nodes[value.key] = None
            elif isinstance(value, AppClass):
                pass
        del node

    def _source_wrapped(self, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate ``ask = knitbone.source(function)``."""
        written = self._evaluator.module.text(node.args[0]) if node.args else "source"
        for value in given.arguments[0] if given.arguments else ():
            if isinstance(value, AppFunction) and self._state.functions[value.key].is_async:
                return ()  # marked at its definition, where the await is known
        return (External(f"knitbone:source:{written} (knitbone.source)"),)


def brings_output(value: External) -> bool:
    """Return whether a call of something of a library would bring an output."""
    if value.path.endswith("()"):
        return False
    return catalogue.produces(value.path, as_mapping(value.settings), {}, []) is not None


def _is_conversation(values: Values, depth: int = 0) -> bool:
    """Return whether a value is a list of messages, each with its role."""
    for value in values:
        if isinstance(value, Keyed):
            keys = {key for key, _ in value.entries}
            if depth and "role" in keys and not keys.isdisjoint(("content", "parts")):
                return True
        items = value.items if isinstance(value, Series) else ()
        if isinstance(value, FixedItems):
            items = tuple(v for item in value.items for v in item)
        if depth < 2 and _is_conversation(items, depth + 1):
            return True
    return False


def _written_call(node: ast.expr) -> str:
    """Return the called expression with its calls as ``()``."""
    if isinstance(node, ast.Attribute):
        return f"{_written_call(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return f"{_written_call(node.func)}()"
    if isinstance(node, ast.Subscript):
        return f"{_written_call(node.value)}[]"
    return node.id if isinstance(node, ast.Name) else "?"


def _filled(template: str, given: CallArguments, evaluator: Evaluator) -> str:
    """Return the text of ``template.format(...)`` with what is known, the rest as ``{name}``."""
    text = template
    for name, values in given.keywords.items():
        constant = evaluator.constant(values)
        if name is not None and isinstance(constant, str):
            text = text.replace(f"{{{name}}}", constant)
    return text.replace("{{", "{").replace("}}", "}")
