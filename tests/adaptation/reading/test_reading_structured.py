"""Formats, keys and types; fences; interpreters; and what stands inside one another."""

import re

import pytest
from use_trees import described, read

from knitbone.adaptation.testing import Computed, Field, Shape, Unknown

DOTALL = int(re.DOTALL)
AT = Computed("start")
RAISES = {"on_violation": "raises"}
PERSON = Shape(
    type="object",
    name="Person",
    fields=(
        Field(name="name", shape=Shape(type="string")),
        Field(name="age", shape=Shape(type="integer"), required=False),
    ),
)
TEAM = Shape(
    type="object",
    name="Team",
    fields=(Field(name="people", shape=Shape(type="array", items=PERSON)),),
)
A = Field(name="a", shape=Shape())
B = Field(name="b", shape=Shape())
SCHEMA = (
    (
        "properties",
        (
            ("a", (("type", "integer"),)),
            ("b", (("items", (("type", "string"),)), ("type", "array"))),
        ),
    ),
    ("required", ("a",)),
    ("type", "object"),
)
QTY = ("getitem", "items", [("getitem", 0, [("getitem", "qty", [("int",)])])])

CLAIM = Shape(
    type="object",
    name="Claim",
    fields=(
        Field(name="peril", shape=Shape(type="string", values=("fire", "theft"))),
        Field(name="day", shape=Shape(type="date")),
        Field(name="item", shape=PERSON),
    ),
)
SEVERITY = ("index", ("low", "high"))

