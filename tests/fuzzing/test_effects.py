"""Attempts at the network and at other files: the tool's own are findings, told ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from knitbone.fuzzing.effects import describe_attempt
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.records import Attempt, CallOutcome


def kind_of(attempt: Attempt, status: Any = "denied", **arguments: Any) -> str | None:
    outcome = CallOutcome(status=status, text="Error: no access", attempts=(attempt,))
    verdict = judge(outcome, arguments, roots=())
    return None if verdict is None else verdict.kind


@pytest.mark.parametrize("status", ["denied", "ok"])
def test_what_the_tool_attempts_of_its_own_accord_is_a_finding(status: str) -> None:
    assert kind_of(Attempt(action="write", object="/etc/motd"), status, text="x") == "outside"
    assert kind_of(Attempt(action="delete", object="/home/ann/a"), status, text="x") == "outside"
    assert kind_of(Attempt(action="home", object="letter.txt"), status, text="x") == "outside"
    assert kind_of(Attempt(action="connect", object="api.x.org"), status, text="x") == "network"


@pytest.mark.parametrize("status", ["denied", "ok"])
def test_what_the_arguments_name_is_none_and_neither_is_the_error_text(status: str) -> None:
    write = Attempt(action="write", object="/etc/motd")
    assert kind_of(write, status, path="/etc/motd") is None
    assert kind_of(write, status, path=" ../../etc/motd ") is None
    assert kind_of(write, status, folder={"name": ["/etc"]}) is None
    host = Attempt(action="connect", object="api.x.org")
    assert kind_of(host, status, url="https://API.x.org/v1?q=1") is None
    assert kind_of(Attempt(action="connect", object="0"), status, host="0") is None
    assert kind_of(Attempt(action="home", object="letter.txt"), status, path="~") is None


def test_a_program_that_the_fallback_refuses_says_nothing_of_the_tool() -> None:
    assert kind_of(Attempt(action="program", object="os.system"), text="x") is None


def test_attempts_in_words() -> None:
    words = describe_attempt(Attempt(action="connect", object="api.x.org"))
    assert words == "tried to reach api.x.org; --allow-host api.x.org allows it"
