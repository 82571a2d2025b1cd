"""Settings of splitters and retrievers, the scenario, and contracts on any tree."""

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from use_trees import described, read, tree

from knitbone.adaptation.reading import ALL_SCENARIOS
from knitbone.adaptation.testing import (
    ChunkSpec,
    Computed,
    ContextRule,
    Operation,
    Requirement,
    Shape,
    Use,
    describe,
    read_uses,
)

SPLITTER = {"size": 1000, "overlap": 200, "separators": ("\n\n", "\n"), "splitter": "Splitter"}


def test_a_splitter_says_how_it_cuts():
    (found,) = read([], form="documents", kind="splitter", settings=SPLITTER)
    assert isinstance(found, ChunkSpec)
    assert describe(found) == ('pieces of 1,000 characters, overlap 200, cut at "\\n\\n", "\\n"')


def test_what_is_computed_is_left_to_run_time():
    (found,) = read([], form="texts", kind="splitter", settings={**SPLITTER, "size": Computed("n")})
    assert (found.size, found.overlap) == (None, 200)


def test_an_own_loop_whose_size_is_computed_says_nothing():
    own = {"splitter": "slice"}
    assert not read([], form="texts", kind="splitter", settings=own)
    (found,) = read([], form="texts", kind="splitter", settings={"splitter": "TokenSplitter"})
    assert (found.size, found.splitter) == (None, "TokenSplitter")


def test_an_own_loop_that_cuts():
    uses = [("chunks", {"settings": {"size": 500, "overlap": 0, "length": "tokens"}})]
    assert described(uses) == ["pieces of 500 tokens, overlap 0"]


JOINED = [("iterate", [("getattr", "page_content", [("join", "\n\n")])])]


def test_a_retriever_says_what_it_brings_and_how_it_is_joined():
    (found,) = read(JOINED, form="documents", kind="retriever", settings={"k": 4, "threshold": 0.5})
    assert isinstance(found, ContextRule)
    assert describe(found) == 'at most 4 entries, score >= 0.5, joined with "\\n\\n"'


def test_a_default_of_the_library_alone_is_no_rule_of_the_application():
    given_by_library = {"k": 4, "defaults": ("k",)}
    assert not read([], form="documents", kind="retriever", settings=given_by_library)
    (found,) = read(JOINED, form="documents", kind="retriever", settings=given_by_library)
    assert (found.k, found.joiner) == (4, "\n\n")


def test_the_text_of_an_entry_is_read_too():
    uses = [("iterate", [("getattr", "page_content", [("json.loads", [("getitem", "a")])])])]
    assert described(uses, form="documents", kind="retriever") == ["JSON: object {a}"]


def test_a_message_is_walked_to_its_text():
    uses = [("getattr", "content", [("json.loads", [("getitem", "a")])])]
    assert described(uses, form="message") == ["JSON: object {a}"]


@pytest.mark.parametrize(
    ("kind", "form", "names"),
    [
        ("splitter", "texts", {"intact_text"}),
        ("retriever", "documents", {"relevant_content"}),
        (
            "chat",
            "text",
            {"consistent_lexical_features", "succinct_content", "no_contextual_redundancy"},
        ),
        ("chat", "arguments", {"no_repeated_behaviour"}),
        ("chat", "object", set()),
    ],
)
def test_the_scenario_follows_from_the_kind_of_the_site(kind, form, names):
    root = tree([], form=form)
    found = read_uses(root, confidence="high", kind=kind)
    assert {r.name for r in found} == names
    assert all(r.evidence == root.evidence for r in found)


def test_each_scenario_can_be_switched_off():
    root = tree([], form="text")
    for name in ALL_SCENARIOS:
        found = read_uses(root, confidence="high", kind="chat", scenario=ALL_SCENARIOS - {name})
        assert name not in {r.name for r in found}


OPERATIONS = """
getitem unpack iterate slice join eq in contains truth is_none listed keyed concat format getattr
chunks enumerate next construct annotate int float exec len str list .strip .split .rsplit
.partition .splitlines .startswith .removeprefix .find .replace .get .items .group .groups .pop
.isdigit .findall .lower re.findall re.search re.finditer re.split re.sub json.loads yaml.safe_load
csv.reader ast.literal_eval xml.etree.ElementTree.fromstring parse.parse compile subprocess.run
sqlite3.connect().execute a.JsonOutputParser().parse a.RegexParser().parse
a.EnumOutputParser().parse . .. ()
"""
NAMES = st.sampled_from(OPERATIONS.split())
CONSTANT = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.floats(allow_nan=False),
    st.binary(max_size=3),
    st.sampled_from(
        [
            "",
            " ",
            "\n",
            ",",
            "a",
            "A:",
            "B: ",
            "```",
            "```json",
            "{",
            r"(\d+)\. (.*)",
            "(",
            "\ud800",
        ]
    ),
    st.builds(Computed, st.just("x")),
    st.builds(Shape, name=st.just("X")),
)
ARGUMENTS = st.lists(st.one_of(CONSTANT, st.lists(CONSTANT, max_size=3).map(tuple)), max_size=3)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "branch": st.sampled_from(["core", "handler", "fallback"]),
        "alternative": st.sampled_from(["", "p"]),
        "position": st.sampled_from(["", "0", "1", "input"]),
        "settings": st.dictionaries(
            st.sampled_from(["0", "regex", "enum", "size", "k", "separators"]), CONSTANT
        ),
        "line": st.integers(1, 9),
    },
)


def _node(children):
    return st.builds(
        lambda name, arguments, options, below: (name, *arguments, options, below),
        NAMES,
        ARGUMENTS,
        OPTIONS,
        children,
    )


TREES = st.recursive(st.just([]), lambda inner: st.lists(_node(inner), max_size=4), max_leaves=25)
FORMS = st.sampled_from(
    ["text", "arguments", "message", "response", "documents", "texts", "object"]
)
KINDS = st.sampled_from(["chat", "retriever", "splitter", "source"])


@settings(max_examples=300, deadline=None)
@example([("annotate", [], {}, []), ("annotate", [], {}, [])], "object", "chat")
@given(TREES, FORMS, KINDS)
def test_no_tree_raises_and_each_reads_the_same_again(uses, form, kind):
    root = tree(uses, form=form)
    found = read_uses(root, confidence="high", kind=kind)
    assert read_uses(root, confidence="high", kind=kind) == found
    assert len(set(map(repr, found))) == len(found)
    for requirement in found:
        line = describe(requirement)
        assert line
        assert line.isprintable()


@settings(max_examples=100, deadline=None)
@given(TREES)
def test_no_requirement_is_surer_than_its_site(uses):
    for requirement in read_uses(
        tree(uses), confidence="medium", kind="chat", scenario=frozenset()
    ):
        assert getattr(requirement, "confidence", "medium") != "high"


@settings(max_examples=50, deadline=None)
@given(TREES)
def test_requirements_travel_through_json(uses):
    for requirement in read([]) + read(uses):
        try:
            sent = msgspec.json.encode(requirement)
        except UnicodeEncodeError:
            continue  # a lone surrogate in the source has no place in JSON
        assert msgspec.json.decode(sent, type=Requirement) == requirement


def test_a_tree_of_any_depth_is_read():
    root = tree([])
    node = tree([("json.loads",)]).uses[0]
    for _ in range(5_000):
        node = Use(operation=Operation(name=".strip"), uses=(node,), evidence=root.evidence)
    deep = Use(operation=root.operation, uses=(node,), evidence=root.evidence)
    assert read_uses(deep, confidence="high", kind="chat", scenario=frozenset()) == ()
