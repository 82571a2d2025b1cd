"""What a documentation states of an argument's values, beside those that an agent chose.

Where the documentation names the form that the tool accepts, and an agent wrote another one, the
agent disregarded it: no sentence is missing. Where it names a form that the tool refuses, the
sentence is there and wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knitbone.fuzzing.classification.documentation import Sentence, read_documentation
from knitbone.fuzzing.classification.promises import examples, lists_value, quotation, quoted, shape
from knitbone.fuzzing.documentation.records import ArgumentForm, ArgumentVariation
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.sentence_constraints import is_of_any_case, read_sentence
from knitbone.fuzzing.generate.fits import fits
from knitbone.fuzzing.generate.shapes import Resolver, properties_of
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = ["announced_form", "contradicted_sentence", "enumerations", "named_values"]


# Lists of values in a sentence about an argument, whatever stands before and behind them.
#
# ``voice: "soprano", "alto" or "bass", in lower case``, ``unit: "C" (Celsius) or "F"``, ``Only
# these are known: FR, JP, KE``. Examples, parts of a text, and values that are said not to do are
# no list of what does; nor are words without marks that begin small, which are prose more often.

_READ = 2_000
_BEFORE, _BEHIND = 40, 40
"""Characters around a list in which it may be called examples, or be ruled out."""
_QUOTED = quotation(80)
_GLOSS = r"(?:\s*\([^()\n]{1,60}\))?"
_JOINT = r"\s*(?:,\s*(?:or|and)\b|[,;|/]|\bor\b|\band\b)\s*"
_IN_MARKS = re.compile(rf"{_QUOTED}{_GLOSS}(?:{_JOINT}{_QUOTED}{_GLOSS})+")
_WORDS = r"[A-Z\d][\w+-]*(?: [A-Z][\w-]*){0,2}"
_BARE = re.compile(rf":\s*({_WORDS}{_GLOSS}(?:{_JOINT}{_WORDS}{_GLOSS})+)(?=\s*(?:[.;,]|\n\n|\Z))")
_BETWEEN = re.compile(_JOINT)
_GLOSSES = re.compile(r"\s*\([^()\n]{1,60}\)")
_NO_LIST = re.compile(
    r"(?:\be\.g\.|\b(?:not|never|no|except|without|than|instead|unlike|examples?|instance|such as"
    r"|like|default|returns?|result|output|separat\w+|split|start\w*|begin\w*|ends?|ending|prefix\w*"
    r"|suffix\w*|contain\w*|includ\w+|follow\w*|between)\b)[^.;]*\Z",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\A[^.;]*\b(?:not|never|refused|rejected|ignored|forbidden|for example|e\.g)\b", re.IGNORECASE
)


def enumerations(sentence: str) -> Iterator[frozenset[str]]:
    """The values of each list of at least two."""
    text = sentence[:_READ]
    for found in _IN_MARKS.finditer(text):
        if _lists(text, found.start(), found.end()):
            yield frozenset(quoted(found[0]))
    for found in _BARE.finditer(text):
        if _lists(text, found.start(), found.end()):
            listed = _BETWEEN.split(_GLOSSES.sub("", found[1]))
            yield frozenset(value.strip() for value in listed if value.strip())


def _lists(text: str, start: int, end: int) -> bool:
    before = text[max(start - _BEFORE, 0) : start]
    return not _NO_LIST.search(before) and not _REFUSED.search(text[end : end + _BEHIND])


_NOTATION = re.compile(
    r"(?<![A-Za-z])[YyMmDdHhSs]{1,4}(?:[-/.:T][YyMmDdHhSs]{1,4}){1,5}(?![A-Za-z])"
)
"""``YYYY-MM-DD``, ``dd.mm.yyyy``, ``HH:MM``."""
_ISO = re.compile(r"\bISO[ -]?8601\b", re.IGNORECASE)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")


def announced_form(tool: ToolUnderTest, varies: ArgumentVariation) -> str:
    """The words that say which form of an argument the tool accepts, where all forms that it
    refused are others; empty where there are none."""
    worked = [form for form in varies.forms if form.worked and not form.absent]
    failed = [form for form in varies.forms if not form.worked and not form.absent]
    if not failed:
        return ""
    schema = properties_of(tool.schema).get(varies.argument)
    resolver = Resolver(tool.schema)
    if schema is not None and not any(fits(form.value, schema, resolver) for form in failed):
        return f"the argument schema of {varies.argument}"
    for sentence in _stated(tool, varies.argument):
        if any(_names(sentence.text, form) for form in failed):
            continue
        if any(_names(sentence.text, form) for form in worked):
            return sentence.text
        if worked and _describes(sentence.text, worked, failed):
            return sentence.text
        if _rules_out(sentence.text, varies.argument, worked, failed):
            return sentence.text
        if _lists_others(sentence.text, worked, failed):
            return sentence.text
    return ""


def contradicted_sentence(tool: ToolUnderTest, varies: ArgumentVariation) -> str:
    """The sentence that names a value which the tool refuses; empty where there is none."""
    failed = [form for form in varies.forms if not form.worked and not form.absent]
    for sentence in _stated(tool, varies.argument):
        if any(_names(sentence.text, form) for form in failed):
            return sentence.text
    return ""


def named_values(tool: ToolUnderTest, argument: str) -> Iterator[tuple[str, str]]:
    """The values that a documentation puts in quotation marks or gives as examples of an argument,
    each with its sentence."""
    for sentence in _stated(tool, argument):
        for value in dict.fromkeys([*quoted(sentence.text), *examples(sentence.text)]):
            yield value, sentence.text


def _stated(tool: ToolUnderTest, argument: str) -> Iterator[Sentence]:
    """What is written of an argument; of the whole tool, where the sentence names the argument or
    there is no other one."""
    written = read_documentation(tool)
    yield from written.about(argument)
    alone = len(properties_of(tool.schema)) == 1
    named = re.compile(rf"(?<!\w){re.escape(argument)}(?!\w)", re.IGNORECASE)
    for sentence in written.general():
        if sentence.section == "text" and (alone or named.search(sentence.text)):
            yield sentence


def _names(sentence: str, form: ArgumentForm) -> bool:
    """Whether it lists this very value, or gives it as an example; one in another case only where
    it says that case does not matter."""
    value = _text(form.value)
    if not value:
        return False
    listed = lists_value(sentence, value) and (value in sentence or is_of_any_case(sentence))
    return listed or value in {one.strip() for one in examples(sentence)}


def _describes(
    sentence: str, worked: Sequence[ArgumentForm], failed: Sequence[ArgumentForm]
) -> bool:
    """Whether an example or a notation in it has the shape of what worked and of nothing else."""
    shapes = {shape(one) for one in examples(sentence)}
    shapes |= {re.sub(r"[A-SU-Za-su-z]+", "0", found) for found in _NOTATION.findall(sentence)}
    if _ISO.search(sentence) and all(_ISO_DAY.fullmatch(_text(form.value)) for form in worked):
        return not any(_ISO_DAY.fullmatch(_text(form.value)) for form in failed)
    good = {shape(_text(form.value)) for form in worked}
    bad = {shape(_text(form.value)) for form in failed}
    return bool(shapes & good) and not shapes & bad


def _rules_out(
    sentence: str, argument: str, worked: Sequence[ArgumentForm], failed: Sequence[ArgumentForm]
) -> bool:
    """Whether one thing that it demands of the argument is broken by all that failed and by nothing
    that worked: a list of values of which the agent took none, a range, a number of characters."""
    return any(
        all(not keeps([demand], {argument: form.value}) for form in failed)
        and all(keeps([demand], {argument: form.value}) for form in worked)
        for demand in read_sentence(sentence, argument)
        if demand.kind != "before"
    )


def _lists_others(
    sentence: str, worked: Sequence[ArgumentForm], failed: Sequence[ArgumentForm]
) -> bool:
    """Whether it lists values of which all that worked is one, and nothing that failed."""
    if not all(_text(form.value) for form in failed):
        return False
    fold = str.casefold if is_of_any_case(sentence) else str
    return any(
        all(fold(_text(form.value)) in listed for form in worked)
        and not any(fold(_text(form.value)) in listed for form in failed)
        for listed in ({fold(value) for value in values} for values in enumerations(sentence))
    )


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) else ""
