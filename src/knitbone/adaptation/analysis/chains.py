"""Chains of LangChain and its like: ``prompt | model | parser``, and what their methods bring."""

from __future__ import annotations

import ast
from typing import Any

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.arguments import as_mapping
from knitbone.adaptation.analysis.attributes import AttributeLookup
from knitbone.adaptation.analysis.catalogue import ChainPart
from knitbone.adaptation.analysis.evaluator import Evaluator, FunctionCalls
from knitbone.adaptation.analysis.output_sites import OutputSites, freeze_settings, prompts_in
from knitbone.adaptation.analysis.values import (
    AppFunction,
    AppInstance,
    Awaitable,
    CallArguments,
    Chain,
    ComposedText,
    Constant,
    External,
    Keyed,
    Place,
    Response,
    Series,
    Settings,
    Tracked,
    Value,
    Values,
    freeze,
    join,
)
from knitbone.adaptation.requirements import Evidence, Shape
from knitbone.adaptation.requirements.uses import Operation

__all__ = ["Chains"]

_TEXT_PARSER = ".StrOutputParser"
"""The parser that only takes the text of a message: it demands nothing."""
_SAME_CHAIN_METHODS = frozenset(
    {"with_config", "with_retry", "bind", "with_fallbacks", "with_types"}
)
"""Methods that return the chain with other settings."""
_UNKNOWN = External("")
_MODEL = "langchain_core.language_models.BaseChatModel()"
"""A chat model, in the place of a part of unknown type."""
_LINK_ROLES = frozenset(
    {"prompt", "model", "parser", "retriever", "runnable", "chain", "toolcaller", "agent", "graph"}
)
"""Roles of objects that may be part of a chain."""


