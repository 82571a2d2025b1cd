"""Values of calls: the application's own functions and classes, and methods of followed values.

Calls of libraries are evaluated in ``library_calls.py``, those of builtins in ``builtin_calls.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

import msgspec

from knitbone.adaptation.analysis.arguments import as_argument, as_settings, written_keys
from knitbone.adaptation.analysis.attributes import AttributeLookup
from knitbone.adaptation.analysis.builtin_calls import calculated, folded
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.items import Items
from knitbone.adaptation.analysis.library_calls import LibraryCalls, brings_output
from knitbone.adaptation.analysis.output_sites import TEXT_FIELDS, OutputSites, prompts_in
from knitbone.adaptation.analysis.program import SOURCE_NAMES, Class, Function
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppFunction,
    AppInstance,
    Awaitable,
    Bindings,
    CallArguments,
    Chain,
    ComposedText,
    Constant,
    External,
    FixedItems,
    Keyed,
    Partial,
    PatternValue,
    Response,
    Series,
    Tracked,
    Value,
    Values,
    beyond_written,
    drop_vague_instances,
    join,
    tracked_in,
)
from knitbone.adaptation.requirements.sites import Prompt
from knitbone.common.structured.shape import Shape

__all__ = ["CallEvaluator", "bind"]


# Binding of call arguments to the parameters of an application's function.


def bind(
    evaluator: Evaluator,
    function: Function,
    callee: AppFunction,
    node: ast.Call | None,
    given: CallArguments,
) -> Bindings:
    """Return the values of the function's parameters, by name; ``node`` is the call, where it is
    seen."""
    if function.node is None:
        return ()
    signature = function.node.args
    names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    bound: dict[str, Values] = {}
    if callee.receiver and names:
        bound[names.pop(0)] = callee.receiver
    plain = _positional_arguments(evaluator, node, given)
    bound.update(zip(names, plain, strict=False))
    if signature.vararg is not None and len(plain) > len(names):
        bound[signature.vararg.arg] = (FixedItems(tuple(plain[len(names) :])),)
    known = {parameter.arg for parameter in function.parameters}
    extra: list[tuple[str, Values]] = []
    for name, values in _keyword_arguments(given):
        if name in known:
            bound[name] = values
        else:
            extra.append((name, values))
    for value in given.keywords.get(None, ()):
        if isinstance(value, Tracked) and node is not None:
            bound |= _spread_output(evaluator, value, signature, bound.keys(), node)
    if signature.kwarg is not None and extra:
        bound[signature.kwarg.arg] = (Keyed(tuple(extra)),)
    return tuple(sorted((name, values) for name, values in bound.items() if values))


def _positional_arguments(
    evaluator: Evaluator, node: ast.Call | None, given: CallArguments
) -> list[Values]:
    """Return the positional arguments, those of ``*items`` among them where they are known."""
    plain: list[Values] = []
    for index, values in enumerate(given.arguments):
        argument = node.args[index] if node is not None and index < len(node.args) else None
        if not isinstance(argument, ast.Starred):
            plain.append(values)
            continue
        for value in evaluator.values(argument.value):
            if isinstance(value, FixedItems):
                plain.extend(value.items)
    return plain


def _keyword_arguments(given: CallArguments) -> Iterator[tuple[str, Values]]:
    """Return the keyword arguments, those of ``**mapping`` among them where they are known."""
    for name, values in given.keywords.items():
        if name is not None:
            yield name, values
            continue
        for value in values:
            if isinstance(value, Keyed):
                for key, held in value.entries:
                    if isinstance(key, str):
                        yield key, held


def _spread_output(
    evaluator: Evaluator,
    value: Tracked,
    signature: ast.arguments,
    bound: Set[str],
    node: ast.Call,
) -> dict[str, Values]:
    """Read ``f(**data)``: each parameter that is left is a key that is read.

    Which of them must be there is not said: a dispatcher spreads the same data over one of several
    functions.
    """
    names = [p.arg for p in (*signature.args, *signature.kwonlyargs) if p.arg not in bound]
    return {name: (evaluator.use(value, ".get", node, (name,)),) for name in names}


# What a function that carries ``@knitbone.source`` gives: a text, or texts in a list or an object.
#
# The mark says that a model or retriever said it; how the value is built, the function's own code
# or its annotation says. Outputs that a generator yields are answers one by one; any other texts
# are the pieces of one answer, as of a stream.

_LISTS = frozenset({"list", "List", "Sequence", "Iterable", "Collection", "tuple", "Tuple"})
"""Annotations of functions that return several texts."""


def marked_call(
    evaluator: Evaluator, outputs: OutputSites, function: Function, result: Values, node: ast.expr
) -> Values:
    """Return what a call of a marked function gives, or its ``await``.

    Args:
        result: what its code gives, as far as that is known.
    """
    name = f"{function.qualname} (@knitbone.source)"
    if function.is_generator:
        return _generated(outputs, result, node, name)
    inner = join(*(v.inner if isinstance(v, Awaitable) else (v,) for v in result))
    if function.returns in _LISTS or any(isinstance(v, Series | FixedItems) for v in inner):
        return (Series((outputs.source_site(node, name, node),)),)
    for value in inner:
        if isinstance(value, Keyed):
            fields = [key for key, _ in value.entries if key in TEXT_FIELDS]
            if fields:
                text = outputs.source_site(node, name, node, "message")
                held = ((k, (text,) if k == fields[0] else v) for k, v in value.entries)
                return (Keyed(tuple(held), value.rest),)
        if isinstance(value, AppInstance):
            made = _marked_object(evaluator, outputs, value, node, name)
            if made is not None:
                return (made,)
    return (outputs.source_site(node, name, node),)


def _generated(outputs: OutputSites, result: Values, node: ast.expr, name: str) -> Values:
    """Return what a marked generator gives: outputs that it yields as they are, one by one, or else
    the pieces of one answer."""
    items = join(*(value.items for value in result if isinstance(value, Series)))
    if next(tracked_in(items), None) is not None:
        return result
    return (outputs.source_site(node, name, node),)


def _marked_object(
    evaluator: Evaluator, outputs: OutputSites, value: AppInstance, node: ast.expr, name: str
) -> Value | None:
    """Return an object of the application with an output in the field that holds its text."""
    klass = evaluator.state.program.class_of(value.key)
    fields = [] if klass is None else [f for f in klass.annotations if f in TEXT_FIELDS]
    if klass is None or not fields:
        return None
    made = AppInstance(
        value.key, evaluator.state.creation_name(value.key, evaluator.place(node)) or value.made
    )
    for field in klass.annotations:
        held = evaluator.state.attributes.get((value.made or value.key, field), ())
        plain = tuple(v for v in held if isinstance(v, Constant))
        text: Values = (outputs.source_site(node, name, node, "message"),)
        evaluator.state.store_on(made, field, text if field == fields[0] else plain)
    return made


_ADDING_METHODS = frozenset(
    {"append", "appendleft", "add", "extend", "put", "put_nowait", "insert"}
)
"""Methods that put their last argument into a container."""
_TAKING_METHODS = frozenset({"pop", "popleft", "get", "get_nowait", "result"})
"""Methods that take an item out of a container, a queue or a future."""
_RESULTS = frozenset({"result", "send", "join", "get"})
"""Methods that wait for a future."""
_CONVERTERS = {"integer": "int", "number": "float"}
"""The function by which a model class converts a text for a field of that type."""
_LOOKUP_METHODS = frozenset({"get", "pop", "setdefault", "__getitem__"})
"""Methods that look up a key."""


class CallEvaluator:
    """Evaluates the calls of one function."""

    def __init__(
        self,
        evaluator: Evaluator,
        outputs: OutputSites,
        attributes: AttributeLookup,
        items: Items,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs
        self._attributes = attributes
        self._items = items
        self._state = evaluator.state
        self._library = LibraryCalls(evaluator, self, outputs, attributes, items)
        self._elsewhere = False

    def call(self, node: ast.Call) -> Values:
        """Return the value of a call; records what it consumes."""
        given = CallArguments(
            [self._evaluator.values(argument) for argument in node.args],
            {},
        )
        for keyword in node.keywords:
            values = self._evaluator.values(keyword.value)
            given.keywords[keyword.arg] = join(given.keywords.get(keyword.arg, ()), values)
        found: list[Value] = []
        receivers: Values = ()
        recognised = False
        if isinstance(node.func, ast.Attribute):
            receivers = drop_vague_instances(self._evaluator.values(node.func.value))
            for receiver in receivers:
                method = self._method(receiver, node.func.attr, node, given)
                if method is not None:
                    found.extend(method)
                    recognised = True
            self._added(node, given)
        if not recognised:
            callees = self._callees(node, receivers)
            if len(callees) > 1 and None in given.keywords:
                # Which keys are read, only the function says that is looked up.
                named = {name: held for name, held in given.keywords.items() if name is not None}
                given = CallArguments(given.arguments, {**named})
            for callee in callees:
                found.extend(self.call_value(callee, node, given))
            if not callees:
                found.extend(self._unresolved(node, given, known=bool(receivers)))
        return join(tuple(found))

    def _callees(self, node: ast.Call, receivers: Values) -> Values:
        """Return the functions that a call may run."""
        if isinstance(node.func, ast.Attribute):
            found: list[Value] = []
            for receiver in receivers:
                if not isinstance(receiver, Tracked):
                    attribute = self._attributes.attribute(receiver, node.func.attr, node.func)
                    found.extend(attribute)
            return join(tuple(found))
        return self._evaluator.values(node.func)

    def call_value(self, callee: Value, node: ast.Call, given: CallArguments) -> Values:
        """Return the value of a call of one value."""
        if isinstance(callee, AppFunction):
            return self.call_application(callee, node, given)
        if isinstance(callee, Partial):
            merged = CallArguments(
                [*callee.arguments, *given.arguments], {**dict(callee.keywords), **given.keywords}
            )
            inner = callee.callee
            if isinstance(inner, AppFunction):
                function = self._state.functions[inner.key]
                bindings = bind(self._evaluator, function, inner, None, merged)
                return self.call_function(function, bindings, node, inner)
            written = [*callee.written.args[1:], *node.args]
            whole = ast.Call(node.func, written, [*callee.written.keywords, *node.keywords])
            return self.call_value(inner, ast.copy_location(whole, node), merged)
        if isinstance(callee, AppClass):
            return self._construct(callee, node, given)
        if isinstance(callee, External):
            return self._library.call(callee, node, given)
        if isinstance(callee, Chain):
            return self._library.run_chain(callee, node, given)
        if isinstance(callee, AppInstance):
            found: list[Value] = []
            for name in ("__call__", "forward"):  # dspy's modules run ``forward`` when called
                for method in self._attributes.attribute(callee, name, node):
                    found.extend(self.call_value(method, node, given))
                if found:
                    break
            return tuple(found)
        return ()

    def call_application(self, callee: AppFunction, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate a call of one of the application's functions, decorators included."""
        function = self._state.functions[callee.key]
        if not callee.raw:
            wrapped = self._decorated(function, callee)
            if wrapped:
                found: list[Value] = []
                for wrapper in wrapped:
                    found.extend(self.call_value(wrapper, node, given))
                return join(tuple(found))
        bindings = bind(self._evaluator, function, callee, node, self._handing(given, node))
        return self.call_function(function, bindings, node, callee)

    def _handing(self, given: CallArguments, node: ast.Call) -> CallArguments:
        """Return the arguments of a call, with this call as the origin of what methods of clients
        among them will bring: ``retried(client.chat.completions.create, messages=...)``."""

        def handed(values: Values) -> Values:
            return tuple(
                msgspec.structs.replace(value, handed=self._outputs.origin(node))
                if isinstance(value, External) and not value.handed and brings_output(value)
                else value
                for value in values
            )

        keywords = {name: handed(values) for name, values in given.keywords.items()}
        return CallArguments([handed(values) for values in given.arguments], keywords)

    def _decorated(self, function: Function, callee: AppFunction) -> Values:
        """Return what decorators of the application make of the function."""
        current: Values = (msgspec.structs.replace(callee, raw=True),)
        changed = False
        for decorator in reversed(function.decorators):
            called = isinstance(decorator, ast.Call)
            written = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not isinstance(written, ast.Name | ast.Attribute):
                continue
            target = self._state.program.resolve(function.module, ast.unparse(written))
            if target.function is None or target.function is function:
                continue
            self._state.functions[target.function.key] = target.function
            made: Values = (AppFunction(target.function.key, raw=True),)
            if called:
                made = self._evaluator.run(target.function, ())
            following: list[Value] = []
            for maker in made:
                if isinstance(maker, AppFunction):
                    inner = self._state.functions[maker.key]
                    names = [parameter.arg for parameter in inner.parameters]
                    if names:
                        result = self._evaluator.run(inner, ((names[0], current),), maker.closure)
                        following.extend(v for v in result if isinstance(v, AppFunction))
            if following:
                receiver = callee.receiver
                current = tuple(
                    msgspec.structs.replace(v, receiver=receiver, raw=True)
                    for v in following
                    if isinstance(v, AppFunction)
                )
                changed = True
        return current if changed else ()

    def call_function(
        self,
        function: Function,
        bindings: Bindings,
        node: ast.expr,
        callee: AppFunction | None = None,
    ) -> Values:
        """Return what one of the application's functions returns at this place."""
        self._state.link(self._evaluator.function, function.key)
        closure = callee.closure if callee is not None else -1
        if self._state.program.is_decorated(function, SOURCE_NAMES):
            result = self._evaluator.run(function, bindings, closure)
            if function.is_async and not function.is_generator:
                return (Awaitable((_MarkedOutput(function.key, result),)),)
            return marked_call(self._evaluator, self._outputs, function, result, node)
        elsewhere, self._elsewhere = self._elsewhere, False
        result = self._evaluator.run(function, bindings, closure)
        if elsewhere or next(tracked_in(result), None) is None:
            return result
        if function.is_generator:
            return self._outputs.yielded_output(result, node)
        held = join(*(values for _, values in bindings))
        module = self._evaluator.module
        prompts = prompts_in(_texts(bindings), str(module.path), node.lineno)
        if function.is_async and result and isinstance(result[0], Awaitable):
            # What is inside arrives where it is awaited.
            return (Awaitable((_Arriving(result[0].inner, held, prompts),)),)
        return self._outputs.returned_output(result, node, held, prompts)

    def run_elsewhere(self, callee: Value, node: ast.Call, given: CallArguments) -> Values:
        """Return what a function gives that another thread or process runs: outputs in it are not
        available at this place."""
        self._elsewhere = True
        try:
            found = self.call_value(callee, node, given)
        finally:
            self._elsewhere = False
        # Of a library's call only the name is known there.
        return tuple(v for v in found if not (isinstance(v, External) and v.path.endswith("()")))

    def arriving(self, values: Values, given: CallArguments, node: ast.expr) -> Values:
        """Return a future of values: outputs in it become available where its result is taken."""
        held = given.all()
        prompts = prompts_in(held, str(self._evaluator.module.path), node.lineno)
        return (Awaitable((_Arriving(values, held, prompts),)),)

    def awaited(self, values: Values, node: ast.expr) -> Values:
        """Return what awaiting (or running) makes available here."""
        found: list[Value] = []
        for value in values:
            if not isinstance(value, Awaitable):
                if isinstance(value, Response):
                    followed = self._outputs.access(value, "with", node)
                    found.extend(followed or (value,))
                else:
                    found.append(value)
                continue
            for inner in value.inner:
                if isinstance(inner, _Arriving):
                    found.extend(
                        self._outputs.returned_output(
                            inner.values, node, inner.given, inner.prompts
                        )
                    )
                elif isinstance(inner, Response):
                    found.extend(self._outputs.arrive(inner, node))
                elif isinstance(inner, _MarkedOutput):
                    function = self._state.functions[inner.key]
                    found.extend(
                        marked_call(self._evaluator, self._outputs, function, inner.values, node)
                    )
                elif isinstance(inner, Series) and any(
                    isinstance(i, _MarkedOutput) for i in inner.items
                ):
                    items = (self.awaited((Awaitable((item,)),), node) for item in inner.items)
                    found.append(Series(join(*items)))
                else:
                    found.append(inner)
        return join(tuple(found))

    def gathered(self, values: Values) -> Values:
        """Return the results of several coroutines, as a list of them arrives."""
        found: list[Value] = []
        for value in values:
            if isinstance(value, Awaitable):
                for inner in value.inner:
                    found.extend(inner.values if isinstance(inner, _Arriving) else (inner,))
            elif isinstance(value, Series):
                found.extend(self.gathered(value.items))
            elif isinstance(value, FixedItems):
                for item in value.items:
                    found.extend(self.gathered(item))
        return join(tuple(found))

    def operator(
        self, node: ast.expr | ast.stmt, operator: ast.operator, left: Values, right: Values
    ) -> Values:
        """Evaluate ``a + b``, ``a % b``, ``a | b``, ``a * b``."""
        if isinstance(operator, ast.BitOr):
            return self._library.either(node, left, right)
        written = node if isinstance(node, ast.expr) else getattr(node, "value", None)
        if constant := folded(operator, left, right):
            return constant
        if not isinstance(written, ast.expr):
            return ()
        if number := calculated(self._evaluator, written, operator, left, right):
            return number
        if not isinstance(operator, ast.Add | ast.Mod):
            return ()
        found: list[Value] = [v for v in (*left, *right) if isinstance(v, Series | FixedItems)]
        found.extend(self._joined(written, operator, left, right))
        texts = [v for v in (*left, *right) if isinstance(v, ComposedText | Constant)]
        if not found and texts:
            whole = "".join(_written(v) for v in (*left, *right)) or "{...}"
            return (ComposedText(whole[:20_000], str(self._evaluator.module.path), written.lineno),)
        return join(tuple(found))

    def _joined(
        self, node: ast.expr, operator: ast.operator, left: Values, right: Values
    ) -> Iterator[Tracked]:
        """Find outputs that become part of a text; joined pieces of a stream are the output."""
        pieces = any(isinstance(v, Tracked) and v.piece for v in right)
        for value in left:
            if isinstance(value, Tracked) and value.piece:
                yield Tracked(value.node)
            elif isinstance(value, Tracked) and isinstance(operator, ast.Add) and not pieces:
                other = as_argument(self._evaluator, right, node)
                yield self._evaluator.use(value, "concat", node, ("", other))
        for value in right:
            if isinstance(value, Tracked) and value.piece:
                yield Tracked(value.node)
            elif isinstance(value, Tracked):
                other = as_argument(self._evaluator, left, node)
                name = "format" if isinstance(operator, ast.Mod) else "concat"
                yield self._evaluator.use(value, name, node, (other, ""))

    def _method(
        self, receiver: Value, name: str, node: ast.Call, given: CallArguments
    ) -> Values | None:
        """Evaluate a method of a followed value; ``None`` where the receiver is not one."""
        if isinstance(receiver, Tracked):
            return self._library.value_method(receiver, name, node, given)
        if isinstance(receiver, Response):
            receiving = node.func.value if isinstance(node.func, ast.Attribute) else node
            text = self._outputs.text_itself(receiver, name, receiving)
            if text is not None:
                return self._library.value_method(text, name, node, given)
            access = f".{name}()"
            if name in _LOOKUP_METHODS and given.arguments:
                key = self._evaluator.constant(given.arguments[0])
                access = f'["{key}"]' if isinstance(key, str) else "[]"
            return self._outputs.access(receiver, access, node)
        if isinstance(receiver, Constant | ComposedText):
            return self._library.text_method(receiver, name, node, given)
        if isinstance(receiver, PatternValue):
            texts = given.arguments[0] if given.arguments else given.keywords.get("string", ())
            if name in ("sub", "subn"):
                texts = given.arguments[1] if len(given.arguments) > 1 else ()
            return self._library.regexes.apply(name, (receiver,), texts, node)
        if isinstance(receiver, Series | FixedItems) and name in ("copy", *_TAKING_METHODS):
            return (receiver,) if name == "copy" else self._items.iterate((receiver,), node)
        if isinstance(receiver, FixedItems) and name == "index" and len(given.arguments) == 1:
            held = tracked_in(given.arguments[0])
            known = as_argument(self._evaluator, (receiver,), node)
            return tuple(self._evaluator.use(value, "in", node, (known,)) for value in held)
        if isinstance(receiver, Keyed) and name in (*_LOOKUP_METHODS, "values", "items", "copy"):
            return self._keyed_method(receiver, name, node, given)
        if isinstance(receiver, Awaitable) and name in _RESULTS:
            return self.awaited((receiver,), node)
        if isinstance(receiver, AppClass) and name == "__subclasses__":
            klass = self._state.program.class_of(receiver.key)
            below = self._state.subclasses(klass) if klass is not None else []
            return (Series(tuple(AppClass(one.key) for one in below)),) if below else ()
        return None

    def _keyed_method(
        self, receiver: Keyed, name: str, node: ast.Call, given: CallArguments
    ) -> Values:
        """Evaluate a method of a dictionary."""
        if name == "copy":
            return (receiver,)
        held = join(*(values for _, values in receiver.entries), receiver.rest)
        if name == "values":
            return (Series(held),) if held else ()
        if name == "items":
            return (Series((FixedItems((receiver.names, held)),)),) if held else ()
        key = self._evaluator.constant(given.arguments[0]) if given.arguments else None
        if not isinstance(key, str | int):
            self._attributes.note_dispatch(receiver, node)
            if name == "get" and given.arguments and (keys := written_keys((receiver,))):
                for looked_up in tracked_in(given.arguments[0]):
                    self._evaluator.use(looked_up, "in", node, keys)
            return held
        required = len(given.arguments) + len(given.keywords) == 1
        return self._attributes.looked_up(receiver, key, node, required=required)

    def _added(self, node: ast.Call, given: CallArguments) -> None:
        """Note what ``lines.append(line)`` adds to a list."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in (*_ADDING_METHODS, "update"):
            return
        if not given.arguments:
            return
        if isinstance(func.value, ast.Subscript | ast.Call):
            self._added_inside(func.value, given.arguments[-1])
            return
        if not isinstance(func.value, ast.Name | ast.Attribute):
            return
        added = given.arguments[-1]
        if func.attr == "extend":
            added = self._items.iterate(added, node)
        held = tuple(v for v in added if not isinstance(v, Constant) or isinstance(v.value, str))
        known = self._evaluator.values(func.value)
        if not held:
            # What is not known is added: from here on it holds more than what is written out.
            held = tuple(each for value in known for each in beyond_written(value))
            if held:
                self._state.fill(known, held, self._evaluator.scope.inner)
                self._evaluator.scope.bind(func.value, join(known, held))
            return
        if any(isinstance(value, External | Chain | Response | Tracked) for value in known):
            return
        new: Value = held[0] if func.attr == "update" else Series(held)
        self._state.fill(known, (new,), self._evaluator.scope.inner)
        if len(known) < 6:
            self._evaluator.scope.bind(func.value, join(known, (new,)))

    def _added_inside(self, place: ast.Subscript | ast.Call, added: Values) -> None:
        """Note what ``found[key].append(line)`` or ``found.setdefault(key, []).append(line)``
        adds."""
        if not added:
            return
        if isinstance(place, ast.Subscript):
            outer, key = place.value, place.slice
        elif isinstance(place.func, ast.Attribute) and place.func.attr == "setdefault":
            outer, key = place.func.value, place.args[0] if place.args else place
        else:
            return
        index = self._evaluator.values(key) if key is not place else ()
        known = self._evaluator.constant(index)
        series: Values = (Series(added),)
        item = Keyed(((known, series),)) if isinstance(known, str) else Keyed((), series, index)
        self._evaluator.scope.put(outer, item)

    def _construct(self, callee: AppClass, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate the construction of an object of the application."""
        klass = self._state.program.class_of(callee.key)
        if klass is None:
            return ()
        instance = AppInstance(
            callee.key, self._state.creation_name(callee.key, self._evaluator.place(node))
        )
        shapes = self._state.shapes
        if shapes.is_model(klass):
            self._declared(klass, node, given)
        for one in shapes.parents(klass):
            if "__init__" in one.methods:
                init = one.methods["__init__"]
                bindings = bind(
                    self._evaluator, init, AppFunction(init.key, (instance,)), node, given
                )
                self._state.link(self._evaluator.function, init.key)
                self._evaluator.run(init, bindings)
                return (instance,)
        names = [name for one in reversed(shapes.parents(klass)) for name in one.annotations]
        for name, values in zip(names, given.arguments, strict=False):
            self._state.store(instance, name, values)
        for name, values in given.keywords.items():
            if name is not None:
                self._state.store(instance, name, values)
        bases = shapes.bases(klass)
        if bases and not shapes.is_model(klass):
            settings = as_settings(self._evaluator, node, given.arguments, given.keywords)
            return (instance, *(External(f"{base}()", settings) for base in bases[:2]))
        return (instance,)

    def _declared(self, klass: Class, node: ast.Call, given: CallArguments) -> None:
        """Note what a class demands in ``Item(**data)`` or ``Item(name=data["name"])``."""
        shape = self._state.shapes.of_class(klass)
        beside = [name for name in given.keywords if name is not None]
        if beside:
            # ``Item(id=1, **data)``: the data must hold what is missing, and may hold anything.
            rest = (f for f in shape.fields if f.required and f.name not in beside)
            shape = msgspec.structs.replace(shape, fields=tuple(rest))
        for value in (
            *given.keywords.get(None, ()),
            *(given.arguments[0] if given.arguments else ()),
        ):
            if isinstance(value, Tracked):
                splat = value in given.keywords.get(None, ())
                if splat or shape.values:
                    self._evaluator.use(value, "construct", node, (shape,))
            elif isinstance(value, Keyed) and value in given.keywords.get(None, ()):
                self._spread(value, shape, node)

    def _spread(self, value: Keyed, shape: Shape, node: ast.Call) -> None:
        """Note the keys that ``Item(**fields)`` reads, where these are taken from the output."""
        for field in shape.fields:
            held = self._attributes.looked_up(value, field.name, node, required=field.required)
            converter = _CONVERTERS.get(field.shape.type)
            for one in held if converter else ():
                if isinstance(one, Tracked) and converter:
                    self._evaluator.use(one, converter, node, position="0")

    def _unresolved(self, node: ast.Call, given: CallArguments, *, known: bool) -> Values:
        """Evaluate a call on something of unknown type: an SDK's shape, or the only method of that
        name."""
        if isinstance(node.func, ast.Attribute):
            handed = self._library.handed_over(node.func.attr, node, given)
            if handed is not None:
                return handed
        brought = self._library.by_shape(node, given) if not known else None
        if brought is not None:
            return brought
        if any(True for _ in tracked_in(given.all())):
            self._library.consumers.receive_unknown(node, given)
        if not isinstance(node.func, ast.Attribute) or hasattr(str, node.func.attr):
            return ()
        methods = self._state.program.methods_named(node.func.attr)
        if len(methods) != 1 or known:
            return ()
        method = methods[0]
        receiver: Values = (AppInstance(method.owner.key),) if method.owner is not None else ()
        self._state.functions[method.key] = method
        return self.call_application(AppFunction(method.key, receiver), node, given)


class _Arriving(msgspec.Struct, frozen=True):
    """The value of a coroutine of the application, before it is awaited."""

    values: Values
    given: Values
    prompts: tuple[Prompt, ...]


class _MarkedOutput(msgspec.Struct, frozen=True):
    """The value of a marked coroutine, before it is awaited."""

    key: str
    values: Values


def _texts(bindings: Bindings) -> Values:
    """Return the bound values that may be prompts."""
    return join(
        tuple(
            value
            for name, values in bindings
            for value in values
            if isinstance(value, Constant | ComposedText | Series | FixedItems | Keyed)
            and name not in ("model", "self")
        )
    )


def _written(value: Value) -> str:
    """Return a text as it is written, with ``{...}`` for what is computed."""
    if isinstance(value, ComposedText):
        return value.text
    return str(value.value) if isinstance(value, Constant) else "{...}"
