"""A server's log is read as Python and rich write it; the exceptions are really raised."""

from __future__ import annotations

import importlib.util
import io
import traceback
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.traceback import Traceback

from knitbone.fuzzing.tools.mcp import report_in

SERVER = """
import sys


def operation(message):
    return {}[message]


def on_purpose(message):
    raise RuntimeError(message)


def passes_on(message):
    try:
        return [][len(message)]
    except Exception as error:
        raise RuntimeError(f"failed: {error}")


def words_anew(message):
    try:
        return int("x" + message)
    except ValueError as error:
        raise LookupError(message) from error


def without_cause(message):
    try:
        return int("x" + message)
    except ValueError:
        raise LookupError(message) from None


def notes(message):
    try:
        return 1 / 0
    except ZeroDivisionError as error:
        error.add_note(message)
        raise


def odd_type(message):
    class Odd(Exception):
        pass
    raise Odd(message)


def ends(message):
    raise StopAsyncIteration(message)


def groups(message):
    def made():
        try:
            return None.split(message)
        except AttributeError as error:
            return error
    raise ExceptionGroup(message, [made(), KeyError("x")])
"""
SDK = """
class ToolError(Exception):
    pass


def run(function, message, wraps=True):
    if not wraps:
        return function(message)
    try:
        return function(message)
    except Exception as error:
        raise ToolError("Error executing tool seat") from error


def group(function, message):
    try:
        function(message)
    except Exception as error:
        raise BaseExceptionGroup("unhandled errors in a TaskGroup", [error])
"""
EXPECTED: dict[str, tuple[str, str]] = {
    "operation": ("KeyError", "operation"),
    "on_purpose": ("RuntimeError", "tool"),
    "passes_on": ("RuntimeError", "operation"),
    "words_anew": ("LookupError", "tool"),
    "without_cause": ("LookupError", "tool"),
    "notes": ("ZeroDivisionError", "operation"),
    "odd_type": ("Odd", "tool"),
    "ends": ("StopAsyncIteration", "tool"),
    "groups": ("ExceptionGroup", "tool"),
}
"""What the call ended in, and who raised it: what ``sandbox/exception_origins.py`` says."""


def plain(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def drawn(error: BaseException) -> str:
    file = io.StringIO()
    console = Console(file=file, width=240, legacy_windows=False)
    console.print(Traceback.from_exception(type(error), error, error.__traceback__))
    return file.getvalue()


def logged(error: BaseException) -> str:
    """As a handler of ``logging`` writes it, between other entries."""
    return (
        "2026-01-02 03:04:05,678 INFO server: called\n"
        f"2026-01-02 03:04:05,679 ERROR server: Tool 'seat' failed\n{plain(error)}"
        "2026-01-02 03:04:05,680 INFO server: ValueError: not this\n"
    )


def drawn_in_a_column(error: BaseException) -> str:
    """As rich's handler of ``logging`` draws it."""
    lines = drawn(error).splitlines()
    head = "[11/26/26 22:54:49] ERROR    Tool 'seat' failed".ljust(80) + "server.py:455"
    return "\n".join([head, *(" " * 29 + line for line in lines)]) + "\n"


WRITERS: dict[str, Callable[[BaseException], str]] = {
    "plain": plain, "logged": logged, "drawn": drawn, "drawn in a column": drawn_in_a_column,
}  # fmt: skip
LINES = st.sampled_from(
    [
        "no such table", "line two", "", "  indented", "ValueError: within the message",
        "Traceback (most recent call last):", '  File "other.py", line 3, in other',
        "The above exception was the direct cause", "x: y", "During handling of it", "| a | b |",
        "Error executing tool seat: no", "raise ValueError('x')",
    ]
)  # fmt: skip
MESSAGES = st.lists(LINES, min_size=1, max_size=5).map("\n".join)


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, ModuleType]:
    """The server's own module, and one that lies where the SDK is installed."""
    folder = tmp_path_factory.mktemp("server")
    own, sdk = folder / "desk.py", folder / "site-packages" / "mcp" / "server" / "base.py"
    sdk.parent.mkdir(parents=True)
    made: list[ModuleType] = []
    for path, source in ((own, SERVER), (sdk, SDK)):
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made.append(module)
    return made[0], made[1]


def raised(call: Callable[[], object]) -> BaseException:
    try:
        call()
    except BaseException as error:
        return error.with_traceback(
            None if error.__traceback__ is None else error.__traceback__.tb_next
        )
    raise AssertionError("nothing was raised")


@given(st.data())
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", EXPECTED)
def test_an_exception_is_read_whatever_its_message_holds(
    modules: tuple[ModuleType, ModuleType], name: str, writer: str, data: st.DataObject
) -> None:
    own, sdk = modules
    message, wraps = data.draw(MESSAGES), data.draw(st.booleans())
    error = raised(lambda: sdk.run(getattr(own, name), message, wraps))
    report = report_in(WRITERS[writer](error), "Error executing tool seat")
    assert report is not None
    kind, by = EXPECTED[name]
    assert (report.exception.partition(":")[0].rpartition(".")[2], report.by) == (kind, by)
    assert report.place.startswith("desk.py:")
    if name in ("on_purpose", "words_anew", "without_cause", "odd_type"):
        said = [line.strip() for line in report.message.splitlines() if line.strip()]
        assert said == [line.strip() for line in message.splitlines() if line.strip()]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "groups"])
def test_a_group_that_a_library_made_is_looked_into(
    modules: tuple[ModuleType, ModuleType], name: str, writer: str
) -> None:
    own, sdk = modules
    error = raised(lambda: sdk.group(getattr(own, name), "no such table"))
    report = report_in(WRITERS[writer](error), "")
    assert report is not None
    kind, by = EXPECTED[name]
    assert report.exception.partition(":")[0].rpartition(".")[2] == kind
    if name != "passes_on":  # within a group only the last of a chain is read
        assert report.by == by


@pytest.mark.parametrize("writer", WRITERS)
def test_of_several_reports_the_one_that_the_answer_tells_of_counts(
    modules: tuple[ModuleType, ModuleType], writer: str
) -> None:
    own, _ = modules
    write = WRITERS[writer]
    first = write(raised(lambda: own.on_purpose("no such table")))
    last = write(raised(lambda: own.on_purpose("a cache is missing")))
    header = "2026-01-02 03:04:06,001 WARNING server: again\n"
    for told, message in (("no such table", "no such table"), ("it failed", "a cache is missing")):
        report = report_in(first + header + last, f"Error: {told}")
        assert report is not None
        assert report.message == message


@given(st.lists(LINES | st.text(max_size=40), max_size=30).map("\n".join))
def test_any_log_is_read(log: str) -> None:
    report_in(log, "")


@pytest.mark.parametrize(
    "log",
    ["", "all is well", "ValueError: no traceback", "Traceback (most recent call last):\n  x"],
)
def test_a_log_without_a_report_tells_of_none(log: str) -> None:
    assert report_in(log, "") is None