STRUCTURED = {
    "an answer whose first character the code has given": (
        [("concat", "{", "", [("json.loads", [("getitem", "a")])])],
        ["JSON: object {a}"],
    ),
    "what is made of a declared field is no data": (
        [
            (
                "json.loads",
                [
                    (
                        "annotate",
                        CLAIM,
                        [
                            ("getattr", "peril", [("getattr", "name")]),
                            ("getattr", "day", [("getattr", "month")]),
                            ("getattr", "item", [("getattr", "age")]),
                        ],
                    )
                ],
            )
        ],
        [
            'JSON: Claim {peril: one of "fire", "theft", day: date, '
            "item: Person {name: string, age?: integer}}"
        ],
    ),
    "looked up in a dictionary": (
        [("json.loads", [("getitem", "a", [SEVERITY])])],
        ['JSON: object {a: one of "low", "high"}'],
    ),
    "looked up in two dictionaries": (
        [("json.loads", [("getitem", "a", [SEVERITY, ("index", ("high", "top", "low"))])])],
        ['JSON: object {a: one of "low", "high"}'],
    ),
    "looked up in a dictionary, compared too": (
        [("json.loads", [("getitem", "a", [("eq", "high"), SEVERITY])])],
        ['JSON: object {a: one of "low", "high"}'],
    ),
    "looked up where the error is caught": (
        [("json.loads", [("getitem", "a", [("index", ("x", "y"), {"on_violation": "handled"})])])],
        ["JSON: object {a}"],
    ),
    "sought before it is looked up": (
        [("json.loads", [("getitem", "a", [("in", Computed("LEVELS")), SEVERITY])])],
        ["JSON: object {a}"],
    ),
    "looked up by numbers": (
        [("json.loads", [("getitem", "a", [("index", (1, 2))])])],
        ["JSON: object {a}"],
    ),
    "a truth value": (
        [("json.loads", [("getitem", "a", [("is", True)]), (".get", "b", [("is", False)])])],
        ["JSON: object {a: boolean or null, b?: boolean or null}"],
    ),
    "keys and conversions": (
        [("json.loads", [QTY, (".get", "note")])],
        ["JSON: object {items: array of object {qty: integer-like}, note?}"],
    ),
    "nothing by key": ([("json.loads",)], ["JSON: any"]),
    "a loop": (
        [("json.loads", [("iterate", [("getitem", "a", [(".lower",)])])])],
        ["JSON: array of object {a: string}"],
    ),
    "a loop with numbers": (
        [("json.loads", [("enumerate", [("iterate", [("unpack", 1, 2, [("getitem", "a")])])])])],
        ["JSON: array of object {a}"],
    ),
    "asked before": (
        [("json.loads", [("contains", "a"), ("getitem", "a")])],
        ["JSON: object {a?}"],
    ),
    "asked in the same expression": (
        [("json.loads", [("getitem", "a", {"line": 7}), ("contains", "a", {"line": 8})])],
        ["JSON: object {a?}"],
    ),
    "entries without the key are left out": (
        [("json.loads", [("getitem", "a", {"line": 7}), ("contains", "a", {"line": 70})])],
        ["JSON: object {a}"],
    ),
    "read once behind no question": (
        [
            (
                "json.loads",
                [
                    ("getitem", "a", {"line": 7}),
                    ("contains", "a", {"line": 70}),
                    ("getitem", "a", {"line": 71}),
                ],
            )
        ],
        ["JSON: object {a}"],
    ),
    "a place in a list": (
        [("json.loads", [("getitem", "a", [("lt", Computed("len(tools)")), ("index",)])])],
        ["JSON: object {a: integer}"],
    ),
    "checked to be a whole number": (
        [("json.loads", [("getitem", "a", [("isinstance", Computed("int")), ("gt", 0)])])],
        ["JSON: object {a: integer}"],
    ),
    "a place or a key": (
        [("json.loads", [("getitem", "a", [("index",)])])],
        ["JSON: object {a}"],
    ),
    "joined with others": (
        [("json.loads", [("getitem", "a", [("join", ", ")])])],
        ["JSON: object {a: string}"],
    ),
    "items joined": (
        [("json.loads", [("getitem", "a", [("iterate", [("join", ", ")])])])],
        ["JSON: object {a: array of string}"],
    ),
    "a part of it in a text": (
        [("json.loads", [("getitem", "a", [("slice", None, 50, None, [("format", "<", ">")])])])],
        ["JSON: object {a: string}"],
    ),
    "compared": (
        [("json.loads", [("getitem", "kind", [("eq", "a"), ("eq", "b")])])],
        ['JSON: object {kind: one of "a", "b"}'],
    ),
    "compared once": (
        [("json.loads", [("getitem", "kind", [("eq", "a")])])],
        ["JSON: object {kind}"],
    ),
    "ordered": (
        [("json.loads", [("getitem", "score", [("gt", 3)])])],
        ["JSON: object {score: number}"],
    ),
    "dynamic keys": ([("json.loads", [(".items", [("iterate",)])])], ["JSON: object"]),
    "lines": (
        [(".splitlines", [("iterate", [("json.loads", [("getitem", "a")])])])],
        ["JSON lines: object {a}"],
    ),
    "declared": (
        [("app.Person.model_validate_json", {"settings": {"0": PERSON}})],
        ["JSON: Person {name: string, age?: integer}"],
    ),
    "declared inside of a class": (
        [
            (
                "app.Team.model_validate_json",
                {"settings": {"0": TEAM}},
                [("getattr", "people", [("iterate", [("getattr", "age"), ("getattr", "name")])])],
            )
        ],
        ["JSON: Team {people: array of Person {name: string, age?: integer}}"],
    ),
    "declared later": (
        [("json.loads", [("construct", PERSON)])],
        ["JSON: Person {name: string, age?: integer}"],
    ),
    "declared for one key": (
        [("json.loads", [("getitem", "years", [("construct", PERSON, {"position": "age"})])])],
        ["JSON: object {years: integer}"],
    ),
    "adapter": (
        [("pydantic.TypeAdapter().validate_json", {"settings": {"0": PERSON}})],
        ["JSON: Person {name: string, age?: integer}"],
    ),
    "langchain": (
        [
            (
                "langchain_core.output_parsers.PydanticOutputParser().parse",
                {"settings": {"pydantic_object": PERSON}},
            )
        ],
        ["JSON: Person {name: string, age?: integer}"],
    ),
    "attributes of a declared class": (
        [
            (
                "app.Person.model_validate_json",
                {"settings": {"0": PERSON}},
                [("getattr", "age", [("gt", 3)]), ("getattr", "label")],
            )
        ],
        ["JSON: Person {name: string, age?: integer}"],
    ),
    "checked by a literal schema": (
        [("json.loads", [("jsonschema.validate", SCHEMA), ("getitem", "a")])],
        ["JSON: object {a: integer, b?: array of string}"],
    ),
    "held against a class that says nothing of it": (
        [("json.loads", [("isinstance", PERSON), ("app.render", {"settings": {"0": PERSON}})])],
        ["JSON: any"],
    ),
    "a loop over the keys": (
        [("json.loads", [("iterate", [(".lower",)]), ("getitem", "a")])],
        ["JSON: object {a}"],
    ),
    "several shapes at once": (
        [
            (
                "langchain.output_parsers.StructuredOutputParser().parse",
                {"settings": {"0": (Shape(fields=(A,)), Shape(fields=(B,)))}},
                [("contains", "a"), ("getitem", "a")],
            )
        ],
        ["JSON: object {a, b}"],
    ),
    "a number to calculate with": (
        [("json.loads", [("getitem", "a", [("arithmetic",)])])],
        ["JSON: object {a: number}"],
    ),
    "a place counted from one": (
        [("json.loads", [("getitem", "a", [("arithmetic", [("index",)])])])],
        ["JSON: object {a: integer}"],
    ),
    "keys beyond what is declared": (
        [("json.loads", [("annotate", PERSON, [("getitem", "age"), ("getitem", "mail")])])],
        ["JSON: Person {name: string, age: integer, mail}"],
    ),
    "yaml": ([("yaml.safe_load", [("getitem", "a")])], ["YAML: object {a}"]),
    "yaml, nothing by key": ([("yaml.safe_load",)], ["YAML"]),
    "toml": ([("tomllib.loads", [("getitem", "a")])], ["TOML: object {a}"]),
    "literal": ([("ast.literal_eval", [("iterate",)])], ["Python literal: array"]),
    "csv": (
        [("io.StringIO", [("csv.DictReader", [("iterate", [("getitem", "age", [("int",)])])])])],
        ["CSV: array of object {age: integer-like}"],
    ),
    "csv of lines": (
        [(".splitlines", [("csv.reader", [("iterate", [("unpack", 0, 2, RAISES)])])])],
        ["CSV: array of array, 2 cells a row"],
    ),
    "csv with rows of several widths": (
        [("csv.reader", [("iterate", [("unpack", 0, 2, RAISES), ("getitem", 0)])])],
        ["CSV: array of array"],
    ),
    "csv with rows that may be passed over": (
        [("csv.reader", [("iterate", [("unpack", 0, 2, {"on_violation": "handled"})])])],
        ["CSV: array of array"],
    ),
    "xml": (
        [
            (
                "xml.etree.ElementTree.fromstring",
                [
                    (
                        ".findall",
                        "./items/item",
                        [
                            (
                                "iterate",
                                [
                                    (".find", "title", [("getattr", "text")]),
                                    (".findtext", "qty", [("int",)]),
                                    (".get", "id"),
                                ],
                            )
                        ],
                    )
                ],
            )
        ],
        ["XML: object {items: object {item: array of object {title, qty: integer-like, @id?}}}"],
    ),
    "dates by a format and by a function": (
        [
            (
                "json.loads",
                [
                    ("getitem", "a", [("datetime.datetime.strptime", "%Y-%m-%d")]),
                    ("getitem", "b", [("datetime.date.fromisoformat",)]),
                    ("getitem", "c", [("dateutil.parser.parse",)]),
                    ("getitem", "d", [("datetime.datetime.strptime", Computed("FORMAT"))]),
                ],
            )
        ],
        [
            "JSON: object {a: date-like by '%Y-%m-%d', b: date-like by 'date.fromisoformat', "
            "c: date-like, d: date-like}"
        ],
    ),
    "a date in one of two formats": (
        [
            (
                "json.loads",
                [
                    (
                        "getitem",
                        "a",
                        [
                            ("datetime.datetime.strptime", "%Y-%m-%d", {"on_violation": "handled"}),
                            ("datetime.datetime.strptime", "%d.%m.%Y", {"branch": "handler"}),
                        ],
                    )
                ],
            )
        ],
        ["JSON: object {a: date-like}"],
    ),
    "what is made of a part": (
        [("json.loads", [("getitem", "a", [("slice", 0, 4, None, [("int",)])])])],
        ["JSON: object {a: string}"],
    ),
    "a date in an element": (
        [
            (
                "xml.etree.ElementTree.fromstring",
                [
                    (".findtext", "a", [("datetime.date.fromisoformat",)]),
                    (".find", "b", [("getattr", "text", [("datetime.date.fromisoformat",)])]),
                ],
            )
        ],
        [
            "XML: object {a: date-like by 'date.fromisoformat', "
            "b: date-like by 'date.fromisoformat'}"
        ],
    ),
    "xml that may lack elements": (
        [
            (
                "xml.etree.ElementTree.fromstring",
                [
                    (".findtext", "a", [("is_none",)]),
                    (".findtext", "b", "none"),
                    (".find", "c", [("truth",)]),
                    (".find", "d"),
                ],
            )
        ],
        ["XML: object {a?, b?, c?, d}"],
    ),
    "xml, nothing by path": ([("xml.etree.ElementTree.fromstring",)], ["XML"]),
    "outer brackets": (
        [
            (
                "re.search",
                r"\{.*\}",
                DOTALL,
                [(".group", [("json.loads", [("getitem", "a")])])],
            )
        ],
        ['one record: "{" <text> "}"', "JSON: object {a}"],
    ),
    "outer brackets by position": (
        [
            (".find", "{"),
            (".rfind", "}"),
            ("slice", AT, AT, None, [("json.loads", [("getitem", "a")])]),
        ],
        ["JSON: object {a}"],
    ),
    "a field that is run": (
        [("json.loads", [("getitem", "code", [("exec",)])])],
        ["JSON: object {code}", "Python"],
    ),
}


