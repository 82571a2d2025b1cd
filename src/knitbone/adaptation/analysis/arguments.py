"""Arguments of calls as constants, where the code writes them down.

``model.invoke(prompt, temperature=0)``: the analysis keeps ``0`` as it is, and ``prompt`` as
``Computed("prompt")``.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.values import (
    AppClass,
    ComposedText,
    Constant,
    External,
    FixedItems,
    Frozen,
    Keyed,
    Settings,
    Values,
    thaw,
)
from knitbone.adaptation.requirements import Field, Shape
from knitbone.adaptation.requirements.uses import Computed

__all__ = [
    "as_argument",
    "as_choice",
    "as_mapping",
    "as_settings",
    "constant_texts",
    "plain_text",
    "spelled_out",
    "written_keys",
]

_MAX_WRITTEN = 200
"""Characters of a computed argument that are kept (ours)."""
_OUTPUT_MODES = frozenset({"NativeOutput()", "PromptedOutput()", "ToolOutput()"})
"""Objects of pydantic-ai that say how a model is asked for an output type."""
_OUTPUT_TYPES = ("0", "outputs", "type_")
"""Their arguments that are the type."""
_MAX_DEPTH = 6
"""Containers in containers that are read as one argument (ours)."""
_MAX_CHOICES = 32
"""Constant texts that a value may be, before it counts as computed (ours)."""


def as_argument(evaluator: Evaluator, values: Values, node: ast.expr, depth: int = 0) -> Any:
    """Return a constant, a tuple of them, a ``Frozen`` dictionary, a ``Shape``, or ``Computed``."""
    written = ast.unparse(node) if depth == 0 and not isinstance(node, ast.Name) else ""
    computed = Computed((written or evaluator.module.text(node))[:_MAX_WRITTEN])
    if len(values) == 1:
        (value,) = values
        if isinstance(value, Constant):
            return value.value
        if isinstance(value, AppClass):
            return _model_shape(evaluator, value) or computed
        if isinstance(value, External):
            return _library_argument(evaluator, value, node)
        if isinstance(value, ComposedText):
            return Computed(value.text)
        if isinstance(value, FixedItems) and depth < _MAX_DEPTH:
            return tuple(as_argument(evaluator, v, node, depth + 1) for v in value.items)
        if isinstance(value, Keyed) and not value.rest and depth < _MAX_DEPTH:
            pairs = (
                (str(key), as_argument(evaluator, inner, node, depth + 1))
                for key, inner in value.entries
            )
            return Frozen(sorted(pairs, key=lambda pair: pair[0]))
    if not values and isinstance(node, ast.Subscript):
        shape = evaluator.state.shapes.of_annotation(node, evaluator.module)
        if shape.type != "any" or shape.values:
            return shape
    return computed


def _model_shape(evaluator: Evaluator, value: AppClass) -> Shape | None:
    """Return the shape of a class that declares fields."""
    klass = evaluator.state.program.class_of(value.key)
    if klass is None or not evaluator.state.shapes.is_model(klass):
        return None
    return evaluator.state.shapes.of_class(klass)


def as_choice(evaluator: Evaluator, values: Values, node: ast.expr) -> Any:
    """Return an argument; where a loop takes it from constant texts, the tuple of all of them."""
    texts = constant_texts(values)
    return texts if len(texts) > 1 else as_argument(evaluator, values, node)


def constant_texts(values: Values) -> tuple[str, ...]:
    """Return the texts that a value may be; empty where it may be anything else, or
    there are many."""
    texts = tuple(v.value for v in values if isinstance(v, Constant) and isinstance(v.value, str))
    return texts if len(texts) == len(values) <= _MAX_CHOICES else ()


def spelled_out(pieces: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all texts of an f-string whose pieces are constants; empty where one is not."""
    if not all(pieces) or math.prod(map(len, pieces)) > _MAX_CHOICES:
        return ()
    return tuple("".join(parts) for parts in itertools.product(*pieces))


def written_keys(values: Values) -> tuple[Any, ...]:
    """Return the keys of a dictionary that is written out, as an argument; nothing for
    any other."""
    if len(values) != 1 or not isinstance(values[0], Keyed) or values[0].rest:
        return ()
    keys: list[Any] = [key for key, _ in values[0].entries]
    return (tuple(keys),) if keys else ()


def plain_text(values: Values) -> str | None:
    """Return the one text that a value is, as far as it is written."""
    texts = [v for v in values if isinstance(v, Constant | ComposedText)]
    if len(values) != 1 or not texts:
        return None
    (value,) = texts
    return value.text if isinstance(value, ComposedText) else str(value.value)


def _library_argument(evaluator: Evaluator, value: External, node: ast.expr) -> Any:
    """Return the name of something of a library, unless it declares a structure."""
    if isinstance(node, ast.Subscript):
        shape = evaluator.state.shapes.of_annotation(node, evaluator.module)
        if shape.items is not None or shape.fields:
            return shape
    if value.path.endswith(".ResponseSchema()"):
        name = dict(value.settings).get("name")
        if isinstance(name, str):
            return Shape(type="object", fields=(Field(name=name, shape=Shape()),))
    if value.path.rpartition(".")[2] in _OUTPUT_MODES:
        given = dict(value.settings)
        declared = next((given[name] for name in _OUTPUT_TYPES if name in given), None)
        if isinstance(declared, Shape):
            return declared
    return Computed(value.path.removeprefix("builtins."))


def as_settings(
    evaluator: Evaluator,
    node: ast.Call,
    arguments: list[Values],
    keywords: Mapping[str | None, Values],
) -> Settings:
    """Return the arguments of a call by name, positional ones under "0", "1", ..."""
    found: list[tuple[str, Any]] = []
    for index, (given, values) in enumerate(zip(node.args, arguments, strict=True)):
        if isinstance(given, ast.Starred):
            break
        found.append((str(index), as_argument(evaluator, values, given)))
    for keyword in node.keywords:
        if keyword.arg is not None:
            argument = as_argument(evaluator, keywords.get(keyword.arg, ()), keyword.value)
            found.append((keyword.arg, argument))
        else:
            for value in keywords.get(None, ()):
                if isinstance(value, Keyed):
                    found.extend(
                        (str(key), as_argument(evaluator, inner, keyword.value, 1))
                        for key, inner in value.entries
                    )
    return tuple(found)


def as_mapping(settings: Settings) -> dict[str, Any]:
    """Return settings as the catalogue wants them."""
    return {name: thaw(value) for name, value in settings}
