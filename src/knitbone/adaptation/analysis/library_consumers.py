"""Functions of libraries that receive an output: ``json.loads(text)``, ``parser.parse(text)``.

The operation that is recorded names the function and keeps its other arguments. Loggers are left
out; whether the result still belongs to the output depends on the library.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.arguments import as_argument, as_mapping
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.output_sites import OutputSites
from knitbone.adaptation.analysis.values import (
    CallArguments,
    External,
    FixedItems,
    Keyed,
    Response,
    Tracked,
    Value,
    Values,
    freeze,
    join,
)
from knitbone.adaptation.reading.data_parsers import parses

__all__ = ["LibraryConsumers"]

_CONVERTING_LIBRARIES = re.compile(
    r"(?:json|orjson|ujson|json5|simplejson|json_repair|demjson3|partial_json_parser|dirtyjson|"
    r"re|regex|yaml|ruamel|ast|xml|lxml|bs4|csv|html|textwrap|unicodedata|tomllib|tomli|toml|"
    r"datetime|dateutil|decimal|fractions|shlex|io|pydantic|string|parse|inspect|copy|itertools|"
    r"collections|operator|functools|urllib\.parse|markdown|sqlparse|xmltodict|dacite|msgspec|"
    r"pandas\.read_\w+|sqlalchemy\.text|jsonschema|typing|nltk|hjson|"
    r"regex|parsel|base64|codecs|unidecode|ftfy|more_itertools)(?:\.|$)"
)
"""Libraries whose functions turn a text into what it says; what others return is their own."""
_LOGGERS = re.compile(r"(?:^|\.)(?:log|logger|logging|console|st|streamlit|warnings|tqdm|rich)\b")
"""Functions that show a text to people, who read anything."""


_OPENERS = {
    "loads": "json.loads()",
    "decode": ".decode()",
    "batch_decode": ".batch_decode()",
}
"""Functions that open an answer as it came over the wire, or from a local model."""


class LibraryConsumers:
    """Records which library functions receive outputs, for one function."""

    def __init__(
        self,
        evaluator: Evaluator,
        outputs: OutputSites,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs

    def receive(self, callee: External, node: ast.Call, given: CallArguments) -> Values:
        """Record that an output is given to a function of a library, and return the result."""
        name = _canonical(callee.path)
        if _LOGGERS.search(name):
            return ()
        found: list[Value] = []
        access = _OPENERS.get(name.rpartition(".")[2])
        for value in given.arguments[0] if access and given.arguments else ():
            if isinstance(value, Response):
                found.extend(self._outputs.access(value, access or "", node))
        places = [(str(index), values) for index, values in enumerate(given.arguments)]
        places += [(key or "**", values) for key, values in given.keywords.items()]
        settings = tuple((k, freeze(v)) for k, v in callee.settings)
        is_parser = catalogue.role(callee.path.rpartition(".")[0], as_mapping(settings)) == "parser"
        for place, values in places:
            for value in self._received(values, node, parser=is_parser):
                used = self._evaluator.use(
                    value,
                    name,
                    node,
                    self.others(node, given, place),
                    self._other_keywords(node, given, place),
                    settings,
                    place,
                )
                if is_parser or _CONVERTING_LIBRARIES.match(name) or parses(name):
                    found.append(used)
        return join(tuple(found))

    def _received(self, values: Values, node: ast.Call, *, parser: bool) -> list[Tracked]:
        """Return the outputs among what a library function receives, those in containers marked."""
        found: list[Tracked] = []
        for value in values:
            if isinstance(value, Tracked):
                found.append(value)
            elif isinstance(value, Response):
                shape = catalogue.follow(value.shape, "json.loads()")
                if shape is None and parser:
                    text = self._outputs.text_of(value, node)
                    if text is not None:
                        found.append(text)
            elif isinstance(value, FixedItems):
                constants = tuple(
                    as_argument(self._evaluator, item, node, 1) for item in value.items
                )
                for index, item in enumerate(value.items):
                    for inner in item:
                        if isinstance(inner, Tracked):
                            found.append(
                                self._evaluator.use(inner, "listed", node, (index, constants))
                            )
            elif isinstance(value, Keyed):
                for key, item in value.entries:
                    for inner in item:
                        if isinstance(inner, Tracked):
                            found.append(self._evaluator.use(inner, "keyed", node, (key,)))
        return found

    def others(self, node: ast.Call, given: CallArguments, place: str) -> tuple[Any, ...]:
        """Return the positional arguments beside the output."""
        return tuple(
            as_argument(self._evaluator, values, argument)
            for index, (values, argument) in enumerate(zip(given.arguments, node.args, strict=True))
            if str(index) != place and not isinstance(argument, ast.Starred)
        )

    def _other_keywords(
        self, node: ast.Call, given: CallArguments, place: str
    ) -> tuple[tuple[str, Any], ...]:
        """Return the keyword arguments beside the output."""
        return tuple(
            (k.arg, as_argument(self._evaluator, given.keywords.get(k.arg, ()), k.value))
            for k in node.keywords
            if k.arg is not None and k.arg != place
        )

    def receive_unknown(self, node: ast.Call, given: CallArguments) -> None:
        """Record that an output is given to something that is not known."""
        written = ast.unparse(node.func)
        if _LOGGERS.search(written) or not isinstance(node.func, ast.Attribute):
            return
        for value in self._received(given.all(), node, parser=False):
            self._evaluator.use(value, f"?.{node.func.attr}", node)


def _canonical(path: str) -> str:
    """Return the path under the name by which its head is known."""
    end = next((i for i, character in enumerate(path) if character in "(["), len(path))
    return catalogue.canonical(path[:end]) + path[end:]
