"""What a call of the failed run was given, for the disclosure ``values``.

What tools said is told in no disclosure: it may hold an order to whoever reads it. A value that the
agent itself had put into a call is short, or left out.
"""

from __future__ import annotations

from typing import Any

from knitbone.common.printable import printable
from knitbone.record.events import encode_json
from knitbone.tethering.diagnosis.addressed import addressed_texts
from knitbone.tethering.guidance.failed_run import FailedRun
from knitbone.tethering.guidance.records import Directive
from knitbone.wire.fields import object_of

__all__ = ["told_values"]

_MOST, _LONGEST, _WORDS = 3, 40, 4
"""Values of one call; characters and words of one (ours): what is longer may be a sentence."""


def told_values(failed: FailedRun, directive: Directive) -> str:
    """The values that the call had which a directive is about, as they stand behind its sentence;
    empty without one."""
    for item in directive.evidence:
        unit = failed.unit(item.step)
        suspect = unit is not None and addressed_texts([unit])
        for call in () if unit is None or suspect else unit.calls:
            if directive.id.split(":")[1] != call.tool.replace(":", "."):
                continue
            given = object_of(call.arguments)
            wanted = directive.expectation.arguments if directive.expectation else ()
            names = [name for name in wanted if name in given] or list(given)
            told = [
                f"`{name}` {_value(given[name])}"
                for name in names
                if failed.names.argument(name) and _is_short(given[name])
            ]
            if told:
                return f" Last time: {', '.join(told[:_MOST])}."
    return ""


def _is_short(value: Any) -> bool:
    if not isinstance(value, str):
        return isinstance(value, (int, float))
    return len(value) <= _LONGEST and len(value.split()) <= _WORDS and printable(value) == value


def _value(value: Any) -> str:
    return encode_json(value).decode("utf-8")