class Chains:
    """Evaluates the chains of one function."""

    def __init__(
        self,
        evaluator: Evaluator,
        calls: FunctionCalls,
        outputs: OutputSites,
        attributes: AttributeLookup,
    ) -> None:
        self._evaluator = evaluator
        self._calls = calls
        self._outputs = outputs
        self._attributes = attributes

    def join(self, node: ast.BinOp, left: Values, right: Values) -> Values:
        """Return the chain of ``left | right``, where one of them is part of a chain."""
        found: list[Value] = []
        for first in left or (_UNKNOWN,):
            for second in right or (_UNKNOWN,):
                if not (_is_link(first) or _is_link(second)):
                    continue
                parts = (*self._parts(first, node.left), *self._parts(second, node.right))
                if parts and len(found) < 8:
                    found.append(Chain(parts))
        return tuple(found)

    def _parts(self, value: Value, node: ast.expr) -> tuple[tuple[Any, Any], ...]:
        """Return the parts of a chain; a value that is no chain is the only part."""
        if isinstance(value, Chain):
            return value.parts
        return ((value, self._evaluator.place(node)),)

    def run(self, chain: Chain, node: ast.Call, given: CallArguments) -> Values:
        """Return what ``.invoke()`` and its kind bring."""
        method = chain.path.rpartition(".")[2]
        if method in _SAME_CHAIN_METHODS:
            return (Chain(chain.parts),)
        nested = self._nested(chain, node, given)
        parts = [_catalogue_part(value) for value, _ in chain.parts]
        result = catalogue.chain(parts)
        if result is None:
            guess = _with_assumed_model(parts)
            result = catalogue.chain(guess) if guess else None
            if result is None:
                return nested
            result = result._replace(confidence="medium")
        produced = catalogue.run_chain(result, method or "()")
        if produced is None:
            return ()
        prompts = self._prompts(chain, result.prompts, given, node)
        origin = self._outputs.origin(node)
        response = Response(produced, produced.shape, origin, self._evaluator.place(node))
        self._evaluator.state.add_produced(response, prompts)
        parsers = tuple(p for p in result.parsers if not p.operation.endswith(_TEXT_PARSER))
        if not parsers and not result.rest:
            if produced.awaited:
                return (Awaitable((response,)),)
            return self._outputs.arrive(response, node)
        values = self._output_of_chain(chain, result._replace(parsers=parsers), response, node)
        if method in ("batch", "abatch") or produced.streamed:
            values = (Series(values),)
        return (Awaitable(values),) if produced.awaited else values

    def router(self, name: str, node: ast.Call, given: CallArguments) -> Values | None:
        """Return the chain of ``RunnableParallel(a=chain)`` or ``RunnableLambda(function)``."""
        place = self._evaluator.place(node)
        if name == "RunnableLambda":
            held = (given.arguments or [()])[0]
            functions = [f for value in held for f in self._called(value, node)]
            for function in functions:
                self._evaluator.state.link(self._evaluator.function, function.key)
            return tuple(Chain(((function, place),)) for function in functions) or None
        entries: list[tuple[Any, Values]] = []
        rest: list[Value] = []
        for key, values in given.keywords.items():
            if key is not None:
                entries.append((key, values))
        for value in (*given.keywords.get(None, ()), *(v for a in given.arguments for v in a)):
            if isinstance(value, Keyed):
                entries.extend(value.entries)
                rest.extend(value.rest)
        return (Chain(((Keyed(tuple(entries), tuple(rest)), place),)),)

    def _nested(self, chain: Chain, node: ast.Call, given: CallArguments) -> Values:
        """Run chains inside the dictionaries of a chain; return what the last of them gives."""
        result: Values = ()
        for value, _ in chain.parts:
            if not isinstance(value, Keyed):
                continue
            entries = tuple(
                (key, self._branch(values, chain.path, node, given))
                for key, values in value.entries
            )
            rest = self._branch(value.rest, chain.path, node, given)
            result = (Keyed(entries, rest),) if rest or any(held for _, held in entries) else ()
        return result

    def _branch(self, values: Values, path: str, node: ast.Call, given: CallArguments) -> Values:
        """Run the chains among some values."""
        found: list[Value] = []
        for value in values:
            if isinstance(value, Chain):
                found.extend(self.run(Chain(value.parts, path), node, given))
        return join(tuple(found))

    def _output_of_chain(
        self, chain: Chain, result: catalogue.ChainResult, response: Response, node: ast.Call
    ) -> Values:
        """Return the output as the chain returns it. Its site is the model's place in the chain."""
        place: Place = chain.parts[result.source][1]
        outputs = self._outputs
        inner = response.produced._replace(form="message")
        draft = outputs.draft(place, inner.kind, inner.provider, "message")
        draft.chained = True
        draft.confidence = inner.confidence
        if response.origin not in draft.origins:
            draft.origins.append(response.origin)
        brought = self._evaluator.state.produced[response.origin, inner.kind]
        draft.prompts.update(dict.fromkeys(brought.prompts))
        file = place.function.partition("::")[0]
        module = self._evaluator.state.program.by_name.get(file, self._evaluator.module)
        written = module.text_between(place.line, place.column, place.end_line, place.end_column)
        evidence = Evidence(file=file, line=place.line, expression=written)
        operation = Operation("source", ("text",))
        source = chain.parts[result.source][0]
        if result.kind == "retriever":
            draft.form = "documents"
            operation = Operation("source", ("documents",), settings=_retriever_settings(source))
            if isinstance(source, External) and source.made is not None:
                evidence = source.made
        root = self._evaluator.state.forest.plant(draft, operation, evidence)
        parsed = Tracked(root.number)
        if isinstance(result.schema, Shape):
            number = self._evaluator.state.forest.grow(
                root.number, Operation("annotate", (result.schema,)), evidence, place.column
            )
            parsed = Tracked(number)
        for parser in result.parsers:
            part, where = chain.parts[parser.part]
            parsed = self._parse(parsed, parser, where, part)
        values: Values = (parsed,)
        for index in result.rest:
            values = self._apply(chain.parts[index][0], values, node)
        return values

    def _parse(
        self, value: Tracked, parser: catalogue.ParserUse, where: Place, part: Value
    ) -> Tracked:
        """Record that a parser of the chain reads the output."""
        file = where.function.partition("::")[0]
        module = self._evaluator.state.program.by_name.get(file, self._evaluator.module)
        written = module.text_between(where.line, where.column, where.end_line, where.end_column)
        settings = tuple((name, freeze(held)) for name, held in parser.settings.items())
        evidence = Evidence(file=file, line=where.end_line, expression=written)
        if isinstance(part, External) and part.made is not None:
            # A parser that several chains share demands one thing, where it is made.
            evidence = part.made
        number = self._evaluator.state.forest.grow(
            value.node,
            Operation(f"{parser.operation}().parse", (), (), settings),
            evidence,
            where.end_column,
            on_violation="raises",
        )
        return Tracked(number)

    def _called(self, value: Value, node: ast.expr) -> list[AppFunction]:
        """Return the functions of the application that a call of the value runs."""
        if isinstance(value, AppFunction):
            return [value]
        if not isinstance(value, AppInstance):
            return []
        methods = self._attributes.attribute(value, "__call__", node)
        return [method for method in methods if isinstance(method, AppFunction)]

    def _apply(self, value: Value, held: Values, node: ast.Call) -> Values:
        """Call a function of the application that is part of the chain."""
        functions = [value] if isinstance(value, AppFunction) else []
        if isinstance(value, External):
            functions = [v for _, v in value.settings if isinstance(v, AppFunction)]
        if isinstance(value, AppInstance):
            # A parser of the application's own.
            methods = self._attributes.attribute(value, "parse", node)
            functions = [v for v in methods if isinstance(v, AppFunction)]
            functions = functions or self._called(value, node)
        found: list[Value] = []
        for callee in functions:
            function = self._evaluator.state.functions[callee.key]
            skip = 1 if callee.receiver else 0
            names = [parameter.arg for parameter in function.parameters][skip:]
            if names:
                bound: list[tuple[str, Values]] = [(names[0], held)]
                if callee.receiver:
                    bound.append((function.parameters[0].arg, callee.receiver))
                result = self._calls.call_function(function, tuple(sorted(bound)), node, callee)
                found.extend(self._calls.awaited(result, node))
        return join(tuple(found)) if functions else held

    def _prompts(
        self, chain: Chain, indices: tuple[int, ...], given: CallArguments, node: ast.Call
    ) -> tuple[Any, ...]:
        """Return the texts that the chain's prompts and its input hold."""
        held: list[Value] = [chain.parts[index][0] for index in indices]
        held.extend(given.arguments[0] if given.arguments else ())
        return prompts_in(tuple(held), str(self._evaluator.module.path), node.lineno)


