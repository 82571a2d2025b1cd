"""The values of calls: SDK calls, the application's own functions, string methods, builtins."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import msgspec

from knitbone.adaptation.analysis import consumers
from knitbone.adaptation.analysis.origins import client_of, recognise, recognise_shape
from knitbone.adaptation.analysis.program import SOURCE_NAMES, Function
from knitbone.adaptation.analysis.values import (
    Answer,
    AppClass,
    AppFunction,
    AppInstance,
    Awaitable,
    Constant,
    External,
    ExternalInstance,
    Held,
    Lines,
    Origin,
    PatternValue,
    Place,
    Response,
    Series,
    Several,
    Value,
    Values,
    iterate,
    join,
    reorigin,
)
from knitbone.adaptation.requirements import Step
from knitbone.adaptation.requirements.readers import STEPS

if TYPE_CHECKING:
    from knitbone.adaptation.analysis.expressions import Evaluator

__all__ = ["CallEvaluator"]

_RUNNERS = {"asyncio.run", "anyio.run", "asyncio.create_task", "asyncio.ensure_future"}
_FLAGS = {
    f"re.{name}": int(flag)
    for name, flag in re.RegexFlag.__members__.items()
    if name not in ("DEBUG", "NOFLAG")
}
_LINE_BREAKS = ("\n", "\r\n")
_NEUTRAL_METHODS = frozenset({".with_options", ".copy", ".bind", ".with_retry", ".with_config"})


class CallEvaluator:
    """Evaluates the calls of one function."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._flow = evaluator.flow

    @property
    def _function(self) -> Function:
        return self._evaluator.function

    def call(self, node: ast.Call) -> Values:
        """What a call returns; records what it consumes."""
        arguments = [self._evaluator.values(argument) for argument in node.args]
        keywords = {k.arg: self._evaluator.values(k.value) for k in node.keywords}
        found: list[Value] = []
        recognised = False
        if isinstance(node.func, ast.Attribute):
            for receiver in self._evaluator.values(node.func.value):
                method = self._method(receiver, node.func.attr, node, arguments, keywords)
                if method is not None:
                    found.extend(method)
                    recognised = True
            self._appended(node, arguments)
        if not recognised:
            callees = self._evaluator.values(node.func)
            for callee in callees:
                found.extend(self._callee(callee, node, arguments, keywords))
            known = any(isinstance(callee, AppFunction | AppClass) for callee in callees)
            if not found and not known:
                found.extend(self._unresolved(node, arguments, keywords))
        return join(tuple(found))

    def call_function(
        self, function: Function, bindings: tuple[tuple[str, Values], ...], node: ast.expr
    ) -> Values:
        """What one of the application's functions returns at this place."""
        self._flow.link(self._function, function.key)
        place = self._place(node)
        if self._flow.program.is_decorated(function, SOURCE_NAMES):
            origin = self._origin(node, f"{function.qualname} (@knitbone.source)")
            self._flow.call(function, bindings)
            return _brought(place, origin, is_async=function.is_async)
        result = self._flow.call(function, bindings)
        keep = {value.place for _, values in bindings for value in _flatten(values)}
        return reorigin(result, place, keep, self._function.key)

    def awaited(self, values: Values, node: ast.expr) -> Values:
        """What awaiting (or running) makes available here."""
        found: list[Value] = []
        for value in values:
            if isinstance(value, Awaitable):
                found.extend(reorigin(value.inner, self._place(node), set(), self._function.key))
            else:
                found.append(value)
        return join(tuple(found))

    def operator(self, operator: ast.operator, left: Values, right: Values) -> Values:
        """``a + b`` of constants, ``a | b`` of flags or of a chain."""
        if len(left) == len(right) == 1:
            first, second = left[0], right[0]
            if isinstance(first, Constant) and isinstance(second, Constant):
                a, b = first.value, second.value
                if isinstance(operator, ast.Add) and isinstance(a, str) and isinstance(b, str):
                    return (Constant(a + b),)
            a, b = _flag(first), _flag(second)
            if isinstance(operator, ast.BitOr) and a is not None and b is not None:
                return (Constant(a | b),)
        if isinstance(operator, ast.BitOr):
            return self._chain(left, right)
        held = tuple(
            _lose(v, "the text is joined with another")
            for v in (*left, *right)
            if isinstance(v, Answer)
        )
        series = tuple(v for v in (*left, *right) if isinstance(v, Series | Lines))
        return join(held, series)

    def _chain(self, left: Values, right: Values) -> Values:
        """LangChain's ``prompt | model | parser``."""
        models = [
            v
            for v in (*left, *right)
            if isinstance(v, ExternalInstance)
            and (client_of(v.name) == "langchain" or v.name == "knitbone:text-chain")
        ]
        if not models:
            return ()
        last = right[-1] if right else None
        if isinstance(last, ExternalInstance) and last.name.endswith(".StrOutputParser"):
            return (ExternalInstance("knitbone:text-chain"),)
        if last in models:
            return (models[-1],)
        return ()

    def _place(self, node: ast.expr) -> Place:
        from knitbone.adaptation.analysis.expressions import (  # noqa: PLC0415 - mutual recursion
            place_of,
        )

        return place_of(self._function, node)

    def _origin(self, node: ast.expr, text: str = "") -> Origin:
        module = self._function.module
        written = text or module.text(node.func if isinstance(node, ast.Call) else node)
        origin = Origin(written, str(module.path), node.lineno)
        self._flow.origins.add(origin)
        return origin

    def _method(
        self,
        receiver: Value,
        name: str,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
    ) -> Values | None:
        """A method of a followed value; ``None`` where the receiver is not one."""
        if isinstance(receiver, Answer):
            return self._text_method(receiver, name, node, arguments, keywords)
        if isinstance(receiver, Response) and name in ("model_dump", "to_dict", "dict", "json"):
            return (receiver,)
        if isinstance(receiver, Constant) and name == "join" and arguments:
            return self._joined(node, arguments[0])
        if isinstance(receiver, PatternValue):
            texts = arguments[0] if arguments else keywords.get("string", ())
            return consumers.by_pattern(self._evaluator, name, (receiver,), texts, node)
        if isinstance(receiver, Series | Lines) and name in ("copy", "pop", "popleft"):
            return (receiver,) if name == "copy" else iterate((receiver,))
        return None

    def _text_method(
        self,
        answer: Answer,
        name: str,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
    ) -> Values:
        constants = [
            a[0].value if len(a) == 1 and isinstance(a[0], Constant) else ... for a in arguments
        ]
        held = (answer.place, answer.origin, answer.confidence)
        if name == "splitlines":
            return (Lines(*held, (*answer.steps, Step("splitlines")), answer.lost),)
        if name in ("split", "rsplit", "partition"):
            separator = constants[0] if constants else None
            if separator in _LINE_BREAKS and name != "partition":
                step = Step("split", (str(separator),))
                return (Lines(*held, (*answer.steps, step), answer.lost),)
            return consumers.by_split(self._evaluator, answer, name, separator, node)
        if name in STEPS:
            known = ... not in constants and not keywords
            if known:
                step = Step(name, tuple(c for c in constants if c is not ...))
                return (Answer(*held, (*answer.steps, step), answer.lost),)
            return (_lose(answer, f"the text went through .{name}() with computed arguments"),)
        if name in ("find", "index", "rfind", "rindex"):
            consumers.by_position(self._evaluator, answer, node)
            return ()
        if name in ("encode", "format", "join", "center", "title", "translate", "capitalize"):
            return (_lose(answer, f"the text went through .{name}()"),)
        return ()

    def _joined(self, node: ast.Call, parts: Values) -> Values:
        """``"".join(block.text for block in message.content)``: the text becomes available."""
        answers = [part for part in iterate(parts) if isinstance(part, Answer) and not part.steps]
        place = self._place(node)
        return join(tuple(Answer(place, a.origin, a.confidence, (), a.lost) for a in answers[:1]))

    def _appended(self, node: ast.Call, arguments: list[Values]) -> None:
        """``lines.append(line)``: the list now holds what was appended."""
        func = node.func
        if (
            isinstance(func, ast.Attribute)
            and func.attr in ("append", "appendleft", "add", "extend", "put")
            and isinstance(func.value, ast.Name)
            and len(arguments) == 1
        ):
            added = iterate(arguments[0]) if func.attr == "extend" else arguments[0]
            held = tuple(v for v in added if isinstance(v, Held | Several | Response))
            if held:
                known = self._evaluator.scope.environment.get(func.value.id, ())
                self._evaluator.scope.environment[func.value.id] = join(known, (Series(held),))

    def _callee(
        self,
        callee: Value,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
    ) -> Values:
        if isinstance(callee, AppFunction):
            function = self._flow.functions[callee.key]
            receiver = self._receiver(node) if callee.bound else None
            bindings = self._bind(function, node, arguments, keywords, receiver)
            return self.call_function(function, bindings, node)
        if isinstance(callee, AppClass):
            self._construct(callee, node, arguments, keywords)
            return (AppInstance(callee.key),)
        if isinstance(callee, ExternalInstance):
            return self._instance_call(callee, node, keywords)
        if isinstance(callee, External):
            return self._external(callee.name, node, arguments, keywords)
        if isinstance(callee, AppInstance):
            for method in self._evaluator.attribute_of(callee, "__call__", node):
                if isinstance(method, AppFunction):
                    function = self._flow.functions[method.key]
                    bindings = self._bind(function, node, arguments, keywords, (callee,))
                    return self.call_function(function, bindings, node)
        return ()

    def _receiver(self, node: ast.Call) -> Values:
        if isinstance(node.func, ast.Attribute):
            values = self._evaluator.values(node.func.value)
            return tuple(v for v in values if isinstance(v, AppInstance | AppClass))
        return ()

    def _construct(
        self,
        callee: AppClass,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
    ) -> None:
        klass = self._evaluator.resolve_class(callee.key)
        if klass is None or "__init__" not in klass.methods:
            return
        init = klass.methods["__init__"]
        bindings = self._bind(init, node, arguments, keywords, (AppInstance(callee.key),))
        self._flow.link(self._function, init.key)
        self._flow.call(init, bindings)

    def _bind(
        self,
        function: Function,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
        receiver: Values | None,
    ) -> tuple[tuple[str, Values], ...]:
        if function.node is None:
            return ()
        signature = function.node.args
        names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
        bound: dict[str, Values] = {}
        if receiver is not None and names:
            bound[names.pop(0)] = receiver
        plain = [
            a for a, n in zip(arguments, node.args, strict=True) if not isinstance(n, ast.Starred)
        ]
        bound.update(zip(names, plain, strict=False))
        known = {parameter.arg for parameter in function.parameters}
        bound.update({k: v for k, v in keywords.items() if k is not None and k in known})
        return tuple(sorted((name, values) for name, values in bound.items() if values))

    def _instance_call(
        self, callee: ExternalInstance, node: ast.Call, keywords: dict[str | None, Values]
    ) -> Values:
        place = self._place(node)
        if callee.name == "knitbone:source":
            origin = self._origin(node, f"{callee.path} (knitbone.source)")
            return (Answer(place, origin, "high"),)
        if callee.name == "knitbone:text-chain":
            if callee.path in (".invoke", ".ainvoke"):
                return _brought(place, self._origin(node), is_async=callee.path == ".ainvoke")
            return ()
        recognised = recognise(callee.name, callee.path)
        if recognised is not None:
            if keywords.get("stream") == (Constant(True),):
                return ()  # a stream is not a text; streams are not adapted yet
            return (Response(recognised.provider, self._origin(node), recognised.confidence),)
        if callee.path in _NEUTRAL_METHODS:
            return (ExternalInstance(callee.name),)
        return ()

    def _external(
        self,
        name: str,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
    ) -> Values:
        if name in SOURCE_NAMES:
            return self._source_wrapped(node, arguments)
        if name.startswith(("re.", "regex.")):
            return self._regex(name.partition(".")[2], node, arguments, keywords)
        if name.startswith("builtins."):
            return self._builtin(name.partition(".")[2], node, arguments)
        if name in _RUNNERS and arguments:
            if name in ("asyncio.run", "anyio.run"):
                return self.awaited(arguments[0], node)
            return arguments[0]
        if name == "asyncio.gather":
            inner = iterate((Several(tuple(arguments)),))
            # A list arrives here; its answers become available where the callee extracts them.
            items = [v for value in inner if isinstance(value, Awaitable) for v in value.inner]
            return (Awaitable((Series(join(tuple(items))),)),) if items else ()
        if name == "typing.cast" and len(arguments) == 2:
            return arguments[1]
        held = [v for values in (*arguments, *keywords.values()) for v in values]
        consumers.by_external(self._evaluator, name, held, node)
        recognised = recognise(name.partition(".")[0], "." + name.partition(".")[2])
        if recognised is not None:
            return (Response(recognised.provider, self._origin(node), recognised.confidence),)
        return (ExternalInstance(name),)

    def _source_wrapped(self, node: ast.Call, arguments: list[Values]) -> Values:
        """``ask = knitbone.source(function)``."""
        written = self._function.module.text(node.args[0]) if node.args else "source"
        for value in arguments[0] if arguments else ():
            if isinstance(value, AppFunction) and self._flow.functions[value.key].is_async:
                return ()  # marked at its definition, where the await is known
        return (ExternalInstance("knitbone:source", written),)

    def _regex(
        self,
        method: str,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str | None, Values],
    ) -> Values:
        pattern = arguments[0] if arguments else keywords.get("pattern", ())
        if method == "compile":
            flags = arguments[1] if len(arguments) > 1 else keywords.get("flags", ())
            return (consumers.compiled(self._evaluator, pattern, flags, node),)
        place = 3 if method in ("sub", "subn") else 1
        texts = arguments[place - 1 if place == 3 else 1] if len(arguments) > 1 else ()
        if method in ("sub", "subn"):
            texts = arguments[2] if len(arguments) > 2 else keywords.get("string", ())
        texts = texts or keywords.get("string", ())
        given = arguments[2] if len(arguments) > 2 and place == 1 else keywords.get("flags", ())
        patterns = consumers.patterns_of(self._evaluator, pattern, given, node)
        return consumers.by_pattern(self._evaluator, method, patterns, texts, node)

    def _builtin(self, name: str, node: ast.Call, arguments: list[Values]) -> Values:
        first = arguments[0] if arguments else ()
        if name in ("list", "tuple", "iter", "reversed", "sorted", "str"):
            return first
        if name == "next":
            return iterate(first)
        if name == "enumerate":
            items = iterate(first)
            return (Series((Several(((), items)),)),) if items else ()
        if name == "zip":
            columns = tuple(iterate(argument) for argument in arguments)
            return (Series((Several(columns),)),) if any(columns) else ()
        if name in ("filter", "map") and len(arguments) == 2:
            return self._mapped(name, node, arguments)
        if name in ("exec", "eval", "int", "float", "dict"):
            consumers.by_external(self._evaluator, name, list(first), node)
        return ()

    def _mapped(self, name: str, node: ast.Call, arguments: list[Values]) -> Values:
        items = iterate(arguments[1])
        if name == "filter":
            return (Series(items),) if items else ()
        func = node.args[0]
        results: list[Value] = []
        for item in items:
            if isinstance(item, Answer) and _is_string_method(func):
                step = Step(ast.unparse(func).removeprefix("str."))
                results.append(msgspec.structs.replace(item, steps=(*item.steps, step)))
                continue
            for callee in arguments[0]:
                if isinstance(callee, AppFunction):
                    function = self._flow.functions[callee.key]
                    names = [p.arg for p in function.parameters][1 if callee.bound else 0 :]
                    if names:
                        results.extend(self.call_function(function, ((names[0], (item,)),), node))
        for callee in arguments[0]:
            if isinstance(callee, PatternValue):
                consumers.by_pattern(self._evaluator, "match", (callee,), items, node)
        return (Series(join(tuple(results))),) if results else ()

    def _unresolved(
        self, node: ast.Call, arguments: list[Values], keywords: dict[str | None, Values]
    ) -> Values:
        """A call on something of unknown type: an SDK's shape, or the only method of that name."""
        shape = recognise_shape(node)
        if shape is not None and keywords.get("stream") != (Constant(True),):
            return (Response(shape.provider, self._origin(node), shape.confidence),)
        if not isinstance(node.func, ast.Attribute) or hasattr(str, node.func.attr):
            return ()
        methods = self._flow.program.methods_named(node.func.attr)
        if len(methods) != 1 or self._evaluator.values(node.func.value):
            return ()
        owner = methods[0].owner
        receiver: Values = ()
        if owner is not None:
            receiver = (AppInstance(f"{owner.module.path}::{owner.qualname}"),)
        self._flow.functions[methods[0].key] = methods[0]
        bindings = self._bind(methods[0], node, arguments, keywords, receiver)
        return self.call_function(methods[0], bindings, node)


def _is_string_method(node: ast.expr) -> bool:
    written = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
    return written.startswith("str.") and written[4:] in STEPS


def _brought(place: Place, origin: Origin, *, is_async: bool) -> Values:
    """An answer that a call brings: here, or where the call is awaited."""
    if not is_async:
        return (Answer(place, origin, "high"),)
    elsewhere = msgspec.structs.replace(place, function="")
    return (Awaitable((Answer(elsewhere, origin, "high"),)),)


def _flatten(values: Values) -> list[Held]:
    found: list[Held] = []
    for value in values:
        if isinstance(value, Held):
            found.append(value)
        elif isinstance(value, Series):
            found.extend(_flatten(value.items))
        elif isinstance(value, Several):
            for item in value.items:
                found.extend(_flatten(item))
    return found


def _flag(value: Value) -> int | None:
    if isinstance(value, External):
        return _FLAGS.get(value.name)
    if isinstance(value, Constant) and isinstance(value.value, int):
        return int(value.value)
    return None


def _lose(value: Held, reason: str) -> Answer:
    return Answer(value.place, value.origin, value.confidence, value.steps, value.lost or reason)
