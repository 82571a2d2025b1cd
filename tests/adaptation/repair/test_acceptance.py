"""What the application reads is not changed; what it loses, cannot read or leaves empty is mended."""
# ruff: noqa: E501 - programs as they are

import itertools
import sys
import textwrap

import pytest

import knitbone
from knitbone.adaptation import report
from knitbone.adaptation.repair.acceptance import says_the_same
from knitbone.errors import RequirementViolation

HEADER = """
import enum, json, re
import knitbone
ANSWER = ""
@knitbone.source
def ask(prompt):
    return ANSWER
"""
_numbers = itertools.count()


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def run(source, answer, mode="repair"):
        name = f"accepting_{next(_numbers)}"
        names.append(name)
        path = tmp_path / f"{name}.py"
        path.write_text(HEADER + textwrap.dedent(source), encoding="utf-8")
        module = __import__(name)
        module.ANSWER = answer
        knitbone.adapt(mode=mode)(module.handle)
        return module.handle()

    yield run
    for name in names:
        sys.modules.pop(name, None)


GRADE = """
def handle():
    grade = ask("Grade from A to F").strip()
    if grade == "A":
        return 4.0
    elif grade == "B":
        return 3.0
    return 0.5
"""
RAISING = GRADE.replace("return 0.5", "raise ValueError(grade)")
ASKING = """
def handle():
    for attempt in range(2):
        grade = ask("Grade from A to F").strip()
        if grade in ("A", "B"):
            return grade
        if attempt:
            return None
"""
MOOD = """
class Mood(enum.Enum):
    GOOD = "good"
    BAD = "bad"
    OTHER = "other"
    @classmethod
    def _missing_(cls, value):
        return cls.OTHER
def handle():
    return Mood(ask("How do they feel?").strip()).name
"""
NUMBER_OR_TEXT = """
def handle():
    text = ask("How many?").strip()
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
"""
PERCENT = """
def handle():
    text = ask("How much, in percent?").strip()
    if text.endswith("%"):
        return "percent", float(text[:-1])
    return "share", float(text)
"""
JSON_OR_TEXT = """
def handle():
    text = ask("JSON or plain words")
    try:
        return json.loads(text)
    except ValueError:
        return {"text": text}
"""
JSON_OR_ERROR = JSON_OR_TEXT.replace('{"text": text}', '{"error": "unreadable"}')
DICTIONARY_OF_READERS = """
def number(text): return int(text)
def words(text): return text.split()
READERS = {"count": number, "list": words}
def other(): return READERS["count"](ask("How many?"))
def handle(): return READERS["list"](ask("Which ones?"))
"""
SHARED = """
def fetch(prompt, read=str.strip): return read(ask(prompt))
def yes(text): return {"yes": True, "no": False}[text.strip().lower()]
def check(): return fetch("Is it so?", yes)
def handle(): return fetch("Write a line")
"""
STEPS = """
def handle():
    found = {}
    for line in ask("The steps, as 1. ...").splitlines():
        number, _, step = line.partition(". ")
        if number.isdigit():
            found[int(number)] = step
    return {"steps": found, "last": max(found, default=0)}
"""
LABELS = """
def handle():
    title, score = "untitled", 3
    for line in ask("Title: ... Score: ...").splitlines():
        if line.startswith("Title:"):
            title = line[len("Title:"):].strip()
        elif line.startswith("Score:"):
            score = int(line[len("Score:"):])
    return title, score
"""
PARTS = """
def handle():
    return [part.strip() for part in ask("three drafts, separated by ###").split("###") if part.strip()]
"""
FIRST_AND_REST = """
def handle():
    first, _, rest = ask("drafts, separated by ***").partition("***")
    return first.strip(), rest.split("***")
"""
NUMBERED = """
def handle():
    text = ask("the steps as a numbered list")
    return [m.group(2) for m in re.finditer(r"^(\\d+)[.)]\\s+(.*\\S)", text, re.M)]
"""
ANY_JSON = """
def handle():
    try:
        value = json.loads(ask("any JSON value"))
    except ValueError:
        return "none"
    return type(value).__name__
"""
_OF_FENCES = 'Nested:\n````markdown\n```json\n{"a": 1}\n```\n````\nThat is all.'

