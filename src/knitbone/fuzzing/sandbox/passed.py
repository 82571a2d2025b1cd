"""Variables that the user passes to the tools, and their values kept out of everything written.

The names are what commands, tests and journals tell. A value is taken from the process that starts
the sandbox, and masked in every answer before anything looks at it: as it stands, as JSON and as
Python write it, as a URL does, and in base64.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote, quote_plus

from knitbone.errors import SandboxError

__all__ = ["masked_values", "passed_variables"]

_SHORTEST = 4
"""Characters from which a value is masked; a shorter one says nothing, and occurs everywhere."""
_OURS = frozenset({"HOME", "PYTHONHASHSEED", "TMPDIR"})


def passed_variables(names: Sequence[str]) -> dict[str, str]:
    """The variables of this process by name.

    Raises:
        SandboxError: one is not set, or is what the sandbox itself sets.
    """
    for name in names:
        if name in _OURS:
            raise SandboxError(
                f"The sandbox sets {name} itself.", next_step="Leave --env for it out."
            )
        if name not in os.environ:
            raise SandboxError(
                f"The variable {name[:60]!r} is not set.",
                next_step="--env takes the name of a variable that is set where knitbone runs.",
            )
    return {name: os.environ[name] for name in names}


def masked_values(value: Any, passed: Mapping[str, str]) -> Any:
    """``value`` with every text in it without the values of ``passed``."""
    forms = sorted(_forms(passed).items(), key=lambda pair: -len(pair[0]))

    def masked(part: Any) -> Any:
        if isinstance(part, str):
            for form, name in forms:
                if form in part:
                    part = part.replace(form, name)
            return part
        if isinstance(part, list):
            return [masked(item) for item in cast("list[Any]", part)]
        if isinstance(part, dict):
            pairs = cast("dict[str, Any]", part).items()
            return {masked(key): masked(item) for key, item in pairs}
        return part

    return masked(value)


def _forms(passed: Mapping[str, str]) -> dict[str, str]:
    """Each spelling of a value, and what stands for it."""
    forms: dict[str, str] = {}
    for name, value in passed.items():
        if len(value) < _SHORTEST:
            continue
        data = value.encode("utf-8", "surrogateescape")
        spellings = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
        spellings |= {repr(value)[1:-1], repr(data)[2:-1], data.hex()}
        spellings |= {quote(data), quote(data, safe=""), quote_plus(data)}
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            spellings |= {encode(data).decode("ascii"), encode(data).decode("ascii").rstrip("=")}
        forms.update(dict.fromkeys(spellings, f"${{{name}}}"))
    return forms
