"""The harm that a tool may do, and who knows best."""

from __future__ import annotations

import pytest

from knitbone.tethering.supervision.risk import ToolRisks, tool_risk


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("delete_account", "destructive"), ("cancelReservation", "destructive"),
        ("get_close_matches", "read"), ("list_items", "read"), ("calculate", "read"),
        ("update_address", "write"), ("send_email", "write"), ("frobnicate", "write"),
        ("think", "read"), ("bash", "write"), ("", "write"),
        ("format_date", "write"), ("format_disk", "destructive"),
        ("fire_event", "write"), ("fire_employee", "destructive"),
    ],
)  # fmt: skip
def test_the_first_known_verb_of_a_name_says_its_risk(name, risk):
    assert tool_risk(name) == risk


def test_hints_of_a_server_go_before_the_name_and_configuration_before_both():
    assert tool_risk("delete_draft", annotations={"readOnlyHint": True}) == "read"
    assert tool_risk("frobnicate", annotations={"destructiveHint": True}) == "destructive"
    assert tool_risk("frobnicate", annotations={"destructiveHint": "yes"}) == "write"
    risks = ToolRisks({"frobnicate": "read"})
    risks.learn("frobnicate", annotations={"destructiveHint": True})
    risks.learn("zap", annotations={"readOnlyHint": True})
    assert [risks.of(name) for name in ("frobnicate", "zap", "drop_table")] == [
        "read", "read", "destructive",
    ]  # fmt: skip


def test_a_schema_speaks_where_the_name_says_nothing():
    schema = {"properties": {"path": {}, "force": {"type": "boolean"}}}
    assert tool_risk("frobnicate", schema=schema) == "destructive"
    assert tool_risk("frobnicate", schema={"properties": "broken"}) == "write"
    for name in ("hard_delete", "hardDelete"):
        assert tool_risk("frobnicate", schema={"properties": {name: {}}}) == "destructive"