def _with_assumed_model(parts: list[ChainPart]) -> list[ChainPart] | None:
    """Take the part behind a prompt template, if it is of unknown type, for a model."""
    for index in range(1, len(parts)):
        before = parts[index - 1]
        unknown = catalogue.role(parts[index].path, parts[index].settings) is None
        if unknown and catalogue.role(before.path, before.settings) == "prompt":
            return [*parts[:index], ChainPart(_MODEL), *parts[index + 1 :]]
    return None


def _retriever_settings(source: Value) -> Settings:
    """Return the settings of a retriever that is part of a chain."""
    if not isinstance(source, External):
        return ()
    found = catalogue.context_of(f"{source.path}.invoke", as_mapping(source.settings), {})
    name = catalogue.parser_operation(source.path, as_mapping(source.settings))
    return freeze_settings([*found.items(), ("retriever", name or source.path)])


def _is_link(value: Value) -> bool:
    """Return whether a value may be part of a chain."""
    if isinstance(value, Chain):
        return True
    if not isinstance(value, External):
        return False
    return catalogue.role(value.path, as_mapping(value.settings)) in _LINK_ROLES


def _catalogue_part(value: Value) -> ChainPart:
    """Return a part as the catalogue knows it; what is the application's own has no path."""
    if isinstance(value, External):
        return ChainPart(value.path, as_mapping(value.settings))
    if isinstance(value, Constant | ComposedText | Keyed):
        return ChainPart("builtins.dict")
    if isinstance(value, AppFunction | AppInstance):
        return ChainPart("application.part")
    return ChainPart("")
