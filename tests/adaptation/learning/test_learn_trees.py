"""Outputs of every form are tainted in their own type; parts of several processes are one tree."""

import dataclasses
import threading
from types import SimpleNamespace

import msgspec
import pytest

from knitbone.adaptation.learning.comparison import compare
from knitbone.adaptation.learning.observations import read_parts, write_part
from knitbone.adaptation.learning.observed_trees import merge_parts
from knitbone.adaptation.learning.output_tainting import OutputTainter, identity_of, tainted_output
from knitbone.adaptation.learning.taint import (
    FilePlace,
    Mark,
    RecordedOperation,
    Scope,
    Tree,
    Varying,
    mark_of,
)
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.testing import Site
from knitbone.config import AdaptConfig

SCOPE = Scope([__file__])


def site(form="text", **more):
    return Site(
        file=__file__, line=1, column=0, end_line=1, end_column=1, function="f", expression="ask()",
        origin="ask", origin_file=__file__, origin_line=1, origin_end_line=1, confidence="high",
        form=form, **more,
    )  # fmt: skip


@dataclasses.dataclass
class Document:
    page_content: str


def response():
    message = SimpleNamespace(content="text", role="assistant")
    return SimpleNamespace(choices=[SimpleNamespace(message=message)])


FORMS = {
    "text": ("x", lambda v: v, []),
    "response": (
        response(),
        lambda v: v.choices[0].message.content,
        [("getattr", "choices"), ("getitem", 0), ("getattr", "message"), ("getattr", "content")],
    ),
    "documents": (
        [Document("a"), Document("b")],
        lambda v: v[1].page_content,
        [("iterate",), ("getattr", "page_content")],
    ),
    "texts": (["a", "b"], lambda v: v[1], [("iterate",)]),
    "object": ({"a": "b"}, lambda v: v, []),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_output_keeps_its_type_and_its_texts_know_the_way(form):
    value, reach, way = FORMS[form]
    tree = Tree("x", SCOPE, form)
    made = tainted_output(value, tree.answer(), site(form))
    assert made == value
    assert isinstance(made, type(value))
    assert mark_of(reach(value)) is None, "the original is untouched"
    assert mark_of(reach(made)) is not None
    chain, node = [], tree.root
    while node is not mark_of(reach(made)).node:
        node = next(iter(node.children.values()))
        chain.append((node.operation.name, *node.operation.arguments))
    assert chain == way


@pytest.mark.parametrize("value", [None, 5, b"bytes", object(), []])
def test_an_output_without_a_text_passes_as_it_is(value):
    answer = Tree("x", SCOPE).answer()
    assert tainted_output(value, answer, site()) is value


def recorded(*operations, live=True):
    """A capture that saw one answer for each series of operations."""
    capture = OutputTainter(SCOPE)
    for series in operations:
        text = capture.hook("text", ActiveSite(site(), AdaptConfig()))
        mark = mark_of(text)
        for line, operation in enumerate(series, start=10):
            node = mark.node.child(operation, FilePlace(__file__, line), mark.answer.tree)
            mark = Mark(mark.answer, node)
            mark.answer.hits.add(node.number)
            if live:
                mark.note_live()
    return capture


def test_parts_of_several_processes_are_one_tree(tmp_path):
    split, loads = RecordedOperation(".splitlines"), RecordedOperation("json.loads")
    write_part(recorded([split], [split]).trees, tmp_path, "one")
    write_part(recorded([split, RecordedOperation("iterate")], [loads]).trees, tmp_path, "two")
    (observed,) = merge_parts(read_parts(tmp_path)).values()
    assert observed.answers == 4
    counts = {u.operation.name: u.when for u in observed.source.walk()}
    assert counts == {
        "source": "", ".splitlines": "sometimes", "iterate": "", "json.loads": "sometimes",
    }  # fmt: skip
    seen = {place[1]: (s.answers, s.of) for place, s in observed.seen.items()}
    assert seen[11] == (1, 3), "of the answers that were split into lines"


def test_where_the_step_before_left_nothing_there_is_no_state_to_look_for(tmp_path):
    match, group = RecordedOperation("re.match", ("a",)), RecordedOperation(".group", (1,))
    write_part(recorded([match, group]).trees, tmp_path, "found")
    write_part(recorded([match], live=False).trees, tmp_path, "none")
    (observed,) = merge_parts(read_parts(tmp_path)).values()
    assert all(use.when == "" for use in observed.source.walk())


def test_arguments_survive_the_way_through_the_file(tmp_path):
    arguments = ("a\ud800\n", 1, 1.5, None, True, b"x", ("a", 2), Varying("x[\ud800]"))
    write_part(
        recorded([RecordedOperation("f", arguments, (("k", "v"),), "1")]).trees, tmp_path, "a"
    )
    (observed,) = merge_parts(read_parts(tmp_path)).values()
    operation = observed.source.uses[0].operation
    assert operation.arguments[:-1] == arguments[:-1]
    assert operation.arguments[-1].expression == "x[\\ud800]"
    assert (operation.keywords, operation.position) == ((("k", "v"),), "1")


def test_the_order_of_processes_and_threads_does_not_show(tmp_path):
    split, loads = RecordedOperation(".splitlines"), RecordedOperation("json.loads")
    for folder, names in (("a", "12"), ("b", "21")):
        (tmp_path / folder).mkdir()
        write_part(recorded([split]).trees, tmp_path / folder, names[0])
        write_part(recorded([loads]).trees, tmp_path / folder, names[1])
    found = [merge_parts(read_parts(tmp_path / folder)) for folder in "ab"]
    assert msgspec.json.encode(found[0][identity_of(site())].source) == msgspec.json.encode(
        found[1][identity_of(site())].source
    )


def test_few_answers_make_a_requirement_less_sure(tmp_path):
    capture = recorded(
        *[[RecordedOperation("json.loads"), RecordedOperation("getitem", ("a",))]] * 2
    )
    more = recorded(*[[RecordedOperation("json.loads"), RecordedOperation("getitem", ("a",))]] * 3)

    def confidence(of, folder):
        folder.mkdir()
        write_part(of.trees, folder, "x")
        (learned,) = compare([site()], merge_parts(read_parts(folder)))
        return learned.new[0].requirement.confidence

    assert confidence(capture, tmp_path / "two") == "medium"
    assert confidence(more, tmp_path / "three") == "high"


def test_many_threads_write_into_one_capture():
    capture = OutputTainter(SCOPE)
    live = ActiveSite(site(), AdaptConfig())

    def work():
        for _ in range(50):
            capture.hook("text", live).strip()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (tree,) = capture.trees
    assert len(tree.answers) == 400
    assert all(len(answer.hits) == 2 for answer in tree.answers)
    assert [child.operation.name for child in tree.root.children.values()] == [".strip"]
