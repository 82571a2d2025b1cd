"""Templates as the analysis makes them from a consumer, for tests of the stages behind it."""

import re

import msgspec

from knitbone.adaptation.reading.library_parsers import _REACT_ANSWER
from knitbone.adaptation.repair.within_words import within_words
from knitbone.adaptation.testing import (
    Element,
    Evidence,
    Invocation,
    PositionalTemplate,
    Reader,
    Step,
    literal_elements,
    merge_elements,
    prepare_check,
    read_pattern,
)
from knitbone.common.matching import end_allowance, start_allowance
from knitbone.config import AdaptConfig


def template_of(pattern, flags=0, method="findall", steps=()):
    shape = read_pattern(pattern, flags)
    lines = any(name in ("splitlines", "split") for name, *_ in steps)
    return PositionalTemplate(
        elements=shape.elements,
        reader=Reader(
            kind="regex",
            method=method,
            pattern=pattern,
            flags=int(flags),
            steps=tuple(Step(name, tuple(arguments)) for name, *arguments in steps),
        ),
        repeated=lines or method in ("findall", "finditer"),
        line_start=shape.line_start or method in ("match", "fullmatch"),
        spans_lines=shape.spans_lines and not lines,
        ignore_case=shape.ignore_case,
        evidence=Evidence(file="app.py", line=1, expression=pattern),
    )


NUMBERED = template_of(r"^\d+\.\s+(.*)$", re.MULTILINE)
NUMBERED_READ = template_of(r"^\s*(\d+)\.\s+(.+?)\s*$", 0, "match", [("splitlines",)])
TASKS = template_of(r"Task (\d+): (.+)", 0, "match", [("splitlines",)])
BULLETS = template_of(r"^[-*]\s+(.+)$", re.MULTILINE)
SPANNING = template_of(r"(\d+)\.\s*(.*?)(?=\n\d+\.|\Z)", re.DOTALL)
EITHER = template_of(r"^\s*(?:\d+[.)]|[-*])\s+(.+)$", re.MULTILINE)
ANYWHERE = template_of(r"\s*(\d+)\)\s*(.+)")
ALL = {
    "anywhere": ANYWHERE,
    "numbered": NUMBERED,
    "numbered_read": NUMBERED_READ,
    "tasks": TASKS,
    "bullets": BULLETS,
    "spanning": SPANNING,
    "either": EITHER,
}

SLOT = Element(kind="slot", captured=True)
INTEGER = Element(kind="slot", type="integer", captured=True)
LINE_BREAK = Element(kind="space", text="\n", options=("\n",))


def words(*options):
    """One of several texts, as the code compares it."""
    return Element(kind="words", text=options[0], options=options, captured=True)


def record_of(*parts, expression="text", **fields):
    """A template whose consumer the analysis could not replay: texts stand for fixed elements."""
    elements = []
    for part in parts:
        made = literal_elements(part) if isinstance(part, str) else (part,)
        elements.extend(made)
    settings = {"repeated": False, "line_start": False, "spans_lines": True} | fields
    return PositionalTemplate(
        elements=tuple(elements),
        evidence=Evidence(file="app.py", line=1, expression=expression),
        **settings,
    )


def judged(template, text, *, said=(), **config):
    """The verdict of the template's check, which finds a value within words, too."""
    check = prepare_check(template)
    assert check is not None
    check = within_words(check, template)
    settings = {"budget_ms": 60_000} | config
    # As long for expressions as for the check: a busy machine is no reason for another verdict.
    token = start_allowance(60)
    try:
        return check(text, Invocation(AdaptConfig(**settings), asked=lambda: said))
    finally:
        end_allowance(token)


def as_lines(template):
    return msgspec.structs.replace(template, steps=(Step("splitlines"),), spans_lines=False)


