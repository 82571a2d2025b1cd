"""A JSON Schema as a target: whether it accepts a value, and the fewest changes that make it do so.

The changes say the same in another form: a number written as a text, a key in another case, an
object that stands in a list of one. At every depth, and only where one reading is left; a value is
never made up, and nothing that the schema has no place for is dropped.

Source: JSON Schema 2020-12 (core and validation; ``format`` is not asserted, what is remote is
never fetched); Comfrey §4.3.1 (type conversion where content violates the template).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from knitbone.common.edit_distance import distance_within
from knitbone.common.matching import TooCostlyError, compiled, find_all
from knitbone.common.structured.changes import Path, ValueChange, clip, kind_of, shown, written_path
from knitbone.common.structured.names import match_names
from knitbone.common.structured.scalars import NO_READING, convert
from knitbone.common.structured.shape import Shape
from knitbone.errors import SchemaError
from knitbone.parsing.search import KINDS, PlaceSchema

__all__ = ["JsonSchema", "SchemaPlace"]


_FORM = 0.05
"""Of a change that says the same in another spelling."""
_PLACE = 0.3
"""Of a change to where a value stands."""
_NEAR = 0.5
"""Of a name that is misspelt."""
_SLIP = 1.0
"""Of a character that is one too many."""
_LONGEST_FORM = 100
_MOST_BRANCHES = 32
_SLIPPED = "[]{}(),;:\"'` "


_ECHO = frozenset(
    {"type", "properties", "required", "additionalProperties", "title", "description", "$schema"}
)
"""What stands around the fields in the schema of an object."""


class _Fit(NamedTuple):
    value: Any
    cost: float
    changes: tuple[ValueChange, ...]


_DEPENDENT = frozenset(("not", "if", "dependentSchemas", "patternProperties"))
"""Keywords that make what a member must be depend on other members, or on more than its name."""


class JsonSchema:
    """A compiled schema.

    Raises:
        SchemaError: it is no JSON Schema that can be read here: a ``$ref`` leads nowhere, out of
            the document, or back to itself.
    """

    def __init__(self, schema: Mapping[str, Any] | bool) -> None:
        self._root = schema
        self._slots: dict[int, PlaceSchema | None] = {}
        self._kept: list[Any] = []
        self._unions: dict[tuple[int, ...], dict[str, Any]] = {}
        self._check(schema, "#")
        self.slot = self._slot(schema)

    # -- the schema ---------------------------------------------------------------------------

    def _check(self, schema: Any, place: str) -> None:
        pending: list[tuple[Any, str]] = [(schema, place)]
        seen: set[int] = set()
        while pending:
            one, where = pending.pop()
            if isinstance(one, bool):
                continue
            if not isinstance(one, Mapping):
                raise SchemaError(
                    f"the schema at {where} is {kind_of(one)} and not an object; "
                    "pass a JSON Schema, for example {'type': 'object', 'properties': {...}}"
                )
            known = cast("Mapping[str, Any]", one)
            if id(known) in seen:
                continue
            seen.add(id(known))
            if "$ref" in known:
                self._resolve(known, where)
            _check_keywords(known, where)
            pending += _subschemas(known, where)

    def _resolve(self, schema: Mapping[str, Any], where: str = "#") -> Any:
        """What a ``$ref`` stands for, within the document."""
        seen: set[str] = set()
        current: Any = schema
        while isinstance(current, Mapping) and "$ref" in current:
            held = cast("Mapping[str, Any]", current)
            ref = str(held["$ref"])
            if ref in seen:
                raise SchemaError(f'the "$ref" {clip(ref)} at {where} leads back to itself')
            seen.add(ref)
            if not ref.startswith("#"):
                raise SchemaError(
                    f'the "$ref" {clip(ref)} at {where} leads out of the schema, and nothing is '
                    'fetched; put what it stands for under "$defs"'
                )
            target: Any = self._root
            for step in filter(None, ref[1:].split("/")):
                name = step.replace("~1", "/").replace("~0", "~")
                listed = cast("list[Any]", target) if isinstance(target, list) else []
                if name.isdigit() and int(name) < len(listed):
                    target = listed[int(name)]
                elif isinstance(target, Mapping) and name in target:
                    target = cast("Mapping[str, Any]", target)[name]
                else:
                    raise SchemaError(f'the "$ref" {clip(ref)} at {where} leads nowhere')
            current = target
        return cast("Any", current)

    def _parts(self, schema: Any) -> list[Mapping[str, Any]]:
        """A schema with what it refers to and all of ``allOf``, each on its own."""
        parts: list[Mapping[str, Any]] = []
        pending, seen = [schema], set[int]()
        while pending:
            one = pending.pop()
            if not isinstance(one, Mapping):
                continue
            known = cast("Mapping[str, Any]", one)
            if id(known) in seen:
                continue
            seen.add(id(known))
            parts.append(known)
            if "$ref" in known:
                pending.append(self._resolve(known))
            pending += list(known.get("allOf", ()))
        return parts

    def _branches(self, schema: Any) -> list[Any]:
        for part in self._parts(schema):
            for name in ("anyOf", "oneOf"):
                if name in part:
                    return list(part[name])[:_MOST_BRANCHES]
        return []

    def _slot(self, schema: Any) -> PlaceSchema | None:
        """What the reader is told of a place."""
        if not isinstance(schema, Mapping):
            return None
        key = id(cast("object", schema))
        if key in self._slots:
            return self._slots[key]
        slot = self._slots[key] = PlaceSchema()
        self._kept.append(schema)
        kinds: set[str] | None = set()
        closed, named = False, False
        below: dict[str, list[Any]] = {}
        items: list[Any] = []
        others: list[Any] = []
        for branch in [self._parts(one) for one in (self._branches(schema) or [True])]:
            allowed: set[str] = set()
            for part in (*self._parts(schema), *branch):
                types = part.get("type", ())
                types = [types] if isinstance(types, str) else list(types)
                allowed |= {KINDS[t] for t in types if t in KINDS}
                if part.get("properties"):
                    named = True
                    for name, inner in part["properties"].items():
                        below.setdefault(name, []).append(inner)
                    closed |= not _takes_any(part)
                elif isinstance(part.get("additionalProperties"), Mapping):
                    others.append(part["additionalProperties"])
                if isinstance(part.get("items"), Mapping) and "prefixItems" not in part:
                    items.append(part["items"])
                elif "array" in types:
                    items.append(True)
            if not allowed:
                kinds = None
            elif kinds is not None:
                kinds |= allowed
        slot.kinds = frozenset(kinds or ())
        slot.closed = closed and named
        slot.keys = {name: self._united(each) for name, each in below.items()}
        slot.items = self._united(items)
        slot.others = self._united(others)
        return slot

    def _united(self, schemas: list[Any]) -> PlaceSchema | None:
        """What the reader is told of a place that one of several schemas describes."""
        distinct = list({id(one): one for one in schemas}.values())
        if not distinct or not all(isinstance(one, Mapping) for one in distinct):
            return None
        if len(distinct) == 1:
            return self._slot(distinct[0])
        key = tuple(sorted(map(id, distinct)))
        united = self._unions.setdefault(key, {"anyOf": distinct})
        return self._slot(united)

    # -- validation ---------------------------------------------------------------------------

    def accepts(self, value: Any) -> bool:
        """Whether the schema accepts a value of dictionaries, lists, texts, numbers, truth values
        and null."""
        return next(self._problems(value, self._root, ()), None) is None

    def reason(self, value: Any) -> str:
        """Why a value is refused: the first place and what is wrong; empty where it is accepted."""
        found = next(self._problems(value, self._root, ()), None)
        return f"{written_path(found[0])}: {found[1]}" if found else ""

    def _problems(self, value: Any, schema: Any, path: Path) -> Iterator[tuple[Path, str]]:
        if schema is True:
            return
        if schema is False:
            yield path, "nothing may stand here"
            return
        known = cast("Mapping[str, Any]", schema)
        if "$ref" in known:
            yield from self._problems(value, self._resolve(known), path)
        if "type" in known:
            types = [known["type"]] if isinstance(known["type"], str) else known["type"]
            if not any(_is_type(value, one) for one in types):
                yield path, f"{kind_of(value)} where {' or '.join(map(str, types))} is expected"
                return
        if "enum" in known and not any(_equal(value, one) for one in known["enum"]):
            yield path, f"{shown(value)} is none of the allowed values"
        if "const" in known and not _equal(value, known["const"]):
            yield path, f"{shown(value)} is not {shown(known['const'])}"
        if isinstance(value, str):
            yield from _text_problems(value, known, path)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield from _number_problems(value, known, path)
        elif isinstance(value, dict):
            yield from self._object_problems(cast("dict[str, Any]", value), known, path)
        elif isinstance(value, list | tuple):
            yield from self._array_problems(cast("list[Any]", value), known, path)
        yield from self._combined(value, known, path)

    def _combined(
        self, value: Any, known: Mapping[str, Any], path: Path
    ) -> Iterator[tuple[Path, str]]:
        def holds(one: Any) -> bool:
            return next(self._problems(value, one, path), None) is None

        for one in known.get("allOf", ()):
            yield from self._problems(value, one, path)
        if "anyOf" in known and not any(map(holds, known["anyOf"])):
            yield path, "it is none of what is allowed here"
        if "oneOf" in known and (count := sum(map(holds, known["oneOf"]))) != 1:
            yield (
                path,
                "it is none of what is allowed here"
                if not count
                else "it is several of what is allowed here",
            )
        if "not" in known and holds(known["not"]):
            yield path, "it is what must not stand here"
        if "if" in known:
            branch = "then" if holds(known["if"]) else "else"
            if branch in known:
                yield from self._problems(value, known[branch], path)

    def _object_problems(  # noqa: C901 - the keywords of objects, one after the other
        self, value: dict[str, Any], known: Mapping[str, Any], path: Path
    ) -> Iterator[tuple[Path, str]]:
        properties: Mapping[str, Any] = known.get("properties", {})
        patterns: Mapping[str, Any] = known.get("patternProperties", {})
        for name in known.get("required", ()):
            if name not in value:
                yield path, f'the key "{clip(str(name))}" is missing'
        extra = known.get("additionalProperties", True)
        for key, inner in value.items():
            matched = False
            if key in properties:
                matched = True
                yield from self._problems(inner, properties[key], (*path, key))
            for pattern, below in patterns.items():
                found = _matches(pattern, key)
                if found is None:
                    yield (*path, key), "whether it matches a pattern would take too long to find"
                if found:
                    matched = True
                    yield from self._problems(inner, below, (*path, key))
            if not matched and extra is not True:
                if extra is False:
                    yield (*path, key), "there is no such key"
                else:
                    yield from self._problems(inner, extra, (*path, key))
            if "propertyNames" in known:
                yield from self._problems(key, known["propertyNames"], (*path, key))
        if len(value) < known.get("minProperties", 0):
            yield path, "too few keys"
        if "maxProperties" in known and len(value) > known["maxProperties"]:
            yield path, "too many keys"
        for name, needed in known.get("dependentRequired", {}).items():
            if name in value:
                for other in needed:
                    if other not in value:
                        yield path, f'the key "{clip(other)}" is missing'
        for name, below in known.get("dependentSchemas", {}).items():
            if name in value:
                yield from self._problems(value, below, path)

    def _array_problems(
        self, value: list[Any], known: Mapping[str, Any], path: Path
    ) -> Iterator[tuple[Path, str]]:
        first, items = _places_of(known)
        for index, inner in enumerate(value):
            below = first[index] if index < len(first) else items
            if below is not True:
                yield from self._problems(inner, below, (*path, index))
        if len(value) < known.get("minItems", 0):
            yield path, f"{len(value)} items where at least {known['minItems']} are expected"
        if "maxItems" in known and len(value) > known["maxItems"]:
            yield path, f"{len(value)} items where at most {known['maxItems']} are expected"
        if known.get("uniqueItems") and len(set(map(_canonical, value))) < len(value):
            yield path, "an item stands twice"
        if "contains" in known:
            count = sum(
                next(self._problems(v, known["contains"], path), None) is None for v in value
            )
            if count < known.get("minContains", 1) or count > known.get("maxContains", math.inf):
                yield path, "the items do not contain what they should"

    # -- places -------------------------------------------------------------------------------

    @property
    def place(self) -> SchemaPlace:
        """The place of the whole value."""
        return SchemaPlace(self, self._root)

    def holds_at(self, value: Any, schema: Any) -> bool:
        """Whether a part of the schema accepts a value."""
        return next(self._problems(value, schema, ()), None) is None

    def parts_of(self, schema: Any, kind: str) -> list[Mapping[str, Any]] | None:
        """All that an object or list must meet; ``None`` where none may stand here, or where that
        depends on what is in it."""
        parts: list[Mapping[str, Any]] = []
        pending = [schema]
        while pending:
            one = pending.pop()
            if not self._may_be(one, kind):
                return None
            for part in self._parts(one):
                if not _DEPENDENT.isdisjoint(part) or isinstance(part.get("items"), list):
                    return None
                parts.append(part)
                for name in ("anyOf", "oneOf"):
                    if name in part:
                        fitting = [each for each in part[name] if self._may_be(each, kind)]
                        if len(fitting) != 1:
                            return None
                        pending += fitting
        return parts

    def _may_be(self, schema: Any, kind: str) -> bool:
        return schema is not False and all(
            kind == part.get("type", kind) or kind in part["type"] for part in self._parts(schema)
        )

    # -- changes ------------------------------------------------------------------------------

    def conform(self, value: Any) -> tuple[Any, float, tuple[ValueChange, ...]] | None:
        """The value as the schema accepts it, what that costs, and the changes; ``None`` where
        there is no safe way."""
        fit = self._fit(value, self._root, (), "")
        if fit is None or not self.accepts(fit.value):
            return None
        return fit

    def _fit(  # noqa: C901 - the ways to fit, in their order
        self, value: Any, schema: Any, path: Path, name: str, *, depth: int = 0
    ) -> _Fit | None:
        """A value that a schema accepts, as far as the part below goes."""
        if next(self._problems(value, schema, ()), None) is None:
            return _Fit(value, 0.0, ())
        if schema is False or depth > 64:
            return None
        parts = self._parts(schema)
        branches = self._branches(schema)
        if branches:
            fits = [self._fit(value, one, path, name, depth=depth + 1) for one in branches]
            good = sorted((f for f in fits if f is not None), key=lambda f: f.cost)
            good = [f for f in good if next(self._problems(f.value, schema, ()), None) is None]
            if not good or (
                len(good) > 1
                and good[1].cost <= good[0].cost + _FORM / 2
                and not _equal(good[0].value, good[1].value)
            ):
                return None
            return good[0]
        types: list[str] = []
        for part in parts:
            said = part.get("type", ())
            types += [said] if isinstance(said, str) else list(said)
        for part in parts:
            if not types and ("properties" in part or "required" in part):
                types.append("object")
            if not types and ("items" in part or "prefixItems" in part):
                types.append("array")
        fit = self._fit_scalar(value, parts, types, path, name)
        if fit is None and "object" in types:
            fit = self._fit_object(value, schema, parts, path, name, depth)
        if fit is None and "array" in types:
            fit = self._fit_array(value, schema, parts, path, name, depth)
        if (
            fit is None
            and isinstance(value, str)
            and 0 < len(bare := value.strip(_SLIPPED)) < len(value)
        ):
            inner = None
            if next(self._problems(bare, schema, ()), None) is None and types == ["string"]:
                inner = _Fit(bare, _NEAR, ())
            if inner is not None:
                return _Fit(bare, _NEAR, (_replaced(path, value, bare),))
        if fit is None and isinstance(value, str) and any("pattern" in part for part in parts):
            return self._without_one(value, schema, path)
        return fit

    def _without_one(self, value: str, schema: Any, path: Path) -> _Fit | None:
        """A text of a given form into which one character slipped."""
        if not 1 < len(value) <= _LONGEST_FORM:
            return None
        fitting = {
            short
            for i in range(len(value))
            if not next(self._problems(short := value[:i] + value[i + 1 :], schema, ()), None)
        }
        if len(fitting) != 1:
            return None
        new = fitting.pop()
        return _Fit(new, _SLIP, (_replaced(path, value, new),))

    def _fit_scalar(
        self, value: Any, parts: list[Mapping[str, Any]], types: list[str], path: Path, name: str
    ) -> _Fit | None:
        allowed: list[Any] = []
        for part in parts:
            allowed += list(part.get("enum", ())) + ([part["const"]] if "const" in part else [])
        if isinstance(value, list) and len(cast("list[Any]", value)) == 1 and "array" not in types:
            only = cast("list[Any]", value)[0]
            if not isinstance(only, list | dict) and only is not None and self._holds(only, parts):
                change = ValueChange(
                    path=path,
                    action="unwrap",
                    value=0,
                    rule="array around one value removed",
                    element=True,
                )
                return _Fit(only, _PLACE, (change,))
        if isinstance(value, dict | list):
            return None
        nullable = "null" in types
        if allowed:
            plain = tuple(v for v in allowed if not isinstance(v, dict | list))
            new = convert(value, Shape(values=plain), name)
            if new is NO_READING and isinstance(value, str):
                new = convert(value.strip(_SLIPPED), Shape(values=plain), name)
            if new is not NO_READING and self._holds(new, parts):
                return _Fit(
                    new,
                    _FORM if str(new).casefold() == str(value).casefold() else _NEAR,
                    (_replaced(path, value, new),),
                )
            return None
        for kind in ("integer", "number", "boolean", "string", "null"):
            if kind not in types:
                continue
            shape = Shape(type=cast("Any", kind), nullable=nullable)
            if kind == "null":
                new = (
                    None
                    if isinstance(value, str) and value.strip().lower() in ("null", "none", "")
                    else NO_READING
                )
            else:
                new = convert(value, shape, name)
            if new is not NO_READING and self._holds(new, parts):
                quotes = kind == "string" and not isinstance(value, str)
                change = ValueChange(
                    path=path,
                    action="quote" if quotes else "replace",
                    value=new,
                    rule=f"{shown(value)} -> {shown(new)}",
                )
                return _Fit(new, _FORM, (change,))
        return None

    def _holds(self, value: Any, parts: list[Mapping[str, Any]]) -> bool:
        return all(
            next(self._problems(value, one, ()), None) is None for one in parts if "$ref" not in one
        )

    def _decoded(self, value: Any, kind: type) -> Any:
        """What a text holds that is a document itself."""
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
            return None
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return None
        return inner if isinstance(inner, kind) else None

    def _fit_object(
        self,
        value: Any,
        schema: Any,
        parts: list[Mapping[str, Any]],
        path: Path,
        name: str,
        depth: int,
    ) -> _Fit | None:
        if (inner := self._decoded(value, dict)) is not None:
            return self._inside(inner, schema, path, name, depth, "text -> object")
        if (
            isinstance(value, list)
            and len(cast("list[Any]", value)) == 1
            and isinstance(value[0], dict)
        ):
            fit = self._fit(value[0], schema, (*path, 0), name, depth=depth + 1)
            if fit is not None:
                return _unwrapped(path, 0, fit)
        if not isinstance(value, dict):
            return None
        known = cast("dict[str, Any]", value)
        fit = self._fit_members(known, parts, path, depth)
        if fit is not None and self._holds(fit.value, parts):
            return fit
        if len(known) == 1:
            key, below = next(iter(known.items()))
            properties = [name for part in parts for name in part.get("properties", ())]
            if isinstance(below, dict) and properties and not match_names([key], properties):
                inner_fit = self._fit(below, schema, (*path, key), key, depth=depth + 1)
                if inner_fit is not None and any(p in inner_fit.value for p in properties):
                    return _unwrapped(path, key, inner_fit)
        return self._echoed(known, schema, path, depth) or self._moved(
            known, schema, parts, path, depth
        )

    def _echoed(self, known: dict[str, Any], schema: Any, path: Path, depth: int) -> _Fit | None:
        """The value, where the schema was said again with the values in place of the types."""
        held = known.get("properties")
        if not isinstance(held, dict) or not {"type", "properties"} <= known.keys() <= _ECHO:
            return None
        fit = self._fit(held, schema, (*path, "properties"), "", depth=depth + 4)
        if fit is None:
            return None
        rule = "the schema around the value removed"
        change = ValueChange(path=path, action="replace", value=fit.value, rule=rule, element=True)
        return _Fit(fit.value, fit.cost + _PLACE, (change,))

    def _inside(
        self, inner: Any, schema: Any, path: Path, name: str, depth: int, what: str
    ) -> _Fit | None:
        fit = self._fit(inner, schema, path, name, depth=depth + 1)
        if fit is None:
            return None
        change = ValueChange(
            path=path, action="replace", value=fit.value, rule=f"{written_path(path)}: {what}"
        )
        return _Fit(fit.value, fit.cost + _FORM, (change,))

    def _fit_members(
        self, known: dict[str, Any], parts: list[Mapping[str, Any]], path: Path, depth: int
    ) -> _Fit | None:
        properties: dict[str, Any] = {}
        required: set[str] = set()
        closed = False
        others: Any = True
        for part in parts:
            properties |= part.get("properties", {})
            required |= set(part.get("required", ()))
            closed |= part.get("additionalProperties") is False
            if isinstance(part.get("additionalProperties"), Mapping):
                others = part["additionalProperties"]
        names: dict[str, str] = {}
        cost = 0.0
        changes: list[ValueChange] = []
        strange = [key for key in known if key not in properties]
        lacking = [key for key in properties if key not in known]
        for key, wanted, near in match_names(strange, lacking):
            # What can be left out may well be missing: only its own name will do.
            if near and wanted not in required and not closed:
                continue
            names[key] = wanted
            cost += _NEAR if near else _FORM
            changes.append(_renamed(path, key, wanted, element=near))
        missed = [key for key in lacking if key in required and key not in names.values()]
        for key in strange if closed and missed else ():
            alike = [
                name for name in missed if key not in names and distance_within(key, name, 1) == 1
            ]
            if len(alike) == 1 and not (key[-1:].isdigit() and alike[0][-1:].isdigit()):
                names[key] = alike[0]
                missed.remove(alike[0])
                cost += _SLIP
                changes.append(_renamed(path, key, alike[0], element=True))
        result: dict[str, Any] = {}
        for key, inner in known.items():
            wanted = names.get(key, key)
            below = properties.get(wanted, others)
            fit = self._fit(inner, below, (*path, key), wanted, depth=depth + 1)
            if fit is None:
                if inner is None and wanted in properties and wanted not in required:
                    cost += _FORM
                    changes.append(
                        ValueChange(
                            path=(*path, key), action="remove", rule=f'"{clip(key)}": null left out'
                        )
                    )
                    continue
                return None
            cost += fit.cost
            changes += fit.changes
            result[wanted] = fit.value
        if not required <= result.keys() or (
            closed
            and not result.keys() <= properties.keys()
            and not any("patternProperties" in p for p in parts)
        ):
            return None
        return _Fit(result, cost, tuple(changes))

    def _moved(
        self,
        known: dict[str, Any],
        schema: Any,
        parts: list[Mapping[str, Any]],
        path: Path,
        depth: int,
    ) -> _Fit | None:
        """Keys that stand one level too high or too low, where there is one place for them."""
        properties: dict[str, Any] = {}
        required: set[str] = set()
        for part in parts:
            properties |= part.get("properties", {})
            required |= set(part.get("required", ()))
        strange = [key for key in known if key not in properties]
        found: list[_Fit] = []
        # Too high: they belong into an object that is missing here, or lacks them.
        for name, below in properties.items():
            inner_names = {n for part in self._parts(below) for n in part.get("properties", {})}
            held: Any = known.get(name, {})
            if not strange or not inner_names or not isinstance(held, dict):
                continue
            held = cast("dict[str, Any]", held)
            if set(strange) <= inner_names and not set(strange) & held.keys():
                inner = {**held, **{key: known[key] for key in strange}}
                moved = {key: v for key, v in known.items() if key not in strange} | {name: inner}
                found += self._tried(
                    moved, schema, path, f'{_listed(strange)} moved into "{clip(name)}"', depth
                )
        # Too low: an object within holds what belongs here.
        lacking = [key for key in required if key not in known]
        for name, held in known.items():
            if not lacking or not isinstance(held, dict) or name not in properties:
                continue
            inside = cast("dict[str, Any]", held)
            below_names = {
                n for part in self._parts(properties[name]) for n in part.get("properties", {})
            }
            if below_names and set(lacking) <= inside.keys() and not set(lacking) & below_names:
                inner = {key: v for key, v in inside.items() if key not in lacking}
                moved = {**known, name: inner, **{key: inside[key] for key in lacking}}
                found += self._tried(
                    moved, schema, path, f'{_listed(lacking)} moved out of "{clip(name)}"', depth
                )
        return found[0] if len(found) == 1 else None

    def _tried(
        self, moved: dict[str, Any], schema: Any, path: Path, rule: str, depth: int
    ) -> list[_Fit]:
        fit = self._fit(moved, schema, path, "", depth=depth + 4)
        if fit is None:
            return []
        change = ValueChange(path=path, action="replace", value=fit.value, rule=rule, element=True)
        return [_Fit(fit.value, fit.cost + _NEAR, (change,))]

    def _fit_array(
        self,
        value: Any,
        schema: Any,
        parts: list[Mapping[str, Any]],
        path: Path,
        name: str,
        depth: int,
    ) -> _Fit | None:
        if (inner := self._decoded(value, list)) is not None:
            return self._inside(inner, schema, path, name, depth, "text -> array")
        first: Sequence[Any] = ()
        items: Any = True
        for part in parts:
            if "items" in part or "prefixItems" in part:
                first, items = _places_of(part)
        if isinstance(value, list):
            result: list[Any] = []
            cost = 0.0
            changes: list[ValueChange] = []
            for index, inner in enumerate(cast("list[Any]", value)):
                below = first[index] if index < len(first) else items
                fit = self._fit(inner, below, (*path, index), name, depth=depth + 1)
                if fit is None:
                    return None
                result.append(fit.value)
                cost += fit.cost
                changes += fit.changes
            fit = _Fit(result, cost, tuple(changes))
            return fit if self._holds(result, parts) else None
        if isinstance(value, dict) and len(cast("dict[str, Any]", value)) == 1:
            key, inner = next(iter(cast("dict[str, Any]", value).items()))
            if isinstance(inner, list) and (
                first or items is True or next(self._problems(value, items, ()), None)
            ):
                fit = self._fit(inner, schema, (*path, key), name, depth=depth + 1)
                if fit is not None:
                    return _unwrapped(path, key, fit)
        if (
            value is None
            or first
            or (isinstance(value, str) and (not value.strip() or set(value) & set(",;|\n")))
        ):
            return None
        fit = self._fit(value, items, path, name, depth=depth + 1)
        if fit is None or items is True or not self._holds([fit.value], parts):
            return None
        change = ValueChange(
            path=path, action="wrap", rule=f"{kind_of(value)} -> array of one", element=True
        )
        return _Fit([fit.value], fit.cost + _PLACE, (*fit.changes, change))


class SchemaPlace:
    """What a schema says of one place in a value whose other places are not known yet."""

    def __init__(self, schema: JsonSchema, at: Any) -> None:
        self._schema = schema
        self._at = at
        self._parts: list[Mapping[str, Any]] = []
        self._opened: dict[str, SchemaPlace | None] = {}
        self._below: dict[str | int | None, SchemaPlace] = {}

    def accepts(self, value: Any) -> bool:
        """Whether a value may stand here as it is."""
        return self._schema.holds_at(value, self._at)

    def opened(self, kind: Literal["object", "array"]) -> SchemaPlace | None:
        """The inside of an object or list here; ``None`` where none may stand here, or where what
        may be in it is not sure yet."""
        if kind not in self._opened:
            parts = self._schema.parts_of(self._at, kind)
            inside = None if parts is None else SchemaPlace(self._schema, self._at)
            if inside is not None:
                inside._parts = parts or []
            self._opened[kind] = inside
        return self._opened[kind]

    def names(self, key: str) -> bool:
        """Whether a key is one that the schema names, or it names none."""
        named = [part["properties"] for part in self._parts if part.get("properties")]
        return not named or any(key in properties for properties in named)

    def member(self, key: str) -> SchemaPlace:
        """The place of a member of the object."""
        named = [
            part["properties"][key] for part in self._parts if key in part.get("properties", ())
        ]
        step = key if named else None
        if step not in self._below:
            others = [part.get("additionalProperties", True) for part in self._parts]
            self._below[step] = self._united(named or others)
        return self._below[step]

    def item(self, index: int) -> SchemaPlace:
        """The place of an item of the list."""
        first = max((len(part.get("prefixItems", ())) for part in self._parts), default=0)
        step = min(index, first)
        if step not in self._below:
            below: list[Any] = []
            for part in self._parts:
                prefix = part.get("prefixItems", ())
                below.append(prefix[step] if step < len(prefix) else part.get("items", True))
            self._below[step] = self._united(below)
        return self._below[step]

    def _united(self, schemas: list[Any]) -> SchemaPlace:
        return SchemaPlace(self._schema, schemas[0] if len(schemas) == 1 else {"allOf": schemas})


def _renamed(path: Path, key: str, name: str, *, element: bool) -> ValueChange:
    rule = f'key "{clip(key)}" -> "{clip(name)}"'
    return ValueChange(path=(*path, key), action="rename", value=name, rule=rule, element=element)


def _unwrapped(path: Path, key: str | int, fit: _Fit) -> _Fit:
    """What fits inside an object or a list that has nothing else in it."""
    around = "array around the object" if isinstance(key, int) else f'wrapper "{clip(key)}"'
    change = ValueChange(
        path=path, action="unwrap", value=key, rule=f"{around} removed", element=True
    )
    return _Fit(fit.value, fit.cost + _PLACE, (change, *fit.changes))


def _listed(keys: list[str]) -> str:
    return ", ".join(f'"{clip(key)}"' for key in keys[:5])


def _replaced(path: Path, value: Any, new: Any) -> ValueChange:
    return ValueChange(
        path=path, action="replace", value=new, rule=f"{shown(value)} -> {shown(new)}"
    )


def _takes_any(part: Mapping[str, Any]) -> bool:
    """Whether other keys than those named are expected: where it is not said, they are allowed but
    speak against a reading."""
    return part.get("additionalProperties") not in (None, False) or "patternProperties" in part


def _is_type(value: Any, name: str) -> bool:
    if name == "integer":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            isinstance(value, float) and value.is_integer()
        )
    if name == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    wanted: dict[str, Any] = {
        "object": dict,
        "array": (list, tuple),
        "string": str,
        "boolean": bool,
        "null": type(None),
    }
    return name in wanted and isinstance(value, wanted[name])


def _equal(one: Any, other: Any) -> bool:
    """Equal as JSON: ``1`` and ``1.0`` are, ``1`` and ``true`` are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        first, second = cast("list[Any]", one), cast("list[Any]", other)
        return len(first) == len(second) and all(map(_equal, first, second))
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return left.keys() == right.keys() and all(_equal(left[k], right[k]) for k in left)
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return bool(one == other) and (numbers or isinstance(one, str) is isinstance(other, str))


