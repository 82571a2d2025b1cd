"""Arguments from a JSON schema: conforming ones, and ones that just miss it.

Three kinds of call take turns. *One odd field*: all fields plausible but one, which walks through
its list of awkward values without repeating any; two awkward values at once would hide each
other's failures. *Mixed*: every field drawn anew. *Near miss*: one field of the wrong type, out of
bounds, missing, or unknown.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, cast

from knitbone.fuzzing.generate.fits import fits
from knitbone.fuzzing.generate.numbers import draw_number, numbers
from knitbone.fuzzing.generate.shapes import Resolver, kinds_of, properties_of
from knitbone.fuzzing.generate.strings import draw_string, family_in, strings
from knitbone.fuzzing.generate.types import ArgumentProposal
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.record.events import Json

__all__ = ["SchemaGenerator"]

_NEAR_MISS = 10
"""One call in so many just misses the schema."""
_MIXED = 3
"""One call in so many draws every field anew."""
_SAME = 0.3
"""Of those: with the same text in two fields that hold the same sort."""
_PAIRS = 100
_SAME_ITEMS = 50
"""Items that were there already, before a list of different ones is given up."""
_DEPTH = 4
"""How deep nested and recursive values go."""
_DEEPEST = 16
"""How deep they go where the schema needs a value within each value."""
_MOST = 2_000
"""Values within one field's value; a text counts as one for each hundred characters."""
_LONGEST = 16_000
"""Characters of one call's arguments as JSON: a reproducer must fit on a command line."""
_BASIC_NUMBERS = 8
"""How many of the awkward numbers come first: the bounds, and those around zero."""
_WRONG: tuple[Json, ...] = (None, "", "text", 0, -1, 1.5, True, [], {}, [None], {"a": 1})


