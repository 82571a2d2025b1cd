"""Questions to the catalogue: what an object is, what a call brings, where its output stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from knitbone.adaptation.analysis.catalogue.http import is_post, post
from knitbone.adaptation.analysis.catalogue.lookup import Reached, member, reach, step
from knitbone.adaptation.analysis.catalogue.records import (
    Call,
    Followed,
    Produced,
    Role,
    Setting,
)
from knitbone.adaptation.analysis.catalogue.tables import TYPES
from knitbone.adaptation.requirements.records import Confidence
from knitbone.adaptation.requirements.uses import Computed, Form

__all__ = ["follow", "form_of", "is_piece", "make", "produces", "returns_itself", "role"]

_FORM_OF_SERIES: dict[str, Form] = {"chunk-text": "texts", "entry-text": "documents"}
_NEXT_LOWER: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}
_ABSENT = object()
_ARGUMENTS = re.compile(r"\(.*\)$", re.DOTALL)


def role(path: str, settings: Mapping[str, Any]) -> Role | None:
    """Return what the object at a path is; ``None`` where the catalogue does not know it.

    ``settings`` are the arguments of the last call in the path, positional ones under "0", ...
    """
    at = reach(path)
    if at is None or at.type.startswith("class:") or at.type.endswith("*"):
        return None
    kind = TYPES.get(at.type.partition("|")[0])
    if kind is None or _setting_doubt(kind.setting, settings) is None:
        return None
    return kind.role


def produces(
    path: str,
    settings: Mapping[str, Any],
    keywords: Mapping[str, Any],
    positional: Sequence[Any],
) -> Produced | None:
    """Return what a call of the object at a path brings; ``None`` where that is no site.

    ``settings`` belong to the receiver (the last call inside ``path``), ``keywords`` and
    ``positional`` to this call. Values that are not constants are ``Computed``.
    """
    if is_post(path):
        return post(path, keywords, positional)
    owner, name = _split(path)
    at = reach(owner) if owner else None
    found = step(at, f"{name}()") if at is not None and name else None
    if not isinstance(found, Call):
        at = reach(path)
        found = step(at, "()") if at is not None else None
    if at is None or not isinstance(found, Call):
        return None
    kind = TYPES.get(at.type)
    drop = _setting_doubt(kind.setting if kind else None, settings)
    if drop is None:
        return None
    given = {str(index): value for index, value in enumerate(positional)} | dict(keywords)
    return make(found, at, settings, given, lower=drop)


def returns_itself(path: str) -> bool:
    """Return whether a call of the object at a path only returns its receiver with other settings
    (``.with_retry()``, ``.bind()``, ``.with_options()``): what that was made with still counts."""
    owner, name = _split(path)
    at = reach(owner) if owner else None
    return at is not None and not at.type.startswith("class:") and step(at, f"{name}()") == at.type


def make(
    call: Call, at: Reached, settings: Mapping[str, Any], given: Mapping[str, Any], *, lower: bool
) -> Produced:
    """Return the output of a call, with what its arguments change."""
    shape, streamed = call.shape, call.streamed
    if call.stream:
        flag = given.get("stream", settings.get("stream"))
        if flag is True:
            shape, streamed = call.stream, True
        elif isinstance(flag, Computed):
            shape = f"{shape}|{call.stream}"
    for name, other in call.typed:
        declared = given.get(name, settings.get(name))
        if declared is not None and declared != Computed("str"):
            shape = other
    for name, wanted, other in call.switch:
        value = given.get(name, settings.get(name, _ABSENT))
        if value == wanted:
            shape = other
        elif isinstance(value, Computed):
            shape = f"{shape}|{other}"
    awaited = at.awaited if call.awaited is None else call.awaited
    return Produced(
        kind=call.kind,
        provider=call.provider,
        confidence=_NEXT_LOWER[call.confidence] if lower else call.confidence,
        form=form_of(shape),
        shape=shape,
        streamed=streamed,
        awaited=awaited,
        prompt=tuple(name for name in call.prompt if name in given),
        schema=_first(given, call.schema) or _first(settings, call.declared),
        parser=settings.get("output_parser"),
    )


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of the first of some names that is given."""
    return next((values[name] for name in names if name in values), None)


def follow(shape: str, access: str) -> Followed | None:
    """Return where one access leads from a response; ``None`` where no output stands there.

    ``access`` is ``.name``, ``[]`` (any index, or iteration), ``["key"]``, ``.get("key")``,
    ``.method()``, ``()``, ``with``, ``await``, or ``json.loads()`` on an undecoded answer.
    """
    name = _member_name(access)
    ends = list(dict.fromkeys(_names(shape, name)))
    if not ends and name.startswith("[") and name != "[]":
        ends = list(dict.fromkeys(_names(shape, "[]")))
    if not ends:
        return None
    joined = "|".join(dict.fromkeys(part for end in ends for part in end.split("|")))
    return Followed(joined, form_of(joined), is_piece(joined))


def _names(shape: str, access: str) -> list[str]:
    """Return the types behind one access."""
    return [one.shape if isinstance(one, Call) else one for one in member(shape, access)]


def _member_name(access: str) -> str:
    """Return the member that an access names."""
    text = access.strip()
    if text.startswith(".get(") and text.endswith(")"):
        key = text[5:-1].split(",")[0].strip()
        return key.strip("\"'") if key[:1] in "\"'" else "[]"
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return inner.strip("\"'") if inner[:1] in ("'", '"') and inner else "[]"
    return _ARGUMENTS.sub("()", text.removeprefix("."))


def form_of(shape: str) -> Form:
    """Return in what form the value stands; of several types, the first that is not a response."""
    for one in shape.split("|"):
        form = _form(one)
        if form != "response":
            return form
    return "response"


def _form(one: str) -> Form:
    """Return the form of one type."""
    if one.startswith("raw:"):
        return "response"
    inner = one.rstrip("*")
    if inner == one:
        return TYPES[inner].form
    form = _FORM_OF_SERIES.get(inner) or TYPES[inner].form
    return form if form in ("documents", "texts") else "response"


def is_piece(shape: str) -> bool:
    """Return whether the value is a part of a stream."""
    kinds = [TYPES[one.removeprefix("raw:").rstrip("*")] for one in shape.split("|") if one]
    return any(kind.piece for kind in kinds)


def _setting_doubt(setting: Setting | None, settings: Mapping[str, Any]) -> bool | None:
    """Return ``None`` where the object was not made as its type needs, ``True`` where that is
    uncertain and lowers the confidence, ``False`` otherwise."""
    if setting is None:
        return False
    value = next((settings[name] for name in setting.names if name in settings), _ABSENT)
    if value is _ABSENT or not isinstance(value, str):
        return None if setting.required else True
    fits = any(
        value.startswith(wanted[:-1]) if wanted.endswith("*") else value == wanted
        for wanted in setting.values
    )
    return False if fits else None


def _split(path: str) -> tuple[str, str]:
    """Split off the last name: ``a.b().c`` -> ``a.b()``, ``c``."""
    owner, dot, name = path.rpartition(".")
    return (owner, name) if dot and name.isidentifier() else ("", "")
