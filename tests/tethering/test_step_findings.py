"""What the events show about a step."""

from __future__ import annotations

import pytest

from knitbone.core.events import ChatMessage, ModelCall, Run, ToolCall, ToolCallRequest
from knitbone.tethering.findings import findings_at
from knitbone.tethering.graph import build_graph
from knitbone.tethering.units import build_units


def graph_of(*steps):
    """Calls as ``(tool, result)``, then the words that end the run."""
    events = []
    for number, (tool, result) in enumerate(steps):
        asked = ToolCallRequest(name=tool, arguments={}, call_id=f"c{number}")
        said = ChatMessage(role="assistant", tool_calls=(asked,))
        events.append(ModelCall(id=f"m{number}", output=said))
        events.append(
            ToolCall(id=f"t{number}", parent=f"m{number}", name=tool, arguments={}, result=result)
        )
    events.append(ModelCall(id="end", output=ChatMessage(role="assistant", content="All done.")))
    return build_graph(build_units(Run(id="r", events=tuple(events))))


@pytest.mark.parametrize(
    ("steps", "left_open"),
    [
        ([("book", "Error: full"), ("book", "booked")], None),
        ([("book", "booked"), ("book", "Error: full")], 1),
        ([("book", "Error: full"), ("pay", "Error: no card"), ("book", "booked")], 1),
        ([("book", "Error: full"), ("pay", "Error: no card"), ("pay", "paid")], 0),
        ([("book", "booked")], None),
    ],
)
def test_an_error_is_open_until_its_tool_succeeds_later(steps, left_open):
    graph = graph_of(*steps)
    last = graph.units[-1]
    found = [
        finding for finding in findings_at(graph, last, frozenset())
        if finding.kind in ("ended with open error", "ended here")
    ]  # fmt: skip
    (finding,) = found
    assert finding.kind == ("ended here" if left_open is None else "ended with open error")
    if left_open is not None:
        assert finding.steps == (graph.units[left_open].index, last.index)