class SchemaGenerator:
    """Proposes arguments for one tool."""

    def __init__(self, tool: ToolUnderTest, *, seed: int, paths: Sequence[str] = ()) -> None:
        """Args:
        paths: files and folders that exist in the private directory.
        """
        self._seed = f"{seed}:{tool.name}"
        self._rng = _chance(self._seed)
        self._resolver = Resolver(tool.schema)
        self._paths = tuple(paths)
        self._made = 0
        self._documentation = tool.documentation
        body = self._resolver.resolve(tool.schema)
        self._properties = properties_of(body)
        self._required = frozenset(cast("list[str]", body.get("required") or ()))
        self._open = body.get("additionalProperties") not in (None, False)
        self._odd = {name: self._odd_values(name) for name in self._properties}
        self._alike = self._pairs()

    def propose(self, call: int) -> ArgumentProposal:
        """The arguments of one call, numbered from 1; always the same for the same number."""
        rng = _chance(f"{self._seed}:{call}")
        names = list(self._properties)
        if not names:
            return ArgumentProposal(arguments={}, conforming=True)
        if call % _NEAR_MISS == 0:
            return ArgumentProposal(arguments=_bounded(self._near_miss(rng)), conforming=False)
        if call % _MIXED == 0:
            arguments = self._mixed(rng)
        else:
            turn = call - 1 - call // _NEAR_MISS - call // _MIXED + call // (_NEAR_MISS * _MIXED)
            name = names[turn % len(names)]
            values = self._odd[name]
            arguments = self._plausible(rng, keep=name)
            arguments[name] = values[turn // len(names) % len(values)]
        bounded = _bounded(arguments)
        return ArgumentProposal(arguments=bounded, conforming=_is_unicode(bounded))

    def observe(
        self, arguments: dict[str, Json], outcome: CallOutcome, failure: str | None
    ) -> None:
        """Nothing is learned: what is proposed depends on the schema and the number alone."""

    def behaviours(self) -> tuple[str, ...]:
        """None: nothing is learned."""
        return ()

    def draw(self, schema: Any, name: str) -> Json:
        """A plausible value for one field."""
        return self._value(self._rng, schema, name, odd=False, depth=1)

    def redraw(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """The same call with one field anew, plausible or awkward."""
        names = [name for name in arguments if name in self._properties]
        if not names:
            return arguments
        name, odd = self._rng.choice(names), self._rng.random() < 0.5
        schema = self._properties[name]
        return {**arguments, name: self._value(self._rng, schema, name, odd=odd, depth=0)}

    # -- whole calls --------------------------------------------------------------------------

    def _plausible(self, rng: random.Random, *, keep: str) -> dict[str, Json]:
        return {
            name: self._value(rng, schema, name, odd=False, depth=0)
            for name, schema in self._properties.items()
            if name == keep or name in self._required or rng.random() < 0.5
        }

    def _mixed(self, rng: random.Random) -> dict[str, Json]:
        made = {
            name: self._value(rng, schema, name, odd=rng.random() < 0.5, depth=0)
            for name, schema in self._properties.items()
            if name in self._required or rng.random() < 0.7
        }
        if self._alike and rng.random() < _SAME:
            # A file copied onto itself, a journey that ends where it began.
            one, other = rng.choice(self._alike)
            made[one] = self._value(rng, self._properties[one], one, odd=False, depth=0)
            if fits(made[one], self._properties[other], self._resolver):
                made[other] = made[one]
        return made

    def _near_miss(self, rng: random.Random) -> dict[str, Json]:
        arguments = self._plausible(rng, keep="")
        name = rng.choice(list(self._properties))
        match rng.randrange(4):
            case 0:
                arguments.pop(name, None)
            case 1 if not self._open:
                arguments[name + "_"] = "text"
            case _:
                arguments[name] = rng.choice(_WRONG)
        return arguments

    def _pairs(self) -> list[tuple[str, str]]:
        """Fields that hold the same sort of text."""
        families = {
            name: family
            for name, schema in self._properties.items()
            for branch in self._resolver.branches(schema)[:1]
            if kinds_of(branch) == ("string",)
            and (family := family_in(branch, name, self._documentation)) is not None
        }
        return [
            (one, other)
            for one, other in itertools.permutations(families, 2)
            if families[one] == families[other]
        ][:_PAIRS]

    def _odd_values(self, name: str) -> list[Json]:
        """The field's list of awkward values, in an order of its own for each seed.

        What breaks most programs comes first, then what the field seems made for, then the rest.
        """
        rng = _chance(f"{self._seed}:{name}")
        schema = self._properties[name]
        tiers: tuple[list[Json], list[Json], list[Json]] = ([], [], [])
        for branch in self._resolver.branches(schema):
            for kind in kinds_of(branch):
                if "enum" in branch or "const" in branch:
                    tiers[0].extend(branch.get("enum", [branch.get("const")]))
                elif kind == "string":
                    found = strings(branch, name, self._paths, self._documentation, rng)
                    for tier, texts in zip(tiers, found, strict=True):
                        tier.extend(texts)
                elif kind in ("integer", "number"):
                    values = numbers(branch, whole=kind == "integer")
                    tiers[0].extend(values[:_BASIC_NUMBERS])
                    tiers[1].extend(values[_BASIC_NUMBERS:])
                else:
                    tiers[1].extend(self._drawn(rng, branch, name))
        ordered: dict[str, Json] = {}
        for tier in tiers:
            rng.shuffle(tier)
            for value in tier:
                ordered.setdefault(json.dumps(value, sort_keys=True), value)
        return list(ordered.values()) or [self._value(rng, schema, name, odd=False, depth=0)]

    def _drawn(self, rng: random.Random, schema: Any, name: str) -> Iterator[Json]:
        """Awkward values of a field that holds values; fewer where each is a large one."""
        spent = 0
        for _ in range(24):
            yield self._value(rng, schema, name, odd=True, depth=0)
            spent += self._made
            if spent > 2 * _MOST:
                return

    # -- values -------------------------------------------------------------------------------

    def _value(self, rng: random.Random, schema: Any, name: str, *, odd: bool, depth: int) -> Json:
        self._made = self._made + 1 if depth else 1
        if depth > _DEEPEST or self._made > _MOST:
            return None
        branches = self._resolver.branches(schema)
        if depth >= _DEPTH:
            # The branch that ends a recursive value, where there is one.
            branches = [b for b in branches if kinds_of(b) != ("object",)] or branches
        branch = rng.choice(branches)
        if "const" in branch:
            return self._charged(branch["const"])
        if "enum" in branch:
            return self._charged(rng.choice(branch["enum"]))
        given = list(branch.get("examples", ()))
        if "default" in branch and fits(branch["default"], branch, self._resolver):
            given.append(branch["default"])
        if given and rng.random() < 0.3:
            return self._charged(rng.choice(given))
        match rng.choice(kinds_of(branch)):
            case "string":
                text = draw_string(rng, branch, name, self._paths, self._documentation, odd=odd)
                self._made += len(text) // 100
                return text
            case "integer":
                return draw_number(rng, branch, whole=True, odd=odd)
            case "number":
                return draw_number(rng, branch, whole=False, odd=odd)
            case "boolean":
                return rng.random() < 0.5
            case "array":
                return self._array(rng, branch, name, odd=odd, depth=depth)
            case "object":
                return self._object(rng, branch, name, odd=odd, depth=depth)
            case _:
                return None

    def _charged(self, value: Any) -> Any:
        """A value of the schema's own, counted by its size: it may stand in a list of many."""
        if isinstance(value, str):
            self._made += len(value) // 100
        elif not isinstance(value, int | float):
            self._made += len(json.dumps(value)) // 100
        return value

    def _array(
        self, rng: random.Random, schema: dict[str, Any], name: str, *, odd: bool, depth: int
    ) -> list[Json]:
        low = int(schema.get("minItems", 0))
        high = int(schema.get("maxItems", low + 5))
        prefix = cast("list[Any]", schema.get("prefixItems") or [])
        if prefix:
            low, high = max(low, len(prefix)), max(low, min(high, len(prefix)))
        length = rng.randint(low, high) if depth < _DEPTH else low
        if odd and not prefix:
            length = rng.choice((low, min(low + 1, high), high, min(100, max(high, low))))
            if depth >= _DEPTH:
                length = low
        items: Any = schema.get("items")
        items = {} if items in (None, True, False) else items
        made: list[Json] = []
        seen: set[str] = set()
        for index in range(length * 3):
            if len(made) >= length or index - len(made) > _SAME_ITEMS:
                break
            part: Any = prefix[len(made)] if len(made) < len(prefix) else items
            value = self._value(rng, part, name, odd=odd and index % 2 == 0, depth=depth + 1)
            if schema.get("uniqueItems"):
                key = json.dumps(value, sort_keys=True)
                if key in seen:
                    continue
                seen.add(key)
            made.append(value)
        return made

    def _object(
        self, rng: random.Random, schema: dict[str, Any], name: str, *, odd: bool, depth: int
    ) -> dict[str, Json]:
        properties = properties_of(schema)
        required = set(cast("list[str]", schema.get("required") or ()))
        made: dict[str, Json] = {}
        for key, part in properties.items():
            if key in required or (depth < _DEPTH and rng.random() < 0.6):
                made[key] = self._value(rng, part, key, odd=odd, depth=depth + 1)
        extra = schema.get("additionalProperties", not properties)
        if extra is not False and not properties and depth < _DEPTH:
            part = cast("Any", {} if extra is True else extra)
            least = int(schema.get("minProperties", 0))
            for _ in range(rng.randint(least, max(3, least))):
                key = draw_string(rng, {}, "key", (), "", odd=odd)[:100]
                made[key] = self._value(rng, part, name, odd=odd, depth=depth + 1)
        return made


def _chance(seed: str) -> random.Random:
    """Reproducible on purpose; a name may hold what is no Unicode."""
    return random.Random(seed.encode("utf-8", "surrogatepass"))  # noqa: S311 - as above


def _bounded(arguments: dict[str, Json]) -> dict[str, Json]:
    """The arguments as they come back from JSON, long texts cut where all is too long."""
    text = json.dumps(arguments)
    if len(text) > _LONGEST:
        share = _LONGEST // (6 * max(_count_texts(arguments), 1))
        text = json.dumps(_cut(arguments, share))
    return cast("dict[str, Json]", json.loads(text))


def _is_unicode(arguments: dict[str, Json]) -> bool:
    """Whether all texts are valid Unicode; some libraries refuse lone surrogates, rightly."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _count_texts(value: Any) -> int:
    if isinstance(value, dict):
        return sum(_count_texts(v) for v in cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return sum(_count_texts(v) for v in cast("list[Any]", value))
    return int(isinstance(value, str) and len(value) > 100)


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, dict):
        return {k: _cut(v, longest) for k, v in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_cut(v, longest) for v in cast("list[Any]", value)]
    return value[: max(longest, 100)] if isinstance(value, str) else value
