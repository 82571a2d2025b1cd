"""Chains of a framework: ``prompt | model | parser`` and what its methods bring."""

from __future__ import annotations

import ast
from typing import Any

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.arguments import as_mapping
from knitbone.adaptation.analysis.attributes import Members
from knitbone.adaptation.analysis.catalogue import ChainPart
from knitbone.adaptation.analysis.evaluator import Evaluator, FunctionCalls
from knitbone.adaptation.analysis.output_sites import Outputs, freeze_settings, prompts_in
from knitbone.adaptation.analysis.values import (
    AppFunction,
    AppInstance,
    Awaitable,
    Chain,
    ComposedText,
    Constant,
    External,
    Given,
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
_NEUTRAL = frozenset({"with_config", "with_retry", "bind", "with_fallbacks", "with_types"})
_UNKNOWN = External("")
_MODEL = "langchain_core.language_models.BaseChatModel()"
_LINKS = frozenset(
    {"prompt", "model", "parser", "retriever", "runnable", "chain", "toolcaller", "agent", "graph"}
)


class Chains:
    """Follows chains for one evaluation."""

    def __init__(
        self,
        evaluator: Evaluator,
        calls: FunctionCalls,
        outputs: Outputs,
        members: Members,
    ) -> None:
        self._evaluator = evaluator
        self._calls = calls
        self._outputs = outputs
        self._members = members

    def joined(self, node: ast.BinOp, left: Values, right: Values) -> Values:
        """``left | right``, where one of them is part of a chain."""
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
        if isinstance(value, Chain):
            return value.parts
        return ((value, self._evaluator.place(node)),)

    def run(self, chain: Chain, node: ast.Call, given: Given) -> Values:
        """Find what ``.invoke()`` and its kind return."""
        method = chain.path.rpartition(".")[2]
        if method in _NEUTRAL:
            return (Chain(chain.parts),)
        nested = self._nested(chain, node, given)
        parts = [_part(value) for value, _ in chain.parts]
        result = catalogue.chain(parts)
        if result is None:
            guess = _assumed(parts)
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
        self._evaluator.state.bring(response, prompts)
        parsers = tuple(p for p in result.parsers if not p.operation.endswith(_TEXT_PARSER))
        if not parsers and not result.rest:
            if produced.awaited:
                return (Awaitable((response,)),)
            return self._outputs.arrive(response, node)
        values = self._inside(chain, result._replace(parsers=parsers), response, node)
        if method in ("batch", "abatch") or produced.streamed:
            values = (Series(values),)
        return (Awaitable(values),) if produced.awaited else values

    def router(self, name: str, node: ast.Call, given: Given) -> Values | None:
        """``RunnableParallel(a=chain)``, ``RunnableLambda(function)``: parts that only route."""
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

    def _nested(self, chain: Chain, node: ast.Call, given: Given) -> Values:
        """Chains inside the dictionaries of a chain; what the last of them gives."""
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

    def _branch(self, values: Values, path: str, node: ast.Call, given: Given) -> Values:
        found: list[Value] = []
        for value in values:
            if isinstance(value, Chain):
                found.extend(self.run(Chain(value.parts, path), node, given))
        return join(tuple(found))

    def _inside(
        self, chain: Chain, result: catalogue.ChainResult, response: Response, node: ast.Call
    ) -> Values:
        """The output is read inside the chain: its site is the model's place there."""
        place: Place = chain.parts[result.source][1]
        outputs = self._outputs
        inner = response.produced._replace(form="message")
        draft = outputs.draft(place, inner.kind, inner.provider, "message")
        draft.chained = True
        draft.confidence = inner.confidence
        if response.origin not in draft.origins:
            draft.origins.append(response.origin)
        brought = self._evaluator.state.brought[response.origin, inner.kind]
        draft.prompts.update(dict.fromkeys(brought.prompts))
        file = place.function.partition("::")[0]
        module = self._evaluator.state.program.by_name.get(file, self._evaluator.module)
        written = module.text_between(place.line, place.column, place.end_line, place.end_column)
        evidence = Evidence(file=file, line=place.line, expression=written)
        operation = Operation("source", ("text",))
        source = chain.parts[result.source][0]
        if result.kind == "retriever":
            draft.form = "documents"
            operation = Operation("source", ("documents",), settings=_context(source))
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
        """The function that a call of the value runs, if it is one of the application's."""
        if isinstance(value, AppFunction):
            return [value]
        if not isinstance(value, AppInstance):
            return []
        methods = self._members.attribute(value, "__call__", node)
        return [method for method in methods if isinstance(method, AppFunction)]

    def _apply(self, value: Value, held: Values, node: ast.Call) -> Values:
        """A function of the application inside the chain."""
        functions = [value] if isinstance(value, AppFunction) else []
        if isinstance(value, External):
            functions = [v for _, v in value.settings if isinstance(v, AppFunction)]
        if isinstance(value, AppInstance):
            # A parser of the application's own.
            methods = self._members.attribute(value, "parse", node)
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
        self, chain: Chain, indices: tuple[int, ...], given: Given, node: ast.Call
    ) -> tuple[Any, ...]:
        held: list[Value] = [chain.parts[index][0] for index in indices]
        held.extend(given.arguments[0] if given.arguments else ())
        return prompts_in(tuple(held), str(self._evaluator.module.path), node.lineno)


def _assumed(parts: list[ChainPart]) -> list[ChainPart] | None:
    """Take what stands behind a prompt template and is of unknown type for a model."""
    for index in range(1, len(parts)):
        before = parts[index - 1]
        unknown = catalogue.role(parts[index].path, parts[index].settings) is None
        if unknown and catalogue.role(before.path, before.settings) == "prompt":
            return [*parts[:index], ChainPart(_MODEL), *parts[index + 1 :]]
    return None


def _context(source: Value) -> Settings:
    if not isinstance(source, External):
        return ()
    found = catalogue.context_of(f"{source.path}.invoke", as_mapping(source.settings), {})
    name = catalogue.parser_operation(source.path, as_mapping(source.settings))
    return freeze_settings([*found.items(), ("retriever", name or source.path)])


def _is_link(value: Value) -> bool:
    if isinstance(value, Chain):
        return True
    if not isinstance(value, External):
        return False
    return catalogue.role(value.path, as_mapping(value.settings)) in _LINKS


def _part(value: Value) -> ChainPart:
    """A part as the catalogue knows it; what is the application's own has no path."""
    if isinstance(value, External):
        return ChainPart(value.path, as_mapping(value.settings))
    if isinstance(value, Constant | ComposedText | Keyed):
        return ChainPart("builtins.dict")
    if isinstance(value, AppFunction | AppInstance):
        return ChainPart("application.part")
    return ChainPart("")
