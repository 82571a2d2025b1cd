"""Replays of every kind of target: a sound call is sound, a failing one fails, as a command and as
the saved test, which turns green once the tool is mended."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from test_tools_frameworks import BODY, MODULES

from knitbone.cli.fuzz import command
from knitbone.fuzzing.engine import replay
from knitbone.fuzzing.records import Campaign, Estimate, Finding, ToolUnderTest, json_text
from knitbone.fuzzing.reproducers import ReplaySetting, pytest_source

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

FAULT, MENDED = "return [][len(city)]", 'return f"{city} is nowhere"'

PLAIN = '''
import functools
from dataclasses import dataclass
from pydantic import Field

def function(city: str, days: int = 3) -> str:
    """Forecast the weather."""
    return _forecast(city, days)

async def asynchronous(city: str, days: int = 3) -> str:
    return _forecast(city, days)

def generator(city: str, days: int = 3):
    yield _forecast(city, days)

def positional(city: str, /, days: int = 3) -> str:
    return _forecast(city, days)

def of_pydantic(city: str = Field(min_length=2), days: int = 3) -> str:
    return _forecast(city, days)

class Service:
    def search(self, city: str, days: int = 3) -> str:
        return _forecast(city, days)

    def __call__(self, city: str, days: int = 3) -> str:
        return _forecast(city, days)

    @staticmethod
    def apart(city: str, days: int = 3) -> str:
        return _forecast(city, days)

    @classmethod
    def of_class(cls, city: str, days: int = 3) -> str:
        return _forecast(city, days)

service = Service()
partial = functools.partial(function, days=1)
tools = [function, service.search]

def make():
    return function
'''
NAMES = (
    "function", "asynchronous", "generator", "positional", "of_pydantic", "service.search",
    "service", "Service.apart", "Service.of_class", "partial", "tools#search", "make()",
)  # fmt: skip

EXECUTOR = """
schema = {"name": "forecast", "description": "Forecast.", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"]}}

def execute(name, arguments):
    return _forecast(arguments["city"], arguments.get("days", 3))

actions = ([schema], execute)
"""

SERVER = '''
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("weather", log_level="ERROR")

@server.tool()
def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather."""
    return _forecast(city, days)

@server.resource("weather://{city}")
def weather(city: str) -> str:
    """The weather in a city."""
    return _forecast(city, 3)

if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
'''


class Place(NamedTuple):
    target: str
    module: Path
    extra: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def frameworks() -> list[str]:
    return [f"{name}:plain" for name in sorted(MODULES)]


@pytest.fixture(
    params=[*NAMES, "executor", *frameworks(), "stdio#forecast", "stdio#resource:weather"]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """One target of each kind, in a file of its own."""
    kind: str = request.param
    module = tmp_path / "weather_tools.py"
    if kind in NAMES:
        module.write_text(PLAIN + BODY)
        return Place(f"{module}:{kind}", module)
    if kind == "executor":
        module.write_text(EXECUTOR + BODY)
        return Place(f"{module}:actions", module)
    if kind.startswith("stdio"):
        pytest.importorskip("mcp")
        module.write_text(BODY + SERVER)
        words = shlex.join([sys.executable, str(module)])
        return Place(f"mcp:stdio:{words}#{kind.partition('#')[2]}", module)
    framework, _, tool = kind.partition(":")
    library, source = MODULES[framework]
    pytest.importorskip(library)
    module.write_text(source + BODY)
    return Place(f"{module}:{tool}", module)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Place]:
    """The same server over HTTP, outside of the sandbox."""
    pytest.importorskip("mcp")
    module = tmp_path / "weather_tools.py"
    module.write_text(BODY + SERVER)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(module), str(port)], cwd=tmp_path)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        target = f"mcp:http:http://127.0.0.1:{port}/mcp#forecast"
        yield Place(target, module, ("--allow-host", "127.0.0.1"), ("127.0.0.1",))
    finally:
        process.kill()
        process.wait()


def as_command(place: Place, city: str) -> int:
    arguments = [place.target, "--replay", json_text({"city": city}), *place.extra]
    done = CliRunner().invoke(command, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code


def as_saved_test(place: Place, city: str) -> str | None:
    """The failure that the saved test of a finding tells, or ``None`` where it is green."""
    finding = Finding(
        id="0123456789", kind="raised", exception="IndexError", frame=None, message=city,
        arguments={"city": city}, call=1,
    )  # fmt: skip
    campaign = Campaign(
        tool=ToolUnderTest(name="forecast", target=place.target, documentation="", schema={}),
        seed=1, calls=1, findings=(finding,), rejected=0, denied=0, minimisation_calls=0,
        chao1=Estimate(value=1, low=1, high=1),
    )  # fmt: skip
    names: dict[str, object] = {}
    source = pytest_source(campaign, finding, ReplaySetting(allow_hosts=place.hosts))
    exec(compile(source, "test_saved.py", "exec"), names)
    (test,) = [value for name, value in names.items() if name.startswith("test_")]
    try:
        test()  # pyright: ignore[reportCallIssue] - what the file defines
    except AssertionError as error:
        return str(error)
    return None


def check_replays(place: Place) -> None:
    assert as_command(place, "Oslo") == 1
    assert as_command(place, "Nowhere") == 0
    assert as_saved_test(place, "Oslo") is None
    assert as_saved_test(place, "Nowhere") is not None


def check_refused(place: Place) -> None:
    """A server that keeps what failed to itself: in doubt its error answer is a refusal."""
    assert as_command(place, "Oslo") == 1
    sound, failing = (
        replay(place.target, {"city": city}, allow_hosts=place.hosts).verdict
        for city in ("Oslo", "Nowhere")
    )
    assert sound is None
    assert failing is not None
    assert failing.standing == "refused"


def test_sound_calls_replay_as_sound_and_failing_ones_as_failing(
    private: Path, place: Place
) -> None:
    if "#resource" in place.target:
        check_refused(place)
        return
    check_replays(place)
    place.module.write_text(place.module.read_text().replace(FAULT, MENDED))
    assert as_saved_test(place, "Nowhere") is None


def test_a_server_over_http_replays_as_any_other(private: Path, web: Place) -> None:
    check_refused(web)


def test_chance_that_the_documentation_announces_replays_as_sound(
    private: Path, tmp_path: Path
) -> None:
    tool = tmp_path / "dice_tools.py"
    tool.write_text(
        "import random\n\ndef roll(sides: int) -> int:\n"
        '    """Rolls a die at random."""\n    return random.randrange(10**9)\n'
        "\ndef lot(sides: int) -> int:\n    return random.randrange(10**6)\n"
    )
    assert replay(f"{tool}:roll", {"sides": 6}).failure is None
    assert replay(f"{tool}:lot", {"sides": 6}).failure is not None
