"""The check of code that its interpreter does not accept: find the fault, mend it, prove it.

The consumer's own parser judges the text without running it. Where it gives up, the code is taken
out of what the model put around it, then mended: first what is wrong wherever it stands, then, in
up to ``_ATTEMPTS`` rounds, what may be wrong where the parser gave up. Of the repairs that
parse the one with the fewest changed tokens is taken; two equally small ones that are different
programs are refused, as is code that was cut off.

Source: Comfrey §4.4.1.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    RepairRefusal,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.missing import note_missing
from knitbone.adaptation.repair.structured import prepare as prepare_structured
from knitbone.adaptation.repair.syntax.brackets import MAX_DEPTH, max_depth
from knitbone.adaptation.repair.syntax.edits import RepairProposal, apply_edits
from knitbone.adaptation.repair.syntax.extraction import Source, program_sources
from knitbone.adaptation.repair.syntax.languages import load_language
from knitbone.adaptation.repair.syntax.records import (
    Fault,
    Language,
    ProgramText,
    Scene,
    SyntaxRule,
)
from knitbone.adaptation.requirements import ParserSyntax, StructuredTemplate
from knitbone.adaptation.requirements.records import StructuredFormat
from knitbone.errors import MissingExtraError

__all__ = ["HEURISTICS", "prepare"]


# The proof that a repaired program still says what the answer said.
#
# Independent of the edits: names and numbers are the same and in the same order, and no string has
# characters that the answer did not have there.

_WORD = re.compile(r"\w+")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
"""An escape of HTML."""
_GRAMMAR = frozenset(
    {"not", "and", "or", "AND", "OR", "NOT", "as", "elif", "else", "if", "elseif", "elsif"}
)
"""Words that stand for operators, and may be written otherwise."""
_ESCAPE = re.compile(r"\\([nrt]|[^\w\s]|_)")
"""An escape of Markdown or of a string."""
_ONE_MORE = re.compile(r"\+\+|--")
"""Operators that stand for ``+= 1`` and ``-= 1``."""
_QUOTES = re.compile("[\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\\\\]+")
"""Quotes of all kinds, and backslashes before them."""


def forbidden_change(before: ProgramText, after: str) -> str:
    """Describe what a repair changed that it must not; empty where it did not.

    Only the lines that differ are compared: the others say what they said.

    Args:
        before: the code as the model wrote it, without what stood around it.
        after: the repaired code.
    """
    start, same = _common_lines(before.text, after)
    if _words(before.text[start : len(before.text) - same]) != _words(
        after[start : len(after) - same]
    ):
        return "the repair would change a name or a number"
    plain = unescaped = ""
    for string in _strings(before, after, start, len(after) - same):
        plain = plain or _QUOTES.sub('"', before.text)
        if _QUOTES.sub('"', string).strip('"') not in plain:
            unescaped = unescaped or _QUOTES.sub('"', _ENTITY.sub(_character, before.text))
            if _QUOTES.sub('"', string).strip('"') not in unescaped:
                return "the repair would change the content of a string"
    return ""


def _common_lines(before: str, after: str) -> tuple[int, int]:
    """Return how many characters of whole lines the texts share at the start and at the end."""
    shorter = min(len(before), len(after))
    same = _largest(shorter, lambda n: before.startswith(after[:n]))
    start = before.rfind("\n", 0, same) + 1
    same = _largest(shorter - start, lambda n: before.endswith(after[len(after) - n :]))
    line_break = before.find("\n", len(before) - same)
    return start, len(before) - line_break if line_break >= 0 else 0


def _largest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number up to which a condition holds."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _strings(before: ProgramText, after: str, start: int, end: int) -> Iterator[str]:
    """Yield the strings of a repaired program that reach into its changed lines."""
    line = 0
    for token in before.tokens:
        # What is not closed may be closed now: from there on the tokens may be others.
        if token.end > start or token.kind == "unclosed":
            break
        if token.kind == "newline":
            line = token.end
    for match in before.lexicon.pattern.finditer(after, line):
        if match.start() >= end:
            return
        if match.lastgroup == "string" and match.end() > start:
            yield match.group()


def _words(text: str) -> list[str]:
    plain = _ONE_MORE.sub(" 1 ", _ENTITY.sub(" ", _ESCAPE.sub(_unescape, text)))
    return [word for word in _WORD.findall(plain) if word not in _GRAMMAR]


def _unescape(escape: re.Match[str]) -> str:
    return " " if escape[1] in "nrt" else escape[1]


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity.group())


HEURISTICS: tuple[str, ...] = (
    "syntax.brackets",
    "syntax.characters",
    "syntax.colons",
    "syntax.commas",
    "syntax.comments",
    "syntax.conditions",
    "syntax.entities",
    "syntax.escapes",
    "syntax.fences",
    "syntax.fstrings",
    "syntax.increments",
    "syntax.indentation",
    "syntax.keywords",
    "syntax.negations",
    "syntax.operators",
    "syntax.prompts",
    "syntax.prose",
    "syntax.python2",
    "syntax.quotes",
    "syntax.sql_commas",
    "syntax.sql_names",
    "syntax.sql_semicolons",
    "syntax.strings",
)
"""The heuristics that can be switched off, one by one."""
MAX_REPAIR = 65_536
"""Characters of code that is repaired: a candidate costs a parse of it."""
_DATA: dict[str, StructuredFormat] = {"json": "json", "yaml": "yaml", "xml": "xml", "toml": "toml"}
"""Languages of data, which have a module of their own."""
_ATTEMPTS = 3
"""Comfrey §4.4.1: rounds of repair of one program."""
_BEAM = 3
"""Texts that a round carries on with, the cheapest first: faults are independent as a rule, so a
wider beam only finds other orders of the same edits."""
_MAX_CANDIDATES = 32
"""Proposals parsed in one round for one text."""


class _Mended(msgspec.Struct, frozen=True):
    """A text on the way to a program."""

    cost: int
    program: ProgramText
    rules: tuple[str, ...]
    fault: Fault | None = None
    """The fault that is left."""


def prepare(requirement: ParserSyntax) -> Check | None:
    """Compile a check with the consumer's parser; ``None`` where there is none for the language.

    Nor is there one where the parser is not installed: the report says which package it needs.
    """
    if requirement.language in _DATA:
        return prepare_structured(
            StructuredTemplate(
                format=_DATA[requirement.language],
                parser=requirement.parser,
                evidence=requirement.evidence,
            )
        )
    try:
        language = load_language(requirement.language, requirement.dialect, requirement.parser)
    except MissingExtraError as error:
        note_missing(error)
        return None
    if language is None:
        return None

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if invocation.proven.get(check) == text:
            return conforming(text)
        if len(text) > language.max_text:
            bound = language.max_text
            return unread(text, f"the answer has {len(text)} characters; the bound is {bound}")
        fault = language.find_fault(text)
        if fault is None:
            return conforming(text)
        try:
            mended = _repair(text, fault, language, invocation)
        except RepairRefusal as refusal:
            return refused(text, f"{fault.message}: {refusal}")
        proven = invocation.proven[check] = mended.program.text
        return repaired(proven, *mended.rules, edits=max(mended.cost, 1))

    return check


def _repair(text: str, fault: Fault, language: Language, invocation: Invocation) -> _Mended:
    """Take the code out of the answer, mend it, and prove the result."""
    if len(text) > MAX_REPAIR:
        raise RepairRefusal(f"{len(text)} characters are not repaired; the bound is {MAX_REPAIR}")
    try:
        candidates = list(program_sources(text, language, invocation.uses))
    except LookupError as error:
        raise RepairRefusal(str(error)) from None
    for source in candidates:
        invocation.deadline.check()
        if _looks_like_code(source, language) and language.find_fault(source.text) is None:
            program = ProgramText(source.text, language.lexicon)
            return _Mended(len(source.rules), program, source.rules)
    reasons: list[str] = []
    for source in candidates:
        if source.rules and not _looks_like_code(source, language):
            reasons.append("nothing in the answer looks like code")
            continue
        try:
            known = None if source.rules else fault
            program = ProgramText(source.text, language.lexicon)
            mended = _mend(program, known, source.ended, language, invocation)
        except RepairRefusal as refusal:
            reasons.append(str(refusal))
            continue
        reason = forbidden_change(program, mended.program.text)
        if not reason:
            rules = source.rules + mended.rules
            return _Mended(len(source.rules) + mended.cost, mended.program, rules)
        reasons.append(reason)
    raise RepairRefusal(reasons[-1])


def _looks_like_code(source: Source, language: Language) -> bool:
    """Return whether something was taken away, and what remains is more than words or a comment.

    A list of names parses, too.
    """
    if source.marked and len(source.text.split()) > 1:
        return True
    return bool(source.rules) and any(
        language.statement(line) and not line.lstrip().startswith(language.lexicon.comment)
        for line in source.text.splitlines()
    )


def _mend(
    program: ProgramText,
    fault: Fault | None,
    ended: bool,
    language: Language,
    invocation: Invocation,
) -> _Mended:
    """Mend a program by a beam search over small edits.

    Raises:
        RepairRefusal: no small repair is the only one that parses.
    """
    start = _apply_general_rules(program, fault, language, invocation)
    if start.fault is None:
        return start
    if max_depth(start.program.brackets) > MAX_DEPTH:
        raise RepairRefusal(f"brackets are nested more than {MAX_DEPTH} deep")
    beam = [start]
    for _ in range(_ATTEMPTS):
        found: list[_Mended] = []
        for state in beam:
            found += _round(state, ended, language, invocation)
        whole = [mended for mended in found if mended.fault is None]
        if whole:
            return _smallest_repair(whole, language)
        beam = sorted(found, key=lambda mended: mended.cost)[:_BEAM]
        if not beam:
            break
    raise RepairRefusal("no small repair is the only one that parses")


def _apply_general_rules(
    program: ProgramText, fault: Fault | None, language: Language, invocation: Invocation
) -> _Mended:
    """Undo what the language never has, one rule after the other."""
    cost, rules = 0, ()
    scene = Scene(program=program, fault=Fault(-1, ""), invocation=invocation)
    for rule in language.everywhere:
        invocation.deadline.check()
        for proposed in _proposals((rule,), scene):
            program = ProgramText(apply_edits(program.text, proposed.edits), language.lexicon)
            scene = msgspec.structs.replace(scene, program=program)
            cost, rules = cost + proposed.cost, (*rules, proposed.rule)
    if cost or fault is None:
        fault = language.find_fault(program.text)
    return _Mended(cost, program, rules, fault)


def _round(
    state: _Mended, ended: bool, language: Language, invocation: Invocation
) -> Iterator[_Mended]:
    """Yield the results of one more edit: what parses, and what the parser gets further with."""
    fault = state.fault
    if fault is None:
        return
    scene = Scene(program=state.program, fault=fault, invocation=invocation)
    for count, proposed in enumerate(_proposals(language.nearby, scene)):
        if count >= _MAX_CANDIDATES:
            return
        invocation.deadline.check()
        if proposed.at_end and not ended and not _ends_complete(scene):
            continue
        text = apply_edits(state.program.text, proposed.edits)
        left = language.find_fault(text)
        if left is None or _is_further(left, fault):
            cost, rules = state.cost + proposed.cost, (*state.rules, proposed.rule)
            yield _Mended(cost, ProgramText(text, language.lexicon), rules, left)


def _proposals(rules: tuple[SyntaxRule, ...], scene: Scene) -> Iterator[RepairProposal]:
    for rule in rules:
        if scene.invocation.uses(rule.name):
            yield from rule.propose(scene)


def _is_further(left: Fault, fault: Fault) -> bool:
    if left.offset < 0 or fault.offset < 0:
        return left != fault
    return left.offset > fault.offset or left.message != fault.message


def _ends_complete(scene: Scene) -> bool:
    """Return whether the last token is certainly whole.

    A name or a number may have been cut, and behind an operator or a comma something is missing.
    """
    tokens = scene.code
    return bool(tokens) and (tokens[-1].kind == "string" or tokens[-1].text in (")", "]", "}", ";"))


def _smallest_repair(whole: list[_Mended], language: Language) -> _Mended:
    """Return the repair with the fewest changed tokens, where all as small as it are one
    program."""
    least = min(mended.cost for mended in whole)
    equal = [mended for mended in whole if mended.cost == least]
    if len(equal) == 1:
        return equal[0]
    texts = {mended.program.text for mended in equal}
    if len(texts) == 1:
        return equal[0]
    programs = {_program_key(text, language) for text in texts}
    if len(programs) > 1:
        raise RepairRefusal(f"{len(programs)} different programs are equally near")
    return equal[0]


def _program_key(text: str, language: Language) -> str:
    shape = language.shape(text)
    return text if shape is None else shape.tree
