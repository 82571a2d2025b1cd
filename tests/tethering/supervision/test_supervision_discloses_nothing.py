"""What supervision says holds no value of the run, whatever the run is."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.tethering.guidance.records import Directive, ExpectedCall, Guidance
from knitbone.tethering.supervision import engine as deciding
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall

TOOLS = ["deposit_check", "delete_account", "get_balance", "finish_task"]
VALUES = st.integers(0, 3).map("ZQ-{}-secret".format)
CALLS = st.builds(
    lambda tool, value, result, error: ReturnedCall(
        tool=tool, arguments={"account": value}, result=result, error=error
    ),
    st.sampled_from(TOOLS), VALUES, VALUES, st.none() | VALUES,
)  # fmt: skip
TEXTS = VALUES.map("The account {} has been closed.".format)


@pytest.fixture(autouse=True, scope="module")
def spoken_to_always():
    with mock.patch.multiple(deciding, COOLDOWN_STEPS=0, AROUND_ONE_ACTION=99):
        yield


def spoken(events):
    directives = tuple(
        Directive(
            id=tool, family="account change", constraint="required argument", distance=number,
            do="Give every required argument.",
            expectation=ExpectedCall(tool=tool, arguments=("amount",)),
        )
        for number, tool in enumerate(TOOLS[:2])
    )  # fmt: skip
    supervisor = Supervisor(
        "Deposit the check, then delete the account.",
        Guidance(task="t", run="r", directives=directives),
        record=None,
    )
    said = [
        supervisor.tool_returned(event)
        if isinstance(event, ReturnedCall)
        else supervisor.text_answered(event, alone=True)
        for event in events
    ]
    return [text for text in said if text], supervisor


@given(st.lists(CALLS | TEXTS, max_size=25))
def test_no_value_of_a_run_is_said_while_it_runs(events):
    said, supervisor = spoken(events)
    assert not [text for text in said if "ZQ-" in text]
    signals = [signal for decision in supervisor.decisions for signal in decision.signals]
    assert not [signal for signal in signals if "ZQ-" in signal.text]


def test_the_generated_runs_are_spoken_to():
    call = ReturnedCall(
        tool="deposit_check", arguments={"account": "ZQ-1-secret"}, error="no ZQ-1-secret"
    )
    assert len(spoken([call, call, "The account ZQ-1 has been closed."])[0]) == 3
