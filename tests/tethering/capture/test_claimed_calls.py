"""Which model call asked for a tool call that runs now."""

from knitbone.record.events import ChatMessage, ToolCallRequest
from knitbone.tethering.capture.state import RunState


def asked(*requests):
    """Return a state in which each request was asked for by an event of its own, in order."""
    state = RunState()
    for event, name, arguments in requests:
        call = ToolCallRequest(name=name, arguments=arguments, call_id=f"id of {event}")
        state.asked(event, ChatMessage(role="assistant", tool_calls=(call,)))
    return state


def test_a_request_by_name_goes_before_one_of_equal_arguments():
    state = asked(("e1", "search", {"x": 1}), ("e2", "fetch", {"x": 1}))
    assert state.claim("search", {"x": 1}, None, previous="e2") == ("e1", "id of e1")
    assert state.claim("fetch", {"x": 1}, None, previous="e2") == ("e2", "id of e2")


def test_what_the_call_before_asked_for_goes_first():
    state = asked(("e1", "search", {"x": 1}), ("e2", "search", {"x": 1}))
    assert state.claim("search", {"x": 1}, None, previous="e2") == ("e2", "id of e2")


def test_a_tool_under_another_name_is_found_by_its_arguments():
    state = asked(("e1", "search", {"x": 1}))
    assert state.claim("lookup", {"x": 1}, None, previous="e1") == ("e1", "id of e1")
