"""A label before the record that the code takes off where it stands: ``head.replace("To:", "")``.

With the label the answer is one record, without it another; which of both it is, its first letters
tell. Nothing is supplied, and no label of that name further behind is moved there.

Source: Comfrey §4.3.1 (of several templates the nearest).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from knitbone.adaptation.repair.checks import Check, FunctionCheck, Invocation, Verdict
from knitbone.adaptation.repair.positional.label_plan import key_of
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["prepare_optional_label"]

_MARKS = 16
"""Characters of markup that may stand before the label and in it (ours)."""


def prepare_optional_label(
    template: PositionalTemplate, inner: Callable[[PositionalTemplate], Check | None]
) -> Check | None:
    """Build the check of a template that begins with a label that may be missing.

    Args:
        inner: compiles a template without one.
    """
    elements = template.elements
    count = next((n for n, e in enumerate(elements) if not e.optional), len(elements))
    if not count or elements[0].kind != "words" or template.reader is not None:
        return None
    demanded = (msgspec.structs.replace(e, optional=False) for e in elements[:count])
    whole = msgspec.structs.replace(template, elements=(*demanded, *elements[count:]))
    rest = msgspec.structs.replace(template, elements=elements[count:])
    labelled, bare = inner(whole), inner(rest)
    if labelled is None or bare is None:
        return None
    label = elements[0].text
    key = key_of(label)

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        start = key_of(text[: len(label) + _MARKS])
        begins = start == key or start.startswith(f"{key} ")
        return (labelled if begins else bare)(text, invocation)

    return check
