from __future__ import annotations

import json
import re
import shutil
import subprocess
from xml.etree import ElementTree as ET

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_logs import SEATS, answer, call

from knitbone.errors import KnitboneError
from knitbone.record.events import ChatMessage, ModelCall, Run, Usage
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.graph_exports import (
    WRITERS,
    to_dot,
    to_graphml,
    to_json,
    to_svg,
    view_of,
    write,
)
from knitbone.tethering.diagnosis.graph_exports.svg import MAX_ROWS
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    '"]; evil [label="', "</text><script>alert(1)</script>", "]]>", "&amp; & <b>", "\x1b[31m\x00",
    "\ufffe\uffff", "a\nb\r\u2028c", "\\", '\\"', "\\N\\l", "\u202e", "-->", "\U0010ffff",
]  # fmt: skip


def view(messages=SEATS, **marks):
    run = import_bytes(json.dumps(messages).encode(), path="x")[0].run
    return view_of(build_graph(build_units(run)), run=run.id, task=run.task, **marks)


def dot_statements(text):
    """The statements of a DOT graph without subgraphs, by the grammar of its tokens."""
    token = re.compile(
        r'\s*(?:("(?:\\.|[^"\\])*")|([A-Za-z_][A-Za-z_0-9]*)|(->)|([{}\[\];,=]))', re.DOTALL
    )
    position, tokens = 0, []
    while text[position:].strip():
        match = token.match(text, position)
        assert match, text[position : position + 80]
        tokens.append(match.group().strip())
        position = match.end()
    assert tokens[0] == "digraph"
    assert tokens[2] == "{"
    assert tokens[-1] == "}"
    body = " ".join(t if t in "[];,=->" or not t.startswith('"') else "S" for t in tokens[3:-1])
    for statement in body.split(" ;")[:-1]:
        attributes = r"\[ \w+ = (S|\w+)( , \w+ = (S|\w+))* \]"
        assert re.fullmatch(rf"\s*\w+( -> \w+)? {attributes}", statement), statement
    return body.split(" ;")[:-1]


def test_json_has_units_with_every_derived_attribute_and_edges():
    found = json.loads(to_json(view(turning_point=6, region=[6, 8])))
    assert found["schema"] == "knitbone.graph/1"
    turn = next(node for node in found["nodes"] if node["turning_point"])
    assert (turn["step"], turn["tool"], turn["intent"], turn["status"], turn["side_effect"]) == (
        6, "assign_table", "write", "error", True,
    )  # fmt: skip
    assert "table_id" in turn["label"] or "booking_id" in turn["label"]
    assert turn["error_signature"]
    assert "bk4471" in turn["used"]
    assert [node["step"] for node in found["nodes"] if node["in_region"]] == [6, 8]
    kinds = {(edge["kind"], edge["sharing"]) for edge in found["edges"]}
    assert kinds >= {
        ("temporal", ""), ("dependency", "produced-consumed"), ("dependency", "shared error"),
    }  # fmt: skip


def test_graphml_loads_in_networkx_with_the_same_nodes_and_edges():
    exported = view(turning_point=6)
    graph = nx.parse_graphml(to_graphml(exported), force_multigraph=True)
    assert len(graph) == len(exported.nodes)
    assert graph.number_of_edges() == len(exported.edges)
    assert [n for n, data in graph.nodes(data=True) if data["turning_point"]] == ["u2"]
    assert {data["kind"] for _, _, data in graph.edges(data=True)} == {"temporal", "dependency"}


def test_telemetry_becomes_context_nodes_in_graphml():
    run = Run(id="r", events=(
        ModelCall(id="m", started_ns=1, ended_ns=2_000_001, usage=Usage(input_tokens=5),
                  output=ChatMessage(role="assistant", content="Yes")),
    ))  # fmt: skip
    exported = view_of(build_graph(build_units(run)), run="r")
    graph = nx.parse_graphml(to_graphml(exported))
    kinds = {data.get("context") for _, data in graph.nodes(data=True)}
    assert kinds == {None, "span", "metric"}


def test_dot_keeps_to_its_grammar_and_holds_every_edge():
    exported = view(turning_point=6, region=[6])
    statements = dot_statements(to_dot(exported))
    assert sum("->" in statement for statement in statements) == len(exported.edges)


def test_the_picture_is_wellformed_and_marks_region_and_turning_point():
    root = ET.fromstring(to_svg(view(turning_point=6, region=[6, 8]), links="step-"))
    classes = [element.get("class") for element in root.iter()]
    assert classes.count("region") == 2
    assert classes.count("ring") == 1
    assert [link.get("href") for link in root.iter(f"{SVG}a")] == [
        "#step-2", "#step-4", "#step-6", "#step-8", "#step-10",
    ]  # fmt: skip
    assert any("bk4471" in (title.text or "") for title in root.iter(f"{SVG}title"))


def hostile_view(text):
    messages = [call(text or "t", {text: text}), answer(text or "t", text)]
    return view([*messages, *messages, {"role": "assistant", "content": text}], turning_point=2)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_text_in_every_format(text):
    exported = hostile_view(text)
    json.loads(to_json(exported))
    assert len(nx.parse_graphml(to_graphml(exported), force_multigraph=True)) == 3
    dot_statements(to_dot(exported))
    names = {element.tag.removeprefix(SVG) for element in ET.fromstring(to_svg(exported)).iter()}
    assert names <= {"svg", "title", "style", "rect", "path", "line", "circle", "text", "a"}


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60))
def test_any_text_stays_wellformed(text):
    exported = hostile_view(text)
    nx.parse_graphml(to_graphml(exported), force_multigraph=True)
    ET.fromstring(to_svg(exported))
    dot_statements(to_dot(exported))


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("text", ["plain", *HOSTILE])
def test_graphviz_reads_the_dot(text):
    done = subprocess.run(
        ["dot", "-Tplain"],
        input=to_dot(hostile_view(text)).encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"graph")


def test_a_long_run_is_drawn_around_its_turning_point():
    messages = []
    for n in range(600):
        messages += [call(f"find{n % 7}", {"x": f"R{n}00"}, f"c{n}"), answer("find", "ok", f"c{n}")]
    root = ET.fromstring(to_svg(view(messages, turning_point=800)))
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert "800" in texts
    assert sum("not shown" in text for text in texts) >= 1
    assert sum(element.get("class") == "ring" for element in root.iter()) == 1
    drawn = [e for e in root.iter() if (e.get("class") or "").startswith("node")]
    assert len(drawn) == MAX_ROWS


def test_an_empty_run_still_makes_every_format():
    empty = view_of(build_graph(()), run="r")
    for writer in WRITERS.values():
        assert writer(empty)


def test_files_are_written_by_suffix_and_others_refused(tmp_path):
    for suffix in WRITERS:
        write(view(), tmp_path / f"g{suffix}")
        assert (tmp_path / f"g{suffix}").stat().st_size > 200
    with pytest.raises(KnitboneError, match=r"'\.png'.*\.svg"):
        write(view(), tmp_path / "g.png")
    with pytest.raises(KnitboneError, match="cannot be written"):
        write(view(), tmp_path / "none" / "g.svg")
