"""What looks wrong at a site: each finding, and a near miss that is none."""

import re

import pytest
from use_trees import read

from knitbone.adaptation.requirements.findings import findings_of
from knitbone.adaptation.testing import Computed, Prompt, Site

AT = Computed("start")
MULTILINE, DOTALL = int(re.MULTILINE), int(re.DOTALL)


def site(uses, *, prompts=(), **options):
    return Site(
        file="app.py",
        line=1,
        column=0,
        end_line=1,
        end_column=1,
        function="main",
        expression="ask()",
        origin="ask",
        origin_file="app.py",
        origin_line=1,
        origin_end_line=1,
        confidence="high",
        requirements=read(uses, **options),
        prompts=tuple(Prompt(text=text, file="app.py", line=1) for text in prompts),
    )


def names(uses, **options):
    return [finding.name for finding in findings_of(site(uses, **options))]


NUMBERED = [("re.findall", r"^\d+\.\s+(.*)$", MULTILINE)]
RATING = [("json.loads", [("getitem", "rating", [("int",)])])]
RUN = {"position": "0", "line": 9}
EXECUTE = [("sqlite3.connect().cursor().execute", RUN)]
FENCED = [("re.search", r"```python\n(.*?)```", DOTALL, [(".group", 1, [("exec",)])])]
SPLITTER = {"kind": "splitter", "form": "texts"}
RETRIEVER = {"kind": "retriever", "form": "documents"}

FOUND = {
    "silent loss": ([("re.findall", r"^\d+\.\s+(.*)$", {"on_violation": "silent"})], {}),
    "may raise": ([("json.loads", {"on_violation": "raises"})], {}),
    "first line only": ([("re.findall", r"^\d+\.\s+(.*)$")], {}),
    "splitter of size 1": ([], {**SPLITTER, "settings": {"size": 1, "overlap": 0}}),
    "overlap not below size": ([], {**SPLITTER, "settings": {"size": 200, "overlap": 200}}),
    "relevance threshold 0": ([], {**RETRIEVER, "settings": {"k": 4, "threshold": 0}}),
    "output executed as it is": ([("exec",)], {}),
    "SQL executed unchecked": (EXECUTE, {}),
    "prompt and parser disagree": (RATING, {"prompts": ["Answer in YAML format."]}),
    "key not in the prompt": (RATING, {"prompts": ['Return {{"score": 3}}.']}),
    "prompt and pattern disagree": (
        NUMBERED,
        {"prompts": ["Use this format:\n1) first\n2) second\n"]},
    ),
}
MISSED = {
    "silent loss": ([("eq", "yes", {"on_violation": "silent"}), ("eq", "no")], {}),
    "may raise": ([("json.loads", {"on_violation": "handled"})], {}),
    "first line only": (NUMBERED, {}),
    "splitter of size 1": ([], {**SPLITTER, "settings": {"size": 2, "overlap": 0}}),
    "overlap not below size": ([], {**SPLITTER, "settings": {"size": 200, "overlap": 199}}),
    "relevance threshold 0": ([], {**RETRIEVER, "settings": {"k": 4, "threshold": 0.1}}),
    "output executed as it is": (FENCED, {}),
    "SQL executed unchecked": ([("sqlglot.parse_one",), *EXECUTE], {}),
    "prompt and parser disagree": (
        RATING,
        {"prompts": ["Turn the YAML below into JSON. Answer in JSON format."]},
    ),
    "key not in the prompt": (RATING, {"prompts": ['Return {{"score": 3, "rating": 1}}.']}),
    "prompt and pattern disagree": (
        NUMBERED,
        {"prompts": ["Use this format:\n1. <first>\n2. <second>\n"]},
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_looks_wrong_is_found_with_its_evidence(name):
    uses, options = FOUND[name]
    found = {f.name: f for f in findings_of(site(uses, **options))}
    assert name in found
    assert (found[name].file, found[name].line > 0) == ("app.py", True)
    assert found[name].text


@pytest.mark.parametrize("name", MISSED)
def test_a_near_miss_is_no_finding(name):
    uses, options = MISSED[name]
    assert name not in names(uses, **options)


def test_every_finding_has_a_near_miss():
    assert FOUND.keys() == MISSED.keys()


@pytest.mark.parametrize(
    ("uses", "prompts"),
    [
        ([("yaml.safe_load", [("getitem", "a")])], ["Return JSON only."]),  # YAML holds JSON
        (RATING, ["Answer in YAML or in JSON format."]),
        (RATING, ["The input is a YAML file about food."]),
        ([("exec",)], ["Answer in YAML format."]),
    ],
)
def test_a_prompt_that_fits_or_says_nothing_clear_is_no_conflict(uses, prompts):
    assert "prompt and parser disagree" not in names(uses, prompts=prompts)


@pytest.mark.parametrize(
    "prompt",
    [
        "Give the rating of the text as an integer.",
        'Use the keys "score": an integer; rating: the same again.',
        "{format_instructions}",
    ],
)
def test_keys_that_a_prompt_mentions_or_cannot_show_are_not_missed(prompt):
    assert "key not in the prompt" not in names(RATING, prompts=[prompt])


def test_an_optional_key_need_not_be_in_the_prompt():
    optional = [("json.loads", [(".get", "note")])]
    assert names(optional, prompts=['Return {"score": 3}.']) == []


def test_slots_of_an_example_are_filled_before_it_is_tried():
    score = [("re.search", r"Score: (\d+)", {"on_violation": "handled"})]
    assert names(score, prompts=["Answer in this format:\nScore: <number>\n"]) == []
    strict = [("re.search", r"^Score: (\d+)$", {"on_violation": "handled"})]
    assert names(strict, prompts=["Answer in this format:\nScore - <number>\n"]) == [
        "prompt and pattern disagree"
    ]


def test_sql_whose_first_word_is_compared_is_checked():
    uses = [(".upper", [(".startswith", "SELECT")]), *EXECUTE]
    assert "SQL executed unchecked" not in names(uses)


def test_a_site_without_requirements_has_no_findings():
    assert findings_of(site([])) == ()