STEP = template_of(r"Thought: (.*?)\nAction: (.*?)\nAction Input: (.*)", re.DOTALL, "search")
STEP_UNREAD = msgspec.structs.replace(STEP, reader=None)
LANGCHAIN = record_of(*_REACT_ANSWER, on_violation="raises")
SCORE = msgspec.structs.replace(template_of(r"Score:\s*(\d+)", 0, "search"), on_violation="raises")
ANSWER = record_of("Answer:", SLOT)
TYPED = record_of("Score:", INTEGER, on_violation="raises")
REVIEW = record_of(
    "Label:", words("positive", "negative"), LINE_BREAK, "Confidence:", INTEGER,
    on_violation="raises",
)  # fmt: skip
KEEP = record_of("KEEP:", SLOT, line_start=True)
PAIRS = template_of(r"Q: (.*)\nA: (.*)", 0, "findall")
EITHER_LABEL = as_lines(
    record_of(
        Element(
            kind="choice",
            alternatives=(tuple(literal_elements("Fact:")), tuple(literal_elements("Guess:"))),
        ),
        SLOT,
        repeated=True,
        line_start=True,
    )
)
DASHES = as_lines(
    record_of(Element(kind="delimiter", text="-", options=("-",)), SLOT,
              repeated=True, line_start=True)
)  # fmt: skip
ADDRESS = record_of(SLOT, ":", INTEGER, on_violation="raises")
FACT = record_of(SLOT, "=", SLOT, on_violation="raises")
VERDICT = record_of(SLOT, *merge_elements([*literal_elements("- ")]), SLOT)
LIST = record_of(SLOT, separator=",", repeated=True)
YES_NO = record_of(words("yes", "no"))
KIND = record_of(words("billing", "technical"))
SAFETY = record_of(words("SAFE", "UNSAFE"))
NO_ANSWER = record_of(words("NO_ANSWER"))
APPROVED = record_of(words("APPROVED"), Element(kind="slot"))
PAGE = record_of(Element(kind="slot"), words("PAGE"))
COUNT = record_of(INTEGER, expression="int(text)", on_violation="raises")
PRICE = record_of(Element(kind="slot", type="number", captured=True), expression="float(text)")
DAY = record_of(Element(kind="slot", type="date", reading="date.fromisoformat", captured=True))
VAT = template_of(r"VAT ([A-Z]{2}) (\d+)", 0, "match")
HINT = record_of("Hint:", SLOT, "##", SLOT)
QUOTE = record_of("<quote>", SLOT, "</quote>", on_violation="raises")
TASK_LINES = as_lines(record_of("Task", SLOT, repeated=True, line_start=True))
TASK_NUMBERS = PositionalTemplate(
    elements=(Element(kind="number", captured=True), *literal_elements(". "), SLOT),
    reader=Reader(
        kind="split",
        method="partition",
        separator=". ",
        numbered=True,
        steps=(Step("splitlines"), Step("removeprefix", ("Task ",))),
    ),
    evidence=Evidence(file="app.py", line=1, expression='line.partition(". ")'),
)
LOG = template_of(
    r"\[(?P<at>\d{2}:\d{2})\] (\w+): (.+)", 0, "fullmatch", [("splitlines",), ("strip",)]
)
CHORES = template_of(r"^(\d+)\.\s+(.*?)\s+\((low|medium|high)\)$", re.MULTILINE)
POINTS = template_of(r"^(.+?): (\d+)$", re.MULTILINE)
GLOSSARY = as_lines(record_of(SLOT, "::", SLOT, repeated=True, line_start=True))
CARDS = record_of(
    "Q:", SLOT, LINE_BREAK, "A:", SLOT, repeated=True, line_start=True, spans_lines=False,
    steps=(Step("strip"), Step("split", ("\n\n",)), Step("splitlines")), confidence="medium",
)  # fmt: skip
HEADING = template_of(r"^#+ (.+)$", re.MULTILINE, "search")
FIELDS = record_of(SLOT, separator=": ", repeated=True)
ROWS = as_lines(record_of(SLOT, "|", SLOT, "|", INTEGER, line_start=True, on_violation="raises"))
RATED = as_lines(record_of(SLOT, ",", INTEGER, line_start=True, repeated=True))
PARTS = record_of(SLOT, ";", INTEGER, ";", SLOT, on_violation="raises")
MAIL = as_lines(
    record_of("Category:", SLOT, LINE_BREAK, "Urgency:", INTEGER, LINE_BREAK, "Reply:", SLOT,
              repeated=True, line_start=True)
)  # fmt: skip
SECTIONS = record_of(
    *merge_elements([*literal_elements("## ")]), SLOT, repeated=True, line_start=True
)


def named_lines(method, separator, *names, name_steps=(), **fields):
    """``fields[name] = text`` of each line: a name with ``?`` may be missing."""
    parts = []
    for name in names:
        slot = msgspec.structs.replace(SLOT, optional=name.endswith("?"))
        parts += [LINE_BREAK] * bool(parts) + [f"{name.rstrip('?')}{separator}", slot]
    steps = (Step("strip"), Step("splitlines"))
    reader = Reader(
        kind="split", method=method, separator=separator, steps=steps, name_steps=name_steps
    )
    settings = {"repeated": True, "line_start": True, "steps": steps, "on_violation": "raises"}
    return record_of(*parts, keyed=True, reader=reader, **settings | fields)


TICKET = named_lines("partition", ":", "Title", "Due Date", "Note?")
CARD = named_lines("split", ": ", "name", "email", name_steps=(Step("lower"),), ignore_case=True)
CAST = as_lines(
    record_of(
        words("Mira", "Tobin"), ":", SLOT,
        repeated=True, line_start=True, on_violation="silent",
    )
)  # fmt: skip
FORMS = {
    "cast": CAST,
    "ticket": TICKET,
    "card": CARD,
    "rows": ROWS,
    "rated": RATED,
    "parts": PARTS,
    "mail": MAIL,
    "sections": SECTIONS,
    "quote": QUOTE,
    "task_lines": TASK_LINES,
    "task_numbers": TASK_NUMBERS,
    "heading": HEADING,
    "fields": FIELDS,
    "step": STEP,
    "step_unread": STEP_UNREAD,
    "langchain": LANGCHAIN,
    "score": SCORE,
    "answer": ANSWER,
    "typed": TYPED,
    "review": REVIEW,
    "keep": KEEP,
    "pairs": PAIRS,
    "either_label": EITHER_LABEL,
    "dashes": DASHES,
    "address": ADDRESS,
    "fact": FACT,
    "verdict": VERDICT,
    "list": LIST,
    "yes_no": YES_NO,
    "kind": KIND,
    "approved": APPROVED,
    "page": PAGE,
    "count": COUNT,
    "price": PRICE,
    "day": DAY,
    "vat": VAT,
    "hint": HINT,
    "log": LOG,
    "chores": CHORES,
    "points": POINTS,
    "cards": CARDS,
    "glossary": GLOSSARY,
}
"""One template of each form, beside the lists of ``ALL``."""
