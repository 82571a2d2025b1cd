"""The last word on what counts: the documentation's, then the user's.

A failure that the documentation announces is a refusal, whoever raises it. A refusal of what the
documentation gives as its own example, or of a part of the range that it states, is a failure. What
``[tool.knitbone.fuzz] ignore`` names does not count at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any, cast

import msgspec

from knitbone.fuzzing.classification.case import EXAMPLE_FAILS, RANGE_IS_NARROWER
from knitbone.fuzzing.classification.documentation import Sentence, read_documentation
from knitbone.fuzzing.classification.failure import Failure
from knitbone.fuzzing.complaints import reads_as_conversion
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.records import Campaign, Finding, ToolUnderTest

__all__ = ["ignoring_rule", "settle"]

_TYPE = re.compile(r"[A-Za-z_][\w.]*\Z")
_RAISED = re.compile(r"\b(?:rais(?:es?|ed|ing)|throws?|thrown)\b", re.IGNORECASE)
_NAMED = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_FORM = re.compile(
    r"\b(?:formats?|formatted|ISO[- ]?(?:8601|date|format)?|RFC|JSON|base64|UUID|IANA|IPv?[46]?)\b"
    r"|[YMDH]{2,4}[-/:.][YMDHS]{2}|%[YmdHMS]",
)
"""Words by which a documentation states the form of a text."""
_KIND = r"(?:str(?:ing)?|int(?:eger)?|float|number|bool(?:ean)?|list|dict(?:ionary)?|text)s?"
_OF_TYPES = re.compile(
    rf"\b(?:not|isn't|aren't) (?:all |both |the |an? |of |type )*"
    rf"(?:{_KIND}\b|(?:right|correct|expected|proper) (?:data )?types?)"
    r"|\b(?:wrong|incorrect|invalid|unexpected|unsupported) "
    r"(?:data |argument |input |parameter )?types?\b"
    r"|\btypes? (?:is|are) (?:wrong|incorrect|invalid|not)\b",
    re.IGNORECASE,
)
"""An announcement that is about types of arguments."""
_JSON_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
_EMPTY = re.compile(r"\b(?:left|be) (?:empty|out|blank)\b", re.IGNORECASE)
"""A sentence that permits an argument to be empty: the form that it states is no demand."""
_NOT = re.compile(
    r"\b(?:not?|never|cannot|can't|without|except|unless|refus\w*|reject\w*|rais\w*|error\w*|"
    r"invalid|fails?|wrong|forbidden)\b",
    re.IGNORECASE,
)
"""An example in such a sentence may be one of what is refused."""


def settle(campaign: Campaign, *, ignore: Sequence[str] = ()) -> Campaign:
    """The campaign with the final standing of each finding, by its documentation and by the user.

    Args:
        ignore: the rules of ``FuzzConfig.ignore``.
    """
    raises = _announcements(campaign.tool)
    worded = {
        _class_name(f.exception) for f in campaign.findings if f.origin and f.origin.by == "tool"
    }
    findings = tuple(_settled(campaign.tool, f, raises, worded, ignore) for f in campaign.findings)
    return msgspec.structs.replace(campaign, findings=findings)


def _class_name(exception: str | None) -> str:
    """The name of an exception class without its module, as documentation usually writes it."""
    return (exception or "").rpartition(".")[2]


def ignoring_rule(finding: Finding, rules: Sequence[str]) -> str:
    """The first rule that a finding falls under; empty if there is none."""
    types = {finding.exception or "", _class_name(finding.exception)}
    types |= set(() if finding.origin is None else finding.origin.bases)
    texts = [text.casefold() for text in (finding.message, finding.says)]
    for rule in rules:
        is_type = _TYPE.match(rule) is not None
        wanted = rule.casefold()
        if (is_type and rule in types) or any(fnmatchcase(text, wanted) for text in texts):
            return rule
    return ""


def _settled(
    tool: ToolUnderTest,
    finding: Finding,
    raises: Sequence[Sentence],
    worded: Collection[str],
    ignore: Sequence[str],
) -> Finding:
    standing, because = finding.standing, finding.because
    sentence = _announced(tool, finding, raises) if standing == "unhandled" else None
    if sentence is not None and not _is_another(finding, sentence, worded):
        standing, because = "refused", f'the documentation announces it: "{sentence.text}"'
    elif standing == "unhandled" and (told := _stated_form(tool, finding)) is not None:
        standing, because = "refused", f'the documentation states the form: "{told}"'
    elif standing == "refused" and _breaks_example(finding):
        standing, because = "unhandled", "it refuses the documentation's own example"
    elif standing == "refused" and _breaks_range(finding):
        standing, because = "unhandled", "it refuses a part of the range that is documented"
    return msgspec.structs.replace(
        finding, standing=standing, because=because, ignored=ignoring_rule(finding, ignore)
    )


def _announcements(tool: ToolUnderTest) -> list[Sentence]:
    """The entries of ``Raises``, and sentences that say of a type that it is raised."""
    found: list[Sentence] = []
    for sentence in read_documentation(tool).sentences:
        if sentence.exception is not None:
            found.append(sentence)
        elif _RAISED.search(sentence.text):
            names = _NAMED.findall(sentence.text)
            found += [msgspec.structs.replace(sentence, exception=name) for name in names]
    return found


def _announced(
    tool: ToolUnderTest, finding: Finding, raises: Sequence[Sentence]
) -> Sentence | None:
    """The entry of ``Raises`` for the exception or for a type that it derives from."""
    if finding.kind != "raised" or finding.exception is None:
        return None
    names = {_class_name(finding.exception)}
    names |= set(() if finding.origin is None else finding.origin.bases)
    announced = (s for s in raises if _class_name(s.exception) in names)
    return next((s for s in announced if not _speaks_of_other_types(s, tool, finding)), None)


def _speaks_of_other_types(sentence: Sentence, tool: ToolUnderTest, finding: Finding) -> bool:
    """Whether an announcement is of arguments of wrong types, and these have the right ones."""
    if (
        finding.origin is None
        or finding.origin.by != "operation"
        or not _OF_TYPES.search(sentence.text)
    ):
        return False
    fields = properties_of(tool.schema)
    return all(
        isinstance(value, (str, int, float)) and _is_of(value, fields.get(name))
        for name, value in finding.arguments.items()
    )


def _is_of(value: Any, schema: Any) -> bool:
    named = cast("dict[str, Any]", schema).get("type") if isinstance(schema, dict) else None
    kind = _JSON_TYPES[type(value)]
    return named == kind or (named == "number" and kind == "integer")


def _is_another(finding: Finding, sentence: Sentence, worded: Collection[str]) -> bool:
    """Whether the documentation announces another failure of the same exception class.

    So it is where the tool itself raises that class elsewhere: the announcement is about that
    ``raise``, and this finding is an operation that failed with the same class. A conversion that
    rejects an argument is still taken for the announced failure.
    """
    by_operation = finding.origin is not None and finding.origin.by == "operation"
    return (
        by_operation
        and _class_name(sentence.exception) in worded
        and not reads_as_conversion(finding.message)
    )


def _stated_form(tool: ToolUnderTest, finding: Finding) -> str | None:
    """What the documentation says of the form of an argument that a function of Python's own could
    not read: the caller was told, and the message tells again. Not where the documentation permits
    the value, or demands it."""
    said = finding.classification
    of_reading = (
        finding.kind == "raised"
        and finding.origin is not None
        and finding.origin.by == "operation"
        and reads_as_conversion(finding.message)
    )
    if not of_reading or (said is not None and said.verdict != "under-specified"):
        return None
    written = read_documentation(tool)
    for name in Failure(tool, finding).blamed:
        for sentence in written.about(name):
            if _FORM.search(sentence.text) and not _EMPTY.search(sentence.text):
                return sentence.text
    return None


def _breaks_range(finding: Finding) -> bool:
    """Whether it refuses, in an error or in words, a part of the range that the documentation
    states."""
    said = finding.classification
    return (
        finding.kind in ("raised", "returned")
        and said is not None
        and said.reason == RANGE_IS_NARROWER
        and not _NOT.search(said.sentence)
    )


def _breaks_example(finding: Finding) -> bool:
    """Whether it raises on a call that the documentation gives; an answer may only look like it."""
    said = finding.classification
    return (
        finding.kind == "raised"
        and said is not None
        and said.verdict == "ill-specified"
        and said.reason == EXAMPLE_FAILS
        and not _NOT.search(said.sentence)
    )