def _canonical(value: Any) -> str:
    """One text for all equal values."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dict):
        members = sorted(cast("dict[str, Any]", value).items())
        return "{" + ",".join(f"{json.dumps(k)}:{_canonical(v)}" for k, v in members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, cast("list[Any]", value))) + "]"
    return json.dumps(value)


_NUMBERS = (
    "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains",
    "minProperties", "maxProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf",
)  # fmt: skip
_LISTS = ("enum", "required", "anyOf", "oneOf", "allOf", "prefixItems")
_OBJECTS = (
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
    "dependentRequired",
)  # fmt: skip
_SINGLE = (
    "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames",
)  # fmt: skip


def _check_keywords(known: Mapping[str, Any], where: str) -> None:
    """See that the keywords have values of their kinds."""
    for names, kinds, what in (
        (_NUMBERS, (int, float), "a number"),
        (_LISTS, (list, tuple), "a list"),
        (_OBJECTS, (Mapping,), "an object"),
        (("pattern",), (str,), "a text"),
    ):
        for name in names:
            if name in known and not isinstance(known[name], kinds):
                raise SchemaError(f'"{name}" at {where} is {kind_of(known[name])} and not {what}.')
    for name, needed in known.get("dependentRequired", {}).items():
        if not isinstance(needed, list | tuple):
            at = f"{where}/dependentRequired/{clip(str(name))}"
            raise SchemaError(f"{at} is {kind_of(needed)} and not a list.")
    for pattern in (known.get("pattern", ""), *known.get("patternProperties", ())):
        try:
            compiled(pattern, 0)
        except (re.error, RecursionError) as error:
            raise SchemaError(
                f"the pattern {pattern!r:.80} at {where} cannot be read: {error}.",
                next_step="Write it as an expression of Python's re module.",
            ) from error
    kinds = known.get("type", [])
    for kind in cast("list[Any]", kinds if isinstance(kinds, list) else [kinds]):
        if not isinstance(kind, str) or kind not in KINDS:
            raise SchemaError(
                f'the "type" {kind!r:.60} at {where} is no type of JSON Schema; '
                f"the types are {', '.join(KINDS)}"
            )


def _places_of(known: Mapping[str, Any]) -> tuple[Sequence[Any], Any]:
    """The schemas of the first items of a list, and that of all others."""
    items = known.get("items", True)
    if isinstance(items, list):  # before 2020-12
        return cast("list[Any]", items), known.get("additionalItems", True)
    return known.get("prefixItems", ()), items


def _subschemas(known: Mapping[str, Any], where: str) -> Iterator[tuple[Any, str]]:
    for name in _OBJECTS[:-1]:
        for key, inner in known.get(name, {}).items():
            yield inner, f"{where}/{name}/{key}"
    for name in _SINGLE:
        if name in known and not (name == "items" and isinstance(known[name], list)):
            yield known[name], f"{where}/{name}"
    for index, inner in enumerate(_places_of(known)[0]):
        yield inner, f"{where}/items/{index}"
    for name in _LISTS[2:-1]:
        for index, inner in enumerate(known.get(name, ())):
            yield inner, f"{where}/{name}/{index}"


def _matches(pattern: str, text: str) -> bool | None:
    """Whether a text has a match; ``None`` where finding out may take too long."""
    expression = compiled(pattern, 0)
    try:
        return any(True for _ in find_all(expression, [text]))
    except TooCostlyError:
        return None


def _text_problems(value: str, known: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    if len(value) < known.get("minLength", 0):
        yield (
            path,
            f"a text of {len(value)} characters where at least {known['minLength']} are expected",
        )
    if "maxLength" in known and len(value) > known["maxLength"]:
        yield (
            path,
            f"a text of {len(value)} characters where at most {known['maxLength']} are expected",
        )
    if "pattern" in known and not (matches := _matches(known["pattern"], value)):
        shown_pattern = clip(str(known["pattern"]))
        if matches is None:
            yield (
                path,
                f"whether {shown(value)} matches {shown_pattern} would take too long to find",
            )
        else:
            yield path, f"{shown(value)} does not match {shown_pattern}"


def _number_problems(
    value: float, known: Mapping[str, Any], path: Path
) -> Iterator[tuple[Path, str]]:
    if "minimum" in known and value < known["minimum"]:
        yield path, f"{shown(value)} is less than {known['minimum']}"
    if "maximum" in known and value > known["maximum"]:
        yield path, f"{shown(value)} is more than {known['maximum']}"
    if "exclusiveMinimum" in known and value <= known["exclusiveMinimum"]:
        yield path, f"{shown(value)} is not more than {known['exclusiveMinimum']}"
    if "exclusiveMaximum" in known and value >= known["exclusiveMaximum"]:
        yield path, f"{shown(value)} is not less than {known['exclusiveMaximum']}"
    step = known.get("multipleOf")
    if step and math.isfinite(value) and abs(value / step - round(value / step)) > 1e-9:
        yield path, f"{shown(value)} is no multiple of {step}"
