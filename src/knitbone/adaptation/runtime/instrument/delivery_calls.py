"""The calls of ``runtime.delivery`` in instrumented code, built as syntax trees."""

from __future__ import annotations

import ast
import copy

from knitbone.adaptation.runtime.instrument.refinement_loop_syntax import Refinement
from knitbone.adaptation.runtime.instrument.wraps import Wrap
from knitbone.adaptation.runtime.messages import TOOL_KEYWORDS

__all__ = [
    "DELIVER",
    "answer_call",
    "delivery_call",
    "loop_ending",
    "note_offer",
    "note_question",
]

DELIVER = "__knitbone_deliver__"
"""Global name, in an instrumented function's module, of the module ``runtime.delivery``: its
functions are what the wrapped expressions call."""


def answer_call(node: ast.expr, wrap: Wrap, iteration: Refinement | None) -> ast.Call:
    """Build the call that delivers the value of a site."""
    number = wrap.number
    if wrap.kind == "ranked list":
        return delivery_call("deliver_ranked_list", node, number, *map(_names, wrap.queries))
    if wrap.kind == "arguments":
        holder = _holder_of(node)
        return delivery_call(
            "deliver_arguments", node, number, *([] if holder is None else [holder])
        )
    if wrap.kind == "model":
        return delivery_call("deliver_model", node, number)
    if iteration is None:
        return delivery_call("deliver_answer", node, number)
    earlier, compares = copy.deepcopy(iteration.earlier), ast.Constant(value=iteration.compares)
    return delivery_call("deliver_iteration", node, number, earlier, compares)


def delivery_call(
    function: str, node: ast.expr, identity: int | str, *arguments: ast.expr
) -> ast.Call:
    """Build a call of a function of ``runtime.delivery`` around ``node``.

    Args:
        identity: the number of the site, or the location.
    """
    call = _helper(function, node, ast.Constant(value=identity), *arguments)
    ast.copy_location(call, node)
    for added in (call.func, *call.args[1:]):
        for part in ast.walk(added):
            if isinstance(part, ast.expr):
                ast.copy_location(part, node)
    _begin_with(call, node)
    return call


def _begin_with(call: ast.Call, node: ast.expr | ast.stmt) -> None:
    """Put a call on the first line of a node.

    The compiler puts the call of an attribute on the last line of that, which a debugger or
    coverage would see.
    """
    if node.end_lineno != node.lineno:
        call.func.end_lineno, call.func.end_col_offset = node.lineno, node.col_offset


def _helper(function: str, *arguments: ast.expr) -> ast.Call:
    module = ast.Name(id=DELIVER, ctx=ast.Load())
    named = ast.Attribute(value=module, attr=function, ctx=ast.Load())
    return ast.Call(func=named, args=list(arguments), keywords=[])


def _names(names: tuple[str, ...]) -> ast.expr:
    held: list[ast.expr] = [ast.Name(id=name, ctx=ast.Load()) for name in names]
    return ast.Tuple(elts=held, ctx=ast.Load())


def loop_ending(refining: Refinement, statement: ast.stmt) -> ast.stmt:
    """Build ``if over: break``, to stand behind a statement that refines an answer."""
    over = _helper("ends_iterations", ast.Constant(value=refining.number))
    body: list[ast.stmt] = [ast.Break()]
    if refining.series is not None:
        pop = ast.Attribute(value=copy.deepcopy(refining.series), attr="pop", ctx=ast.Load())
        body.insert(0, ast.Expr(ast.Call(func=pop, args=[], keywords=[])))
    ending = ast.If(test=over, body=body, orelse=[])
    for part in ast.walk(ending):
        if isinstance(part, ast.expr | ast.stmt):
            ast.copy_location(part, statement)
    _begin_with(over, statement)
    return ending


_QUESTIONS = (
    "messages",
    "input",
    "prompt",
    "user_prompt",
    "contents",
    "query",
    "question",
    "text",
    "json",
)
"""Keyword arguments that tell a model or retriever what is asked, the likeliest first."""
_SYSTEMS = frozenset({"system", "instructions", "system_instruction", "system_prompt"})
"""Keyword arguments that tell a model what holds for all questions."""


def note_question(call: ast.Call, number: int) -> None:
    """Wrap the question and the system prompt among a call's arguments, so that they are noted for
    a site."""
    for keyword in call.keywords:
        if keyword.arg in _SYSTEMS:
            keyword.value = delivery_call("note_system", keyword.value, number)
    for name in _QUESTIONS:
        for keyword in call.keywords:
            if keyword.arg == name:
                keyword.value = delivery_call("note_request", keyword.value, number)
                return
    if call.args and not isinstance(call.args[0], ast.Starred):
        call.args[0] = delivery_call("note_request", call.args[0], number)


def note_offer(call: ast.Call, number: int, file: str) -> None:
    """Wrap the tools that a call offers its model, so that they are noted: under their own
    keyword, or among keyword arguments that are spread."""
    told = [keyword for keyword in call.keywords if keyword.arg in TOOL_KEYWORDS]
    for keyword in told or [keyword for keyword in call.keywords if keyword.arg is None]:
        place = ast.Constant(value=f"{file}:{keyword.value.lineno}")
        keyword.value = delivery_call("note_tools", keyword.value, number, place)


def _holder_of(node: ast.expr) -> ast.expr | None:
    """Return the object whose field is read, where reading it a second time has no effect."""
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return None
    part: ast.expr = node.value
    while isinstance(part, ast.Attribute | ast.Subscript):
        if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Constant | ast.Name):
            return None
        part = part.value
    return copy.deepcopy(node.value) if isinstance(part, ast.Name) else None
