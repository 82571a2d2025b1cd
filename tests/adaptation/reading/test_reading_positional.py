"""Fixed texts and slots, from expressions, cuts, comparisons and ready-made parsers."""

import re

import pytest
from use_trees import described, read

from knitbone.adaptation.requirements.file import decode, encode
from knitbone.adaptation.testing import Computed, PositionalTemplate, Shape, Unknown

MULTILINE, DOTALL = int(re.MULTILINE), int(re.DOTALL)
AT = Computed("start")
LENGTHS = {mark: Computed(f"len('{mark}')") for mark in ("Title:", "Pages:")}
REACT = r"Action\s*\d*\s*:[\s]*(.*?)[\s]*Action\s*\d*\s*Input\s*\d*\s*:[\s]*(.*)"
AFTER_ACTION = ("getitem", 1, [(".split", "Action Input:", [("getitem", 0)])])

PATTERNS = {
    "numbered": (r"^\d+\.\s+(.*)$", 'one record a line: <number> "." <text>'),
    "react": (
        REACT,
        'records: "Action" [<number>] ":" <text> "Action" [<number>] "Input" [<number>] ":" <text>',
    ),
    "tags": (r"<answer>(.*?)</answer>", 'records: "<" "answer" ">" <text> "</" "answer" ">"'),
    "look-behind": (r"(?<=Answer: )(.*)", 'records: "Answer" ":" <text>'),
    "look-ahead": (r"Title: (.*?)(?=Body:|$)", 'records: "Title" ":" <text>'),
    "number": (r"\d+", "records: <number>"),
    "score": (r"(\d+)/10", 'records: <number> "/" "10"'),
    "named": (r"Score: (?P<score>.+)", 'records: "Score" ":" <text>'),
    "decimals": (r"(-?\d+(?:\.\d+)?)", "records: <number>"),
    "one of": (r"\b(yes|no)\b", 'records: ("yes" or "no")'),
    "common start": (r"^(?:Task|Test) (.+)", 'one record a line: ("Task" or "Test") <text>'),
    "repeated": (r"(?:\w+, )+and (.*)", 'records: <text> "and" <text>'),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_an_expression_tells_its_fixed_texts_and_slots(name):
    pattern, expected = PATTERNS[name]
    assert described([("re.findall", pattern, MULTILINE | DOTALL)]) == [expected]


CUTS = {
    "behind a mark": ([(".split", "Answer:", [("getitem", 1)])], 'one record: "Answer" ":" <text>'),
    "between marks": (
        [(".split", "Action:", [AFTER_ACTION])],
        'one record: "Action" ":" <text> "Action Input" ":"',
    ),
    "three cuts, one record": (
        [
            (
                ".split",
                "Thought:",
                [("getitem", 1, [(".split", "Action:", [("getitem", 0)])])],
            ),
            (".split", "Action:", [AFTER_ACTION]),
            (".split", "Action Input:", [("getitem", 1)]),
        ],
        'one record: "Thought" ":" <text> "Action" ":" <text> "Action Input" ":" <text>',
    ),
    "partition, first part converted": (
        [(".partition", ":", [("unpack", 0, 3, [("int",)]), ("unpack", 2, 3)])],
        'one record: <integer> ":" <text>',
    ),
    "startswith and the rest": (
        [(".startswith", "Answer:"), (".removeprefix", "Answer:")],
        'one record: "Answer" ":" <text>',
    ),
    "startswith and a slice, converted": (
        [(".startswith", "Score: "), ("slice", 7, None, None, [("int",)])],
        'one record: "Score" ":" <integer>',
    ),
    "positions": (
        [(".find", "Title:"), (".find", "Body:"), ("slice", AT, AT, None)],
        'one record: "Title" ":" <text> "Body" ":" <text>',
    ),
    "positions of tags": (
        [(".index", "<quote>"), (".index", "</quote>"), ("slice", AT, AT, None)],
        'one record: "<" "quote" ">" <text> "</" "quote" ">"',
    ),
    "lines by their marks": (
        [
            (
                ".splitlines",
                [
                    (
                        "iterate",
                        [
                            (".startswith", "Title:"),
                            ("slice", 6, None, None),
                            (".startswith", "Body:"),
                            ("slice", 5, None, None),
                        ],
                    )
                ],
            )
        ],
        'records: "Title" ":" <text> "Body" ":" <text>',
    ),
    "lines by their marks, one of them converted": (
        [
            (
                ".splitlines",
                [
                    (
                        "iterate",
                        [
                            (".startswith", "Title:"),
                            ("slice", LENGTHS["Title:"], None, None),
                            (".startswith", "Pages:"),
                            ("slice", LENGTHS["Pages:"], None, None, [("int",)]),
                            (".startswith", "Price:", {"line": 8}),
                            ("slice", 6, None, None, {"line": 9}),
                        ],
                    )
                ],
            )
        ],
        'records: "Title" ":" <text> "Pages" ":" <integer> "Price" ":" <text>',
    ),
    "lines of either mark": (
        [
            (
                ".splitlines",
                [
                    (
                        "iterate",
                        [
                            (".startswith", "Fact:"),
                            ("slice", 5, None, None, [("?.append",)]),
                            (".startswith", "Guess:"),
                            ("slice", 6, None, None, [("?.append",)]),
                        ],
                    )
                ],
            )
        ],
        'one record a line: ("Fact" ":" or "Guess" ":") <text>',
    ),
    "headings and bullets, joined again": (
        [
            (
                ".split",
                "\n",
                [
                    (
                        "iterate",
                        [
                            (".startswith", "#"),
                            (".count", "#", [("concat", "", 1)]),
                            (".startswith", "-"),
                            ("slice", 1, None, None, [("join", "\n")]),
                            ("join", "\n"),
                        ],
                    )
                ],
            )
        ],
        'one record a line: ("#" or "-") <text>',
    ),
    "level of a heading": (
        [
            (
                ".split",
                "\n",
                [("iterate", [(".count", "#", [("gt", 0)]), (".strip", "# ", [("?.append",)])])],
            )
        ],
        'one record a line: "#" <text>',
    ),
    "starts tried in turn": (
        [
            (".startswith", "insert"),
            (".startswith", "step:"),
            (".removeprefix", "step:", [("?.visit",)]),
        ],
        'one record: ("insert" or "step" ":") <text>',
    ),
    "positions of other characters": (
        [(".find", "Hint:"), (".find", "##"), ("slice", AT, AT, None)],
        'one record: "Hint" ":" <text> "##" <text>',
    ),
    "cuts without a mark in common": (
        [(".split", "B:", [("getitem", 1)]), (".split", "C:", [("getitem", 1)])],
        'one record: "B" ":" <text>',
        'one record: "C" ":" <text>',
    ),
    "a list behind a mark": (
        [(".split", "Steps:", [("getitem", 1, [(".splitlines", [("len",)])])])],
        'one record: "Steps" ":" <items separated by "\\n">',
    ),
    "a list that is handed on": ([(".splitlines",)], 'items separated by "\\n"'),
    "lines used one by one, and joined": (
        [(".splitlines", [("iterate", [("shop.order",), ("join", ", ")])])],
        'items separated by "\\n"',
    ),
    "brackets around data": (
        [(".find", "{"), (".rfind", "}"), ("slice", AT, AT, None, [("json.loads",)])],
        "JSON: any",
    ),
    "numbered lines": (
        [
            (
                ".splitlines",
                [
                    (
                        "iterate",
                        [
                            (
                                ".split",
                                ". ",
                                1,
                                [("unpack", 0, 2, [(".isdigit",)]), ("unpack", 1, 2)],
                            )
                        ],
                    )
                ],
            )
        ],
        'one record a line: <number> "." <text>',
    ),
    "a list": ([(".split", ",", [("iterate", [(".strip",)])])], 'items separated by ","'),
    "a list of numbers": (
        [(".split", ",", [("iterate", [("int",)])])],
        'items of <integer> separated by ","',
    ),
    "a list of any length": (
        [(".split", " | ", [("unpack", 0, None), ("unpack", 1, None)])],
        'items separated by " | "',
    ),
    "a label before the cut that the code takes off": (
        [
            (
                ".partition",
                "Body:",
                [("unpack", 0, 3, [(".replace", "To:", "", [("print",)])]), ("unpack", 2, 3)],
            )
        ],
        'one record: ["To"] [":"] <text> "Body" ":" <text>',
    ),
    "a part that is cut at its own mark": (
        [
            (
                ".split",
                ":",
                [("unpack", 0, 2, [(".split", ":", [("getitem", 1)])]), ("unpack", 1, 2)],
            )
        ],
        'one record: <text> ":" <text>',
    ),
    "a list by lines": ([(".splitlines", [("iterate",)])], 'items separated by "\\n"'),
    "re.split at numbers": (
        [("re.split", r"\n\d+\.\s", 0, [("iterate",)])],
        'records: <number> "." <text>',
    ),
    "re.split at commas": ([("re.split", r",\s*", 0, [("iterate",)])], 'items separated by ","'),
    "paragraphs": ([(".split", "\n\n", [("iterate",)])], 'items separated by "\\n\\n"'),
    "number before a mark": (
        [(".split", "/", [("getitem", 0, [("int",)])])],
        'one record: <integer> "/"',
    ),
    "three parts of a line": (
        [(".split", "|", [("unpack", 0, 3), ("unpack", 1, 3, [("float",)]), ("unpack", 2, 3)])],
        'one record: <text> "|" <number> "|" <text>',
    ),
    "a record in each block": (
        [
            (
                ".split",
                "###",
                [("iterate", [(".split", "Answer:", [("unpack", 0, 2), ("unpack", 1, 2)])])],
            )
        ],
        'items separated by "###"',
        'records: <text> "Answer" ":" <text>',
    ),
    "parse": ([("parse.parse", "{name}: {count:d}")], 'one record: <text> ":" <integer>'),
}


@pytest.mark.parametrize("name", CUTS)
def test_cuts_of_one_text_are_one_record(name):
    uses, *expected = CUTS[name]
    assert described(uses) == expected


VALUES = {
    "compared": ([(".strip", [(".lower", [("eq", "yes"), ("eq", "no")])])], 'one of "yes", "no"'),
    "one of": ([("in", ("YES", "NO"))], 'one of "YES", "NO"'),
    "enumeration": (
        [(".lower", [("construct", Shape(type="string", values=("good", "bad")))])],
        'one of "good", "bad"',
    ),
    "found": ([("contains", "DONE")], 'one record: <text> "DONE" <text>'),
    "first": ([(".startswith", ("YES", "NO"))], 'one record: ("YES" or "NO") <text>'),
    "integer": ([(".strip", [("int",)])], "number <integer>"),
    "number": ([("float",)], "number <number>"),
    "date": ([("datetime.datetime.strptime", "%Y-%m-%d")], "date"),
}


@pytest.mark.parametrize("name", VALUES)
def test_an_output_that_is_one_value(name):
    uses, expected = VALUES[name]
    assert described(uses) == [expected]


PARSERS = {
    "CommaSeparatedListOutputParser": 'items separated by ","',
    "NumberedListOutputParser": 'one record a line: <number> "." <text>',
    "MarkdownListOutputParser": 'one record a line: ("-" or "*") <text>',
    "BooleanOutputParser": 'one of "YES", "NO"',
    "DatetimeOutputParser": "date",
    "ReActSingleInputOutputParser": (
        'one record: ("Action" ":" <text> "Action Input" ":" <text> or "Final Answer" ":" <text>)'
    ),
}


@pytest.mark.parametrize("name", PARSERS)
def test_parsers_of_langchain(name):
    assert described([(f"langchain.output_parsers.{name}().parse",)]) == [PARSERS[name]]
    assert described([(f"langchain.output_parsers.{name}",)]) == [PARSERS[name]]


def test_a_parser_with_settings():
    regex = {"settings": {"regex": r"Score: (\d+)"}}
    assert described([("langchain.output_parsers.RegexParser().parse", regex)]) == [
        'one record: "Score" ":" <number>'
    ]
    enum = {"settings": {"enum": ("red", "blue")}}
    assert described([("langchain.output_parsers.EnumOutputParser().parse", enum)]) == [
        'one of "red", "blue"'
    ]


NOTHING = {
    "only trimmed": [(".strip", [(".lower",)])],
    "cut off at a mark": [(".split", "Observation:", [("getitem", 0)])],
    "measured": [("len",), (".split", [("len",)]), (".splitlines", [("len",)])],
    "lines trimmed and joined": [
        (".splitlines", [("iterate", [(".strip", [("join", "\n")])])]),
    ],
    "compared with nothing": [("eq", ""), ("contains", "\n")],
    "what was thought": [(".split", "</think>", [("getitem", -1, [(".strip",)])])],
    "every word looked at": [(".split", [("iterate", [("eq", "yes")])])],
    "first line": [(".split", "\n", [("getitem", 0)])],
    "a prefix, if there is one": [
        ("contains", "Answer:"),
        (".find", "Answer:"),
        ("slice", AT, None, None, [(".strip", [("keyed", "answer", {"line": 50})])]),
        (".strip", [("keyed", "answer", {"line": 50})]),
    ],
    "an introduction, if there is one": [
        ("contains", "Answer:"),
        (".split", "Answer:", [("getitem", 1, [("keyed", "answer", {"line": 50})])]),
        ("keyed", "answer", {"line": 50}),
    ],
    "lines left out by a word": [
        (
            ".splitlines",
            [
                ("iterate", [("contains", "In summary"), ("join", "\n")]),
                ("iterate", [(".strip", [("eq", "root")])]),
            ],
        )
    ],
    "the end of the last sentence": [
        ("re.finditer", r"([.!?])\s*", 0, [("list", [("getitem", -1, [(".end",)])])]),
        ("slice", None, AT, None),
    ],
    "lines of one kind left out": [
        (".splitlines", [("iterate", [(".startswith", "#"), ("join", "\n")])])
    ],
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_demands_nothing_is_no_requirement(name):
    assert described(NOTHING[name]) == []


UNKNOWN = {
    "computed pattern": ([("re.search", AT)], "the pattern is computed at run time"),
    "computed flags": ([("re.search", "a: (.*)", AT)], "the flags of the pattern are computed"),
    "no fixed part": ([("re.findall", r"\w+")], "the pattern has no fixed part"),
    "broken": ([("re.findall", "(")], "not a valid regular expression"),
    "joined": ([("concat", "- ", "", [("json.loads",)])], "it is joined with other text before"),
    "joined by the code, then cut there": (
        [(".splitlines", [("iterate", [("join", " > ", [(".split", " > ", [("getitem", 1)])])])])],
        "it is joined with other text before",
    ),
    "computed texts": ([("in", AT)], "the accepted texts are computed at run time"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_be_read_is_said(name):
    uses, reason = UNKNOWN[name]
    (found,) = read(uses)
    assert isinstance(found, Unknown)
    assert reason in found.reason


def test_a_flat_expression_can_be_replayed():
    line = ("iterate", [(".strip", [("re.match", r"(\d+)\. (.+)", 0, [("truth",)])])])
    (found,) = read([(".splitlines", [line])])
    assert isinstance(found, PositionalTemplate)
    assert found.reader is not None
    assert found.reader.read("1. a\nx\n2. b") == [("1", "a"), ("2", "b")]
    assert (found.repeated, found.confidence) == (True, "high")


def test_a_numbered_split_can_be_replayed():
    split = (".split", ". ", 1, [("unpack", 0, 2, [(".isdigit",)]), ("unpack", 1, 2)])
    (found,) = read([(".splitlines", [("iterate", [split])])])
    assert found.reader.read("1. a\nx\n2. b") == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    "uses",
    [
        [("re.search", REACT, DOTALL)],  # two slots over lines: cubic
        [("re.sub", "x", "y", [("re.findall", r"^\d+\. (.*)$", MULTILINE)])],
        [("json.loads", [("getitem", "plan", [("re.findall", r"\d+\. (.*)")])])],
    ],
)
def test_what_cannot_be_replayed_exactly_is_not_repaired(uses):
    found = [r for r in read(uses) if isinstance(r, PositionalTemplate)]
    assert [r.reader for r in found] == [None]


def test_cuts_with_a_mark_in_common_are_one_record_with_the_first_evidence():
    uses = [
        (".split", "B:", {"line": 40}, [("getitem", 1, [(".split", "C:", [("getitem", 0)])])]),
        (".split", "C:", {"line": 44}, [("getitem", 1)]),
    ]
    (found,) = read(uses)
    assert found.evidence.line == 40


def _line_of_three(*tests):
    parts = [("unpack", place, 3) for place in range(3)]
    line = [*tests, (".split", "|", parts)]
    (template,) = read([(".splitlines", [("iterate", line)])])
    return template


def test_a_loop_that_asks_whether_a_line_holds_anything_skips_blank_ones():
    assert _line_of_three((".strip", [("truth",)])).skips_blank
    assert not _line_of_three().skips_blank


def test_a_number_that_is_asked_for_its_digits_stands_alone():
    def numbered(*below):
        parts = [("unpack", 0, 3, [*below]), ("unpack", 2, 3)]
        (template,) = read([(".splitlines", [("iterate", [(".partition", ". ", parts)])])])
        return template.reader

    assert numbered((".isdigit",), ("int",)).digits
    assert not numbered(("int",)).digits


def test_a_split_with_a_group_is_sure():
    (kept,) = read([("re.split", r"^## (.+)$", MULTILINE, [("getitem", 1)])])
    (dropped,) = read([("re.split", r"^## .+$", MULTILINE, [("getitem", 1)])])
    assert (kept.confidence, dropped.confidence) == ("high", "medium")


def test_the_name_of_the_first_part_tells_that_a_line_is_numbered():
    def numbered(mark, name):
        parts = [("getitem", 0, [(".strip", [("named", name)])]), ("getitem", 1)]
        (found,) = read([(".splitlines", [("iterate", [(".split", mark, 1, parts)])])])
        return found

    found = numbered(".", "task_id")
    assert found.reader.read("1. a\nwhat. b") == [("1", " a")]
    assert found.confidence == "medium"
    assert numbered(":", "task_id").reader is None


def test_a_dictionary_that_is_written_out_tells_its_keys():
    (found,) = read([(".strip", [("index", ("publish", "wait"))])])
    assert found.elements[0].options == ("publish", "wait")
    assert found.confidence == "medium"
    assert not read([("index",)])


def test_what_must_not_be_there_is_no_demand_beside_another_reading():
    lines = (".splitlines", {"line": 9}, [("iterate", [("?.append",)])])
    assert described([("ne", "None", {"line": 8}), lines]) == ['items separated by "\\n"']
    assert described([("ne", "None", {"line": 8})]) == ['"None"']


def test_a_part_that_is_compared_with_one_text_may_be_that_text():
    uses = [(".partition", "Torque:", [("unpack", 2, 3, [(".strip", [("eq", "none")])])])]
    assert described(uses) == ['one record: "Torque" ":" <text>', '"none"']


def test_two_splits_of_a_numbered_line_are_read_at_the_longer_mark():
    first = (".split", ".", [("getitem", 0, [(".isdigit",)])])
    second = (".split", ". ", [("getitem", 1)])
    for splits in ([first, second], [second, first]):
        (found,) = read([(".split", "\n", [("iterate", splits)])])
        assert [e.kind for e in found.elements] == ["number", "delimiter", "space", "slot"]
        assert found.reader.read("1. a\nb\n2. c") == [("1", "a"), ("2", "c")]


def test_what_happens_otherwise_is_kept():
    (found,) = read([("re.search", "A: (.*)", {"on_violation": "raises"})])
    assert found.on_violation == "raises"
    (found,) = read([("re.findall", "A: (.*)", {"on_violation": "silent"})])
    assert found.on_violation == "silent"
    (found,) = read([("re.findall", "A: (.*)")])
    assert found.on_violation == "unknown"


def test_a_doubtful_site_gives_no_sure_requirement():
    (found,) = read([("re.findall", "A: (.*)")], confidence="medium")
    assert found.confidence == "medium"


def test_a_single_comparison_may_be_a_refusal_and_is_not_sure():
    (found,) = read([("contains", "sorry")])
    assert found.confidence == "medium"


def test_a_group_that_the_code_compares_has_these_spellings():
    compared = (".group", 1, [("eq", "search"), ("eq", "finish")])
    (found,) = read([("re.search", r"Action: (.+)", 0, [compared])])
    assert found.elements[-1].options == ("search", "finish")
    assert described([("re.search", r"Action: (.+)", 0, [compared])]) == [
        'one record: "Action" ":" ("search" or "finish")'
    ]


def test_requirements_stand_in_the_order_of_the_source():
    uses = [
        (".split", "Final Answer:", {"line": 3}, [("getitem", -1)]),
        ("re.search", r"Action: (.*)", {"line": 2}),
        ("json.loads", {"line": 1}),
    ]
    assert [r.evidence.line for r in read(uses)] == [1, 2, 3]


def test_a_part_counted_from_the_end_is_not_sure_because_the_mark_may_be_missing():
    (behind,) = read([(".split", "Answer:", [("getitem", -1)])])
    (second,) = read([(".split", "Answer:", [("getitem", 1)])])
    assert (behind.confidence, second.confidence) == ("medium", "high")


def test_an_expression_that_reads_lines_or_the_whole_is_one_requirement():
    parts = [("getitem", 0, {"line": 6}, [(".isdigit", {"line": 6})]), ("getitem", 1, {"line": 7})]
    split = (".split", ".", 1, {"line": 5}, parts)
    (found,) = read([(".splitlines", [("iterate", [split])]), split])
    assert found.reader is not None


def test_a_repeated_group_is_content_only_beside_words():
    (found,) = read([("re.findall", r"(\w+\s*)+:")])
    assert found == Unknown(reason="a repeated group is not read yet", evidence=found.evidence)
    (found,) = read([("re.findall", r"(\w+\s*)+: done")])
    assert found.confidence == "medium"


def test_texts_that_are_looked_for_to_cut_there_are_no_answer():
    marks = ("[yes]:", "[no]:")
    find = (".find", marks, {"line": 2})
    assert read([("contains", marks, {"line": 1}), find, ("slice", AT, None, None)]) == ()
    assert described([("contains", marks)]) == ['one record: <text> ("[yes]:" or "[no]:") <text>']


def test_a_look_inside_and_one_at_the_start_are_two():
    inside = ("contains", "nothing to do", {"line": 1})
    start = (".startswith", "no", {"line": 4})
    assert described([inside, start]) == [
        'one record: <text> "nothing to do" <text>',
        'one record: "no" <text>',
    ]
    assert len(read([inside, (".startswith", "no", {"line": 1})])) == 1


def test_an_end_that_is_cut_off_where_it_stands_demands_nothing():
    run = ("exec", {"line": 9})
    cut = (".split", "Result:", {"line": 6}, [("getitem", 0, [run])])
    assert described([("contains", "Result:", {"line": 5}), cut, run]) == ["Python"]


def test_lines_that_are_keys_of_a_dictionary():
    look = ("iterate", [("index", ("1", "0"))])
    (found,) = read([(".split", "\n", [look])])
    assert (found.separator, found.elements[0].options) == ("\n", ("1", "0"))


def _named(*readers, name=(), value=(), test=()):
    """``fields[name] = value`` of each line, and the keys that are looked for."""
    keys = [("key", key, required) for key, required in readers]
    fields = [("field", key, list(value)) for key, _ in readers]
    for step in reversed(name):
        keys = [(*step, keys)]
    split = (".split", ":", 1, [("unpack", 0, 2, keys), ("unpack", 1, 2, fields)])
    return [(".splitlines", [("iterate", [*test, split])])]


def test_the_keys_of_a_dictionary_are_the_names_of_the_lines():
    uses = _named(("Title", True), ("Note", False))
    assert described(uses) == ['named lines: "Title" ":" <text> "Note" ":" [<text>]']
    (found,) = read(uses)
    assert found.keyed
    assert found.replay.method == "split"
    assert found.replay.read("Title: a\nx\nNote: b") == [("Title", " a"), ("Note", " b")]


def test_lines_without_the_mark_are_passed_over_where_the_code_asks_for_it():
    (found,) = read(_named(("Title", True), test=[("contains", ":")]))
    assert found.replay.method == "partition"


def test_a_name_is_looked_up_as_the_code_changes_it():
    steps = [(".strip",), (".lower",), (".replace", " ", "_")]
    (found,) = read(_named(("due_date", True), name=steps))
    assert found.ignore_case
    assert [element.text for element in found.elements][:2] == ["due date", ":"]
    assert found.replay.name_of((" Due Date ", "")) == "due_date"


def test_what_is_done_with_a_field_types_its_slot():
    (found,) = read(_named(("Score", True), value=[("int",)]))
    assert found.elements[-1].type == "integer"
    (found,) = read(_named(("Level", True), value=[("index", ("low", "high"))]))
    assert found.elements[-1].options == ("low", "high")
    (found,) = read(_named(("Level", True), value=[(".lower", [("in", ("low", "high"))])]))
    assert found.elements[-1].options == ()


def test_an_enumeration_made_of_a_value_names_its_choices():
    enum = Shape(type="string", values=("low", "high"))
    (found,) = read(_named(("Level", True), value=[("construct", enum)]))
    assert found.elements[-1].options == ("low", "high")


def test_what_reads_one_line_of_an_answer_is_known_as_that():
    look = ("re.fullmatch", r"(fix|feat)\((\w+)\)", 0, [(".group", 2)])
    (found,) = read([(".splitlines", [("getitem", -1, [look])])])
    assert found.reader is None
    assert found.inside.read("fix(parser)") == [("fix", "parser")]
    assert found.inside.steps == ()
    (entry,) = decode(encode((found,)), default_evidence=found.evidence)
    assert entry == found


def test_two_groups_with_a_mark_between_them_are_name_and_value():
    groups = [
        ("iterate", [(".group", 1, [("key", "Title", True)]), (".group", 2, [("field", "Title")])])
    ]
    uses = [("re.finditer", r"^(\w+):\s*(.+)$", MULTILINE, groups)]
    assert described(uses) == ['named lines: "Title" ":" <text>']


@pytest.mark.parametrize(
    "name",
    [[(".translate", "x")], [("slice", 2, None)], [("concat", "a", "")]],
    ids=["translated", "cut", "joined"],
)
def test_a_name_that_is_changed_otherwise_is_not_followed(name):
    assert not any(getattr(r, "keyed", False) for r in read(_named(("Title", True), name=name)))


@pytest.mark.parametrize("place", [0, -1])
def test_one_line_is_compared_as_a_text_is(place):
    compared = ("getitem", place, [(".strip", [("in", ("YES", "NO"))])])
    (found,) = read([(".splitlines", [compared])])
    assert [element.options for element in found.elements] == [("YES", "NO")]
    assert not found.repeated
    assert [step.name for step in found.steps] == ["splitlines", "getitem", "strip"]


def test_a_loop_that_compares_its_lines_only_sifts_them():
    (found,) = read([(".splitlines", [("iterate", [("in", ("YES", "NO"))])])])
    assert not any(element.options for element in found.elements)


ROW = (".split", ";", [("unpack", 0, 2), ("unpack", 1, 2, [("int",)])])


@pytest.mark.parametrize(
    ("idiom", "uses", "wanted"),
    [
        ("", [("iterate", [ROW])], 0),
        ("slice", [("slice", 1, None, None, [("iterate", [ROW])])], 1),
        ("slice", [("slice", 2, None, None, [("iterate", [ROW])])], 2),
        ("slice", [("iterate", [ROW])], -1),
        ("taken", [(".pop", 0), ("iterate", [ROW])], 1),
        ("taken", [("iterate",), ("iterate", [ROW])], 1),
        ("taken", [("iterate", [ROW])], -1),
        ("counted", [("iterate", [ROW])], -1),
        ("slice taken", [("slice", 1, None, None, [("iterate", [ROW])])], -1),
    ],
)
def test_lines_that_the_code_passes_over_by_their_place(idiom, uses, wanted):
    settings = {"settings": {"passing_over": idiom}} if idiom else {}
    (found,) = read([(".splitlines", settings, uses)])
    assert found.passed_over == wanted