ACCEPTED = [
    *(
        (GRADE, answer)
        for answer in ("A-", "A+", "a-", "not A", "A or B", "A, because", "A - good", "AB")
    ),
    *((MOOD, answer) for answer in ("good-", "not good", "goodish", "good or bad", "It is good")),
    *(
        (NUMBER_OR_TEXT, answer)
        for answer in ("12.", "$12", "1,000", "5%", "Answer: 42", "--5", "#1")
    ),
    *((PERCENT, answer) for answer in ("100%", "5 %", "+12%", "0.5")),
    *(
        (JSON_OR_TEXT, answer)
        for answer in ("{'a': 1}", '{"a": 1', 'The log has {"a": 1} in it.', "[x]")
    ),
    (DICTIONARY_OF_READERS, "12 apples"),
    *((SHARED, answer) for answer in ("Yes.", "**no**", "YES")),
    (STEPS, "1. a\n2. b\nNotes: 3) c"),
    (LABELS, "Title: x\nTitles: y"),
    (LABELS, "No title: x\nScore: 4"),
    (PARTS, "one F#\n\n###\n\ntwo\n\n# a note\n\n###\n\nthree"),
    *((FIRST_AND_REST, f"one A*{gap}two") for gap in (" ", "\n\n")),
    *((NUMBERED, f"2. a\n1. b\n{sub} c\n3. d") for sub in ("-", "   -", "   *")),
    (NUMBERED, "1. a\n   - b\n3. c"),
    (NUMBERED, "1. a\n   - 2) b"),
]
"""Programs with answers that they read, of which nothing is changed."""


@pytest.mark.parametrize(("source", "answer"), ACCEPTED)
def test_what_the_code_reads_reaches_it_as_it_is(source, answer, run, tmp_path):
    path = tmp_path / "plain_one.py"
    plain = {}
    exec(HEADER + textwrap.dedent(source), plain)
    plain["ANSWER"] = answer
    before = len(report().adaptations)
    assert run(source, answer) == plain["handle"]()
    assert len(report().adaptations) == before
    assert run(source, answer, mode="strict") == plain["handle"]()
    assert not path.exists()


PROSE = [
    "[x]",
    "See ![logo](a.gif) and\n[a, b](c) here.",
    "- [x] done\n- [ ] not",
    "It calls `int(parts[-1])`.\nThen it ends.",
    "The test:\n```python\nassert load(1) == []\n```\nGood luck!",
    '<ann> hello\n<bob> {"cmd": "quit"}\n<ann> bye',
    "1. One.\nNote: the comma in `{'a': 1,}` is legal in Python.\nThat is all.",
    _OF_FENCES,
]


@pytest.mark.parametrize("answer", PROSE)
def test_brackets_in_prose_are_no_json(answer, run):
    assert run(ANY_JSON, answer) == "none"


MENDED = [
    *((GRADE, answer, 4.0) for answer in ("a", "A.", '"A"', "**A**", "```\nA\n```")),
    *((RAISING, answer, 4.0) for answer in ("a", "Answer: A", "A, because it is well told")),
    (ASKING, "Answer: A", "A"),
    (MOOD, "Good.", "GOOD"),
    (JSON_OR_ERROR, '{"a": 1,}', {"a": 1}),
    (JSON_OR_ERROR, 'Here it is:\n```json\n{"a": 1}\n```', {"a": 1}),
    (STEPS, "1) a\n2) b", {"steps": {1: "a", 2: "b"}, "last": 2}),
    (STEPS, "1. a\n2) b", {"steps": {1: "a", 2: "b"}, "last": 2}),
    (LABELS, "**Title:** x\n**Score:** 4", ("x", 4)),
    (LABELS, "- Title: x\n- Score: 4", ("x", 4)),
    (FIRST_AND_REST, "one ** two", ("one", ["two"])),
    (NUMBERED, "1. a\n- b\n3. c", ["a", "b", "c"]),
    *(
        (ANY_JSON, answer, "list")
        for answer in ("[red, green]", "Here it is:\n[1, 2]", "```json\n[]\n```", "a[1] is: [2]")
    ),
    (ANY_JSON, 'Sure!\nThe value: {"a": 1}', "dict"),
]
"""Programs that raise, find nothing or lose a record, with what they shall find."""


@pytest.mark.parametrize(("source", "answer", "expected"), MENDED)
def test_what_the_code_loses_is_mended(source, answer, expected, run):
    assert run(source, answer) == expected


@pytest.mark.parametrize(("source", "answer"), [(RAISING, "A, because"), (STEPS, "1) a\n2) b")])
def test_what_is_not_read_is_no_less_a_violation(source, answer, run):
    with pytest.raises(RequirementViolation):
        run(source, answer, mode="strict")


