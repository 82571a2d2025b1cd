"""The planted tools: each fault is there, nothing else is, and the descriptions are right."""

import copy
import inspect
from collections import Counter
from importlib import import_module
from typing import get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError

from knitbone_evals.fuzz.calling import call, load, observe, own_modules
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.planted.specification import Category, Planted

PLANTED = registry.planted()
SOUND = registry.sound()
RAISING = [tool for tool in PLANTED if tool.fault.kind in ("raised", "returned text", "hang")]


def short(tool):
    return tool.target.rpartition(".")[2]


def documentation(tool):
    """Everything that an agent is shown of a tool, with the line breaks taken out."""
    loaded = load(tool.target)
    if hasattr(loaded, "args_schema"):
        text = f"{loaded.description} {loaded.tool_call_schema.model_json_schema()}"
    else:
        text = f"{inspect.getdoc(loaded)} {inspect.signature(loaded)}"
    return " ".join(text.replace("\\n", " ").split())


def seen(tool, arguments, *, timeout=2.0):
    loaded = load(tool.target)
    return observe(loaded, copy.deepcopy(arguments), timeout=timeout, own=own_modules(loaded))


def matches(fault, failure):
    return failure is not None and fault.matches(
        failure.kind, failure.exceptions, failure.function, failure.text
    )


def returns_what_it_says(tool, value):
    loaded = load(tool.target)
    function = getattr(loaded, "func", None) or getattr(loaded, "coroutine", None) or loaded
    if not inspect.isroutine(function):
        function = loaded._run
    try:
        TypeAdapter(get_type_hints(function)["return"]).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


@pytest.fixture(params=PLANTED, ids=short)
def planted(request):
    return request.param


@pytest.fixture(params=SOUND, ids=short)
def sound(request):
    return request.param


@pytest.mark.parametrize("tool", RAISING, ids=short)
def test_the_witness_triggers_the_fault(tool):
    for arguments in tool.before:
        assert seen(tool, arguments).failure is None
    # A hang needs no more than the time in which every other call is long done.
    got = seen(tool, tool.witness, timeout=0.3 if tool.fault.kind == "hang" else 5.0)
    assert not got.rejected
    assert matches(tool.fault, got.failure), got
    assert not any(matches(refusal, got.failure) for refusal in tool.refusals)


@pytest.mark.parametrize(
    "tool", [tool for tool in PLANTED if tool.fault.kind == "output type"], ids=short
)
def test_the_witness_returns_a_wrong_type(tool):
    assert not returns_what_it_says(tool, call(load(tool.target), tool.witness))


@pytest.mark.parametrize(
    "tool", [tool for tool in PLANTED if tool.fault.kind == "nondeterminism"], ids=short
)
def test_the_witness_returns_different_values(tool):
    results = [call(load(tool.target), copy.deepcopy(tool.witness)) for _ in range(10)]
    assert any(result != results[0] for result in results)
    normal = [call(load(tool.target), copy.deepcopy(tool.normal)) for _ in range(10)]
    assert all(result == normal[0] for result in normal)


def test_the_normal_call_works(planted):
    got = seen(planted, planted.normal)
    assert not got.rejected
    assert got.failure is None
    assert returns_what_it_says(planted, got.value)


def test_the_description_quotes_the_documentation_or_says_what_it_lacks(planted):
    if planted.specification == "under":
        assert planted.lacks
        assert not planted.sentence
    else:
        assert not planted.lacks
        assert planted.sentence
        assert planted.sentence in documentation(planted)


def test_a_sound_tool_accepts_what_it_documents(sound):
    for arguments in sound.accepted:
        got = seen(sound, arguments)
        assert got.failure is None, arguments
        assert not got.rejected
        assert returns_what_it_says(sound, got.value)


def test_a_sound_tool_refuses_as_it_documents(sound):
    for arguments in sound.refused:
        got = seen(sound, arguments)
        assert any(matches(refusal, got.failure) for refusal in sound.refusals), arguments


@pytest.mark.parametrize("tool", registry.TOOLS, ids=short)
def test_announced_exceptions_are_in_the_documentation(tool):
    for refusal in tool.refusals:
        assert refusal.exception in documentation(tool)


def test_the_corpus_is_large_enough():
    targets = [tool.target for tool in registry.TOOLS]
    assert len(set(targets)) == len(targets)
    assert len(PLANTED) >= 54
    assert len(SOUND) >= 12
    assert sum(tool.deep for tool in PLANTED) >= 18
    found = Counter(tool.category for tool in PLANTED)
    assert set(found) == set(Category.__args__)


def test_every_tool_of_the_modules_is_described():
    described = {tool.target for tool in registry.TOOLS}
    for theme in registry.THEMES:
        module = import_module(f"{registry.PACKAGE}.{theme}")
        for name, value in vars(module).items():
            if name.startswith("_") or inspect.isclass(value) or inspect.ismodule(value):
                continue
            own = getattr(value, "__module__", "") == module.__name__ or hasattr(value, "invoke")
            assert not own or f"{module.__name__}:{name}" in described, name


def test_no_tool_of_the_planted_ones_is_a_witness_reader():
    """The modules of tools know nothing of their faults, lest a fuzzer reads them there."""
    for theme in registry.THEMES:
        module = import_module(f"{registry.PACKAGE}.{theme}")
        assert "specification" not in inspect.getsource(module)


def test_a_fault_needs_every_field_that_is_given():
    fault = PLANTED[0].fault
    assert isinstance(PLANTED[0], Planted)
    assert fault.matches("raised", ("ValueError", "Exception"), "_minutes", "anything")
    assert not fault.matches("returned text", ("ValueError",), "_minutes", "")
    assert not fault.matches("raised", ("KeyError",), "_minutes", "")
    assert not fault.matches("raised", ("ValueError",), "next_departure", "")