@pytest.mark.parametrize("name", STRUCTURED)
def test_keys_and_types_are_those_that_are_read(name):
    uses, expected = STRUCTURED[name]
    assert described(uses) == expected


def test_an_object_that_the_framework_parsed_has_its_keys_too():
    uses = [("getitem", "name", [(".strip",)]), ("getattr", "age")]
    assert described(uses, form="object") == ["JSON: object {name: string, age}"]


LOADS = ("json.loads", {"line": 90}, [("getitem", "a")])
FENCES = {
    "expression": (
        [("re.search", r"```(?:python)?\n(.*?)```", DOTALL, [(".group", 1, [("exec",)])])],
        ["fence: python or none", "Python"],
    ),
    "any tag": ([("re.search", r"```(\w+)\n(.*?)```", DOTALL)], ["fence: any tag"]),
    "tag or none": ([("re.search", r"```\w*\n(.*?)```", DOTALL)], ["fence: none"]),
    "optional tag": ([("re.search", r"```(?:\w+)?\n(.*?)```", DOTALL)], ["fence: none"]),
    "alternatives": (
        [("re.findall", r"```(?:python|py)\n([\s\S]*?)```")],
        ["fence: python or py"],
    ),
    "split, asked before": (
        [
            ("contains", "```json"),
            (".split", "```json", [("getitem", 1, [(".split", "```", [("getitem", 0, [LOADS])])])]),
            LOADS,
        ],
        ["fence: json, or no fence", "JSON: object {a}"],
    ),
    "else the whole text": (
        [
            ("re.search", r"```json(.*?)```", DOTALL, [(".group", 1, [LOADS])]),
            LOADS,
        ],
        ["fence: json, or no fence", "JSON: object {a}"],
    ),
    "positions": (
        [(".find", "```python"), (".find", "```", AT), ("slice", AT, AT, None, [("exec",)])],
        ["fence: python", "Python"],
    ),
    "startswith and slices": (
        [(".startswith", "```json"), (".endswith", "```"), ("slice", 7, -3, None, [LOADS]), LOADS],
        ["fence: json, or no fence", "JSON: object {a}"],
    ),
    "only stripped": ([(".removeprefix", "```json", [LOADS])], ["JSON: object {a}"]),
}


