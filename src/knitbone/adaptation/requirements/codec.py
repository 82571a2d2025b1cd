"""Conversion between requirement records and the tables that the requirements file holds of them.

Fields stand under their own names, as far as they differ from their default; elements, keys,
steps and evidence in short notations. ``expects`` says the same in words and is never read back.
Records that the file format does not know yet travel the same way: the fields decide.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast, get_args

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.requirements.descriptions import describe
from knitbone.adaptation.requirements.notation import (
    from_literal,
    list_of,
    literal,
    read_elements,
    read_evidence,
    read_steps,
    write_elements,
    write_evidence,
    write_steps,
)
from knitbone.adaptation.requirements.records import (
    Evidence,
    Requirement,
    ScenarioRequirement,
)
from knitbone.adaptation.requirements.shape_notation import read_shape, write_shape

__all__ = ["check_known", "decode", "encode", "kind_of"]

_ENTRY_KEYS = ("kind", "expects", "evidence", "confidence", "source", "ignore", "note", "observed",
             "generated")  # fmt: skip
"""Keys of an entry that are no fields of the requirement."""
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "elements": write_elements,
    "steps": write_steps,
    "name_steps": write_steps,
    "shape": write_shape,
}
"""Fields with a notation of their own."""
_READERS: dict[str, Callable[[Any], Any]] = {
    "elements": read_elements,
    "steps": read_steps,
    "name_steps": read_steps,
    "shape": read_shape,
}
"""The inverse of ``_WRITERS``."""
_RENAMED = {"shape": "keys"}
"""Field of a record -> key of the file."""


def _tag(kind: type[msgspec.Struct]) -> str:
    """Return the name of a kind of requirement in the file."""
    return str(kind.__struct_config__.tag)


_KINDS: dict[str, type[msgspec.Struct]] = {_tag(kind): kind for kind in get_args(Requirement)}


def kind_of(requirement: Requirement) -> str:
    """Return the kind of a requirement: ``positional``, ``structured``, ``scenario``, ..."""
    return _tag(type(requirement))


def encode(requirements: tuple[Requirement, ...]) -> dict[str, Any]:
    """Return the table of one entry: a requirement, or scenario requirements that differ in name
    only."""
    first = requirements[0]
    data: dict[str, Any] = {
        "kind": kind_of(first),
        "expects": "; ".join(describe(requirement) for requirement in requirements),
        "evidence": write_evidence(first.evidence),
    }
    if (confidence := getattr(first, "confidence", None)) is not None:
        data["confidence"] = confidence
    if isinstance(first, ScenarioRequirement):
        names = [r.name for r in requirements if isinstance(r, ScenarioRequirement)]
        return data | {"names": names} | _fields(first, {"name", *data})
    return data | _fields(first, set(data))


def _fields(record: msgspec.Struct, known: set[str]) -> dict[str, Any]:
    """Return the fields of a record that differ from their default, without the known ones."""
    data: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(record)):
        value = getattr(record, field.name)
        if field.name in known or repr(value) == repr(field.default):
            continue
        data[_RENAMED.get(field.name, field.name)] = _value(field.name, value)
    return data


def _value(name: str, value: Any) -> Any:
    """Return the value of a field as the file writes it."""
    if name in _WRITERS:
        return _WRITERS[name](value)
    if isinstance(value, Reader):
        return _fields(value, set())
    plain = msgspec.to_builtins(value)
    if isinstance(plain, list | tuple):
        items = list(cast("Iterable[Any]", plain))
        return items if all(map(_is_toml, items)) else {"python": literal(items)}
    return plain if _is_toml(plain) else {"python": literal(plain)}


def _is_toml(value: Any) -> bool:
    """Return whether TOML has the value; it has no null, and no half of a surrogate pair."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, bool | int | float)


def decode(table: Mapping[str, Any], *, default_evidence: Evidence) -> tuple[Requirement, ...]:
    """Return the requirements of a table: the inverse of ``encode``.

    Args:
        default_evidence: of an entry that a person wrote without any.

    Raises:
        ValueError: a key is unknown, missing, or has a value that cannot be used; the message
            says which.
    """
    tag = table.get("kind")
    if tag is None:
        raise ValueError(f"the key 'kind' is missing; it is one of {', '.join(_KINDS)}")
    check_known(tag, _KINDS, "kind of requirement")
    kind = _KINDS[tag]
    names = [field.name for field in msgspec.structs.fields(kind)]
    keys = {_RENAMED.get(name, name): name for name in names}
    if kind is ScenarioRequirement:
        del keys["name"]
        keys["names"] = "names"
    record: dict[str, Any] = {"type": tag, "evidence": msgspec.to_builtins(default_evidence)}
    for key, value in table.items():
        check_known(key, {**keys, **dict.fromkeys(_ENTRY_KEYS)}, f"key of a {tag} requirement")
        if key not in keys:
            continue
        try:
            record[keys[key]] = _read(keys[key], value)
        except ValueError as error:
            raise ValueError(f"{key} = {value!r}: {error}") from error
    records = [record]
    if kind is ScenarioRequirement:
        scenario_names = list_of(record.pop("names", None))
        records = [{**record, "name": name} for name in scenario_names]
    try:
        return tuple(msgspec.convert(each, cast("Any", Requirement)) for each in records)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace("$.", "")) from error


def _read(name: str, value: Any) -> Any:
    """Return the value of a field from what the file says."""
    if name == "evidence":
        return msgspec.to_builtins(read_evidence(value))
    if name in _READERS:
        return msgspec.to_builtins(_READERS[name](value))
    if not isinstance(value, dict):
        return value
    table = cast("dict[str, Any]", value)
    if set(table) == {"python"}:
        return from_literal(table, object)
    if name in ("reader", "inside"):
        fields = [field.name for field in msgspec.structs.fields(Reader)]
        for key in table:
            check_known(key, fields, "key of a reader")
        return {key: _read(key, inner) for key, inner in table.items()}
    return table


def check_known(key: Any, valid: Iterable[str], what: str) -> None:
    """Refuse what is not known, with the nearest name that is.

    Raises:
        ValueError: always when ``key`` is not among ``valid``.
    """
    known = list(valid)
    if key in known:
        return
    close = difflib.get_close_matches(str(key), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}."
    raise ValueError(f"{key!r} is not a known {what}; {hint}")
