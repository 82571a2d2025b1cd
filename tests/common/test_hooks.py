"""The hook registry: order, removal, fail open, the off switch."""

from __future__ import annotations

import logging

import pytest

from knitbone.common.hooks import Stage, deliver, register
from knitbone.errors import RequirementViolation


@pytest.fixture
def hooks():
    made = []

    def add(stage, hook):
        made.append(register(stage, hook))
        return made[-1]

    yield add
    for registration in made:
        registration.remove()


def test_hooks_run_capture_then_adapt_then_supervise_whatever_the_order_of_registration(hooks):
    seen = []

    def note(name, result):
        return lambda value, site: seen.append((name, value, site)) or result

    hooks(Stage.SUPERVISE, note("supervise", "d"))
    hooks(Stage.CAPTURE, note("capture", "b"))
    hooks(Stage.ADAPT, note("adapt", "c"))
    assert deliver("a", "site") == "d"
    assert seen == [
        ("capture", "a", "site"), ("adapt", "b", "site"), ("supervise", "c", "site"),
    ]  # fmt: skip


def test_without_hooks_the_value_is_the_same_object():
    value = object()
    assert deliver(value, None) is value


def test_a_removed_hook_no_longer_runs(hooks):
    registration = hooks(Stage.ADAPT, lambda value, site: "changed")
    assert deliver("a", None) == "changed"
    registration.remove()
    registration.remove()
    assert deliver("a", None) == "a"


def test_a_failing_hook_is_logged_and_the_value_goes_on(hooks, caplog):
    def broken(value, site):
        raise ValueError("ours")

    hooks(Stage.CAPTURE, broken)
    hooks(Stage.ADAPT, lambda value, site: value + "!")
    with caplog.at_level(logging.ERROR, logger="knitbone"):
        assert deliver("a", "here") == "a!"
    assert caplog.records[0].fields == {"stage": "CAPTURE", "site": "here"}


def test_a_violation_in_strict_mode_reaches_the_application(hooks):
    def strict(value, site):
        raise RequirementViolation("asked for")

    hooks(Stage.ADAPT, strict)
    with pytest.raises(RequirementViolation):
        deliver("a", None)


@pytest.mark.parametrize(("value", "off"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_the_switch_turns_everything_off_at_once(hooks, monkeypatch, value, off):
    hooks(Stage.ADAPT, lambda value, site: "changed")
    monkeypatch.setenv("KNITBONE_DISABLED", value)
    assert deliver("a", None) == ("a" if off else "changed")