@pytest.mark.parametrize("name", FENCES)
def test_fences_and_what_is_inside(name):
    uses, expected = FENCES[name]
    assert described(uses) == expected


def test_the_way_to_what_is_inside_is_kept():
    inside = read([("re.search", r"```(.*?)```", DOTALL, [(".group", 1, [("exec",)])])])[1]
    assert [step.name for step in inside.steps] == ["re.search", "group"]


FIRST = {"position": "0"}
LANGUAGES = {
    "exec": ([("exec",)], "Python"),
    "eval": ([("eval",)], "Python (eval)"),
    "ast": ([("ast.parse",)], "Python"),
    "compile for eval": ([("compile", "<s>", "eval")], "Python (eval)"),
    "repl": ([("langchain_experimental.utilities.PythonREPL().run",)], "Python"),
    "sqlite": ([("sqlite3.connect().cursor().execute", FIRST)], "SQL (sqlite)"),
    "psycopg": ([("psycopg.connect().execute", FIRST)], "SQL (postgres)"),
    "mysql": ([("mysql.connector.connect().cursor().execute",)], "SQL (mysql)"),
    "bigquery": ([("google.cloud.bigquery.Client().query",)], "SQL (bigquery)"),
    "sqlalchemy": ([("sqlalchemy.text",)], "SQL"),
    "sqlalchemy with a url": (
        [
            (
                "sqlalchemy.create_engine().connect().execute",
                {"settings": {"0": "postgresql+psycopg://localhost/x"}},
            )
        ],
        "SQL (postgres)",
    ),
    "langchain": ([("langchain_community.utilities.SQLDatabase.from_uri().run",)], "SQL"),
    "interpreter": ([("listed", 2, ("python", "-c", AT), [("subprocess.run",)])], "Python"),
    "this interpreter": (
        [("listed", 2, (Computed("sys.executable"), "-c", AT), [("subprocess.run",)])],
        "Python",
    ),
    "node": ([("listed", 2, ("node", "-e", AT), [("subprocess.check_output",)])], "JavaScript"),
    "standard input": (
        [("subprocess.run", ("python", "-"), {"position": "input"})],
        "Python",
    ),
    "shell": ([("subprocess.run", {"keywords": {"shell": True}})], "shell"),
    "system": ([("os.system",)], "shell"),
    "a command line": ([("format", "bash -c '", "'", [("os.system",)])], "shell"),
    "a command line of the user's shell": (
        [("shlex.quote", [("format", "{os.environ.shell} -c ", "", [("os.system",)])])],
        "shell",
    ),
    "a command line of an interpreter": (
        [("format", '/usr/bin/python3 -c "', '"', [("os.popen",)])],
        "Python",
    ),
    "the shell of the platform": (
        [
            ("format", "powershell.exe -Command ", "", [("os.system", {"line": 9})]),
            ("format", "cmd.exe /c ", "", [("os.system", {"line": 9})]),
            ("format", "sh -c ", "", [("os.system", {"line": 9})]),
        ],
        "shell",
    ),
    "regular expression": ([("re.compile",)], "regular expression"),
    "html": ([("bs4.BeautifulSoup", "html.parser")], "HTML"),
    "jinja": ([("jinja2.Template",)], "jinja"),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_interpreter_says_the_language(name):
    uses, expected = LANGUAGES[name]
    assert described(uses) == [expected]


@pytest.mark.parametrize(
    "uses",
    [
        [("sqlite3.connect().cursor().execute", {"position": "1"})],  # a parameter
        [("listed", 1, ("ls", AT), [("subprocess.run",)])],
        [("listed", 1, ("python", AT), [("subprocess.run",)])],  # a file name
        [("subprocess.run",)],
        [("print",), ("logging.info",), ("app.db.execute",)],
    ],
)
def test_what_only_receives_the_text_interprets_nothing(uses):
    assert described(uses) == []


@pytest.mark.parametrize(
    "before", ["grep ", "python run.py ", "{tool} -c ", "mv -c ", "-c "], ids=repr
)
def test_an_argument_of_a_command_is_not_known_to_be_code(before):
    (found,) = read([("format", before, "", [("os.system",)])])
    assert isinstance(found, Unknown)


def test_what_was_cut_off_may_be_put_back():
    parsed = ("concat", "{", "", [("json.loads", [(".get", "a")])])
    assert "JSON: object {a?}" in described([(".split", "{", [("getitem", -1, [parsed])])])
    other = ("concat", "- ", "", [("json.loads", [(".get", "a")])])
    assert not [r for r in read([other]) if not isinstance(r, Unknown)]


def test_handlers_count_only_where_nothing_else_reads_the_text():
    handler = {"branch": "handler"}
    uses = [("json.loads", [("getitem", "a")]), ("ast.literal_eval", handler)]
    assert described(uses) == ["JSON: object {a}"]
    assert described([("ast.literal_eval", handler)]) == ["Python literal: any"]


def test_alternatives_keep_their_mark():
    uses = [
        ("json.loads", {"alternative": "parse"}),
        ("yaml.safe_load", {"alternative": "parse", "branch": "handler"}),
    ]
    assert [(type(r).__name__, r.alternative) for r in read(uses)] == [
        ("StructuredTemplate", "parse"),
        ("ParserSyntax", "parse"),
    ]


def test_one_expression_reached_on_two_ways_is_one_requirement():
    uses = [
        ("json.loads", {"line": 5}, [("getitem", "a", {"line": 6})]),
        (".strip", [("json.loads", {"line": 5}, [("getitem", "b", {"line": 7})])]),
    ]
    (found,) = read(uses)
    assert [field.name for field in found.shape.fields] == ["a", "b"]


def test_an_unknown_is_left_out_where_the_same_expression_is_known():
    uses = [
        ("json.loads", {"line": 5}),
        ("concat", "{", "", [("json.loads", {"line": 5})]),
    ]
    assert not any(isinstance(r, Unknown) for r in read(uses))


def test_data_that_is_read_as_object_and_as_list_is_not_sure():
    (found,) = read([("json.loads", [("getitem", 0), ("getitem", "a")])])
    assert found.confidence == "medium"
    (found,) = read([("json.loads", [("getitem", "a"), ("getitem", "b", [("iterate",)])])])
    assert found.confidence == "high"


def test_keys_that_depend_on_a_field_beside_them_are_open():
    name = ("getitem", "name", [("eq", "finish")])
    arguments = ("getitem", "args", [("getitem", "response"), ("tools.Tool().run",)])
    assert described([("json.loads", [name, arguments])]) == ["JSON: object {name, args: object}"]
    alone = ("getitem", "args", [("getitem", "response"), ("tools.Tool().run",)])
    assert described([("json.loads", [alone])]) == ["JSON: object {args: object {response}}"]


def test_a_parser_tried_again_on_a_mended_text_is_one_requirement():
    way = {"alternative": "app.py:4"}
    first = ("json.loads", {"line": 5, **way}, [("getitem", "a")])
    again = ("re.sub", "x", "", way, [("json.loads", {"line": 8, **way}, [("getitem", "a")])])
    (found,) = read([first, again])
    assert found.evidence.line == 5
    other = ("json.loads", {"line": 8, **way}, [("getitem", "b")])
    assert len(read([first, other])) == 2


def test_a_class_that_is_not_known_makes_its_parser_unsure():
    parse = ("langchain_core.output_parsers.PydanticOutputParser().parse",)
    assert [r.confidence for r in read([parse])] == ["medium"]


def test_a_list_of_texts_that_something_unknown_parsed_is_unsure():
    items = [("iterate", [(".lower", [("in", AT)])])]
    assert [r.confidence for r in read(items, form="object")] == ["medium"]