COUNTED = """
def handle():
    text = ask("two sentences")
    return {"sentences": len(re.findall(r"[.!?]+(?:\\s|$)", text)), "words": len(text.split())}
"""
FOUND_OR_DEFAULT = """
def handle():
    found = re.search(r"^score: (\\d+)", ask("a line with score: N"), re.M)
    return int(found[1]) if found else 5
"""
READERS = """
READERS = {"score": float, "tags": lambda v: v.split(","), "comment": str.strip}
def handle():
    result = {}
    for line in ask("Score: ... Tags: ... Comment: ...").splitlines():
        key, _, value = line.partition(":")
        if reader := READERS.get(key.strip().lower()):
            result[key] = reader(value)
    return result
"""


@pytest.mark.parametrize(
    ("source", "answer", "expected"),
    [
        (COUNTED, "no end", {"sentences": 0, "words": 2}),
        (FOUND_OR_DEFAULT, "no number", 5),
        (READERS, "Score: 3\nComment: good", {"Score": 3.0, "Comment": "good"}),
    ],
)
def test_strict_raises_nothing_where_the_code_goes_on(source, answer, expected, run):
    assert run(source, answer, mode="strict") == expected


DOES_SOMETHING = """
DONE = []
def handle():
    {statement}
"""


@pytest.mark.parametrize(
    ("statement", "answer", "done"),
    [
        ('exec(ask("code"), {"DONE": DONE})', "```python\nDONE.append(1)\n```", [1]),
        ('exec(ask("code"), {"DONE": DONE})', "for i in [1]:\nDONE.append(i)", [1]),
        ('DONE.append(int(ask("a number")))', "**1**", [1]),
        ('DONE.extend(json.loads(ask("a list")))', "```json\n[1]\n```", [1]),
        (
            "import sqlite3; base = sqlite3.connect(':memory:'); "
            "DONE.extend(base.execute(ask('SQL'))); base.close()",
            "```sql\nSELECT 1\n```",
            [(1,)],
        ),
        (
            'import pathlib; pathlib.Path("x").exists() or DONE.append(int(ask("a number")))',
            "1.",
            [1],
        ),
    ],
)
def test_what_is_done_with_an_answer_needs_no_result(statement, answer, done, run):
    run(DOES_SOMETHING.replace("{statement}", statement), answer)
    (module,) = [m for name, m in sys.modules.items() if name.startswith("accepting_")]
    assert done == module.DONE


TWO_NUMBERS = """
def handle():
    data = json.loads(ask("an object with a and b"))
    return data["a"], int(data["b"])
"""


def test_a_repair_that_the_code_does_not_read_either_is_none(run):
    answer = '{"a": 1, "b": "many",}'
    with pytest.raises(ValueError, match=r"Expecting property name|Illegal trailing comma"):
        run(TWO_NUMBERS, answer)
    (record,) = [each for each in report().adaptations if each.before == answer]
    assert (record.action, record.after) == ("refused", None)


def test_code_that_cannot_be_followed_has_its_default_all_the_same(run):
    source = GRADE.replace(
        "def handle():", "import time\ndef handle():\n    if time.time() < 0: return 9"
    )
    followed_not = source.replace("return 0.5", "return 0.5 if time.time() > 0 else 1")
    assert run(followed_not, "A-") == 0.5
    assert run(followed_not, "a") == 4.0


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("**Yes**.", "yes", True),
        ("A-", "A", False),
        ("C++", "C", False),
        ("< 5", "5", False),
        ("é", "É", True),
        ("not yes", "yes", False),
        ("", "", True),
    ],
)
def test_marks_that_carry_meaning_are_part_of_a_text(text, other, same):
    assert says_the_same(text, other) is same


QUEUE = """
QUEUES = {"hardware": "workshop", "network": "cabling"}
DESK = "frontdesk"
def handle():
    text = ask("Which queue, and which priority?")
    READ
    return queue, int(priority)
"""
CUTS = (
    'kind, priority = [part.strip().lower() for part in text.split("/")]',
    'kind, _, priority = (part.strip().lower() for part in text.partition("/"))',
    'found = dict(line.split(": ", 1) for line in text.splitlines()); kind, priority = found["kind"], found["priority"]',
    'found = json.loads(text); kind, priority = found["kind"], found["priority"]',
)
TABLES = (
    'queue = QUEUES.get(kind, "frontdesk")',
    "queue = QUEUES.get(kind) or DESK",
    'queue = dict.get(QUEUES, kind, "frontdesk")',
)


@pytest.mark.parametrize("cut", range(len(CUTS)))
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("priority", ["2.", "**2**", "2"])
@pytest.mark.parametrize("kind", ["hardware", "printer"])
def test_a_repair_of_one_part_makes_no_default_of_another(run, cut, table, priority, kind):
    """Where the answer as it is raises, it does so as long as another part falls to a default."""
    source = QUEUE.replace("READ", CUTS[cut] + "\n    " + table)
    forms = ("{} / {}", "{} / {}", "kind: {}\npriority: {}", '{{"kind": "{}", "priority": "{}"}}')
    answer = forms[cut].format(kind, priority)
    known = kind == "hardware"
    try:
        made = run(source, answer)
    except ValueError:
        assert priority != "2"
        assert not known or priority == "**2**"
        return
    assert made == ("workshop" if known else "frontdesk", 2)
    assert known or priority == "2"


QUIZ = """
def handle():
    pairs = re.findall(r"^Q: (.+)\\nA: (.+)$", ask("Questions, each as two lines Q: and A:"), re.M)
    if len(pairs) != 2:
        raise ValueError(f"{len(pairs)} questions")
    return pairs
"""


@pytest.mark.parametrize("answers", sorted(set(itertools.permutations("QAAQ"))))
def test_an_answer_is_never_moved_to_another_question(answers, run):
    told = {"Q": iter(["first?", "second?"]), "A": iter(["one", "two"])}
    lines = [f"{label}: {next(told[label])}" for label in answers]
    if "".join(answers) in ("QAQA", "AQAQ"):  # both records drift alike, or not at all
        assert run(QUIZ, "\n".join(lines)) == [("first?", "one"), ("second?", "two")]
    else:
        with pytest.raises(ValueError, match="questions"):
            run(QUIZ, "\n".join(lines))


@pytest.mark.parametrize("mark", [": ", " = ", " : ", ":"])
def test_the_blank_beside_a_replaced_mark_is_no_part_of_the_value(mark, run):
    program = """
    def handle():
        values = {}
        for line in ask("The lines HOST=, PORT= and DEBUG=").strip().splitlines():
            key, equals, value = line.partition("=")
            if not equals or not key.isupper() or not key.isalpha():
                raise ValueError(line)
            values[key] = value
        return values["HOST"], int(values["PORT"]), values["DEBUG"]
    """
    answer = f"HOST{mark}db\nPORT{mark}54\nDEBUG{mark}1"
    try:
        assert run(program, answer) == ("db", 54, "1")
    except ValueError:
        assert "=" in mark  # loud, as before


OFFERS = """
def handle():
    matches = [
        re.match(r"^(\\d+)\\. (.+) - (\\d+(?:\\.\\d\\d)?)$", line)
        for line in ask("Offers, each as 1. title - price").splitlines()
    ]
    return [(m[2], float(m[3])) for m in matches if m]
"""


@pytest.mark.parametrize("mark", [":", "-", "\u2013", "/", "="])
@pytest.mark.parametrize(
    "word", ["Lunch at 12{}30", "Boeing{}747", "Day 2024{}05{}12", "Score 2{}1"]
)
def test_a_mark_within_a_word_parts_no_slots(mark, word, run):
    lines = [f"1. {word.replace('{}', mark)}", "2. Chair: 49.50", "3. Lamp - 20"]
    read = run(OFFERS, "\n".join(lines))
    assert set(read) <= {("Chair", 49.5), ("Lamp", 20.0)}


@pytest.mark.parametrize(
    "code", ['.split("ANSWER:")[1]', '.rsplit("ANSWER:", 1)[1]', '.partition("ANSWER:")[2]']
)
@pytest.mark.parametrize("first", ["Answer", "The answer", "**Answer**", "answer"])
@pytest.mark.parametrize("last", ["Answer", "Final answer", "ANSWER"])
def test_of_two_answers_none_is_chosen_by_their_spelling(code, first, last, run):
    answer = f"{first}: 4\nNo wait.\n{last}: 5"
    try:
        read = run(
            f"def handle():\n    return ask('Write ANSWER: and the answer'){code}.strip()", answer
        )
    except IndexError:
        return
    assert read in ("", "5")  # what the code reads by itself


@pytest.mark.parametrize("amount", ["(12.50)", "($12.50)", "(€ 1,250)", "Total: ($3.20)"])
def test_an_amount_in_parentheses_may_be_negative_and_is_refused(amount, run):
    with pytest.raises(ValueError, match="could not convert"):
        run("def handle():\n    return float(ask('The amount'))", amount)
