"""Findings as files: a record that ``--replay @FILE`` reads, and a test that pytest runs.

The test calls the tool in the sandbox, so it is safe to run, and fails as long as the tool fails
with these arguments. Whatever the tool said stands in comments only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.common.printable import printable
from knitbone.config import FuzzConfig
from knitbone.errors import InputFormatError
from knitbone.fuzzing.records import Campaign, Finding, json_text
from knitbone.fuzzing.replays import finding_file
from knitbone.record.events import Json

__all__ = ["ReplaySetting", "literal", "pytest_source", "save_findings", "save_tests"]

_REPEATED = 20
"""Equal characters from which a text is written as a product."""


class ReplaySetting(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay needs to be told, besides tool and arguments."""

    config: FuzzConfig = FuzzConfig()
    files: str | None = None
    allow_hosts: tuple[str, ...] = ()
    reset: str | None = None
    env: tuple[str, ...] = ()
    """Names; the values stay where they are."""
    setup: str | None = None


def save_findings(campaign: Campaign, directory: Path, setting: ReplaySetting) -> list[Path]:
    """Write ``ID/finding.json`` and ``ID/test_TOOL_ID.py`` for each finding that counts.

    Returns:
        The folders.

    Raises:
        InputFormatError: they cannot be written.
    """
    written: list[Path] = []
    for finding in filter(attrgetter("counts"), campaign.findings):
        folder = directory / finding.id
        _write(folder / "finding.json", json_text(finding_file(campaign, finding)) + "\n")
        source = pytest_source(campaign, finding, setting, folder=folder)
        _write(folder / _test_name(campaign, finding), source)
        written.append(folder)
    return written


def save_tests(campaign: Campaign, directory: Path, setting: ReplaySetting) -> list[Path]:
    """Write one test file for each finding that counts into a folder of tests.

    Raises:
        InputFormatError: they cannot be written.
    """
    written: list[Path] = []
    for finding in filter(attrgetter("counts"), campaign.findings):
        path = directory / _test_name(campaign, finding)
        _write(path, pytest_source(campaign, finding, setting, folder=directory))
        written.append(path)
    return written


def pytest_source(
    campaign: Campaign, finding: Finding, setting: ReplaySetting, *, folder: Path | None = None
) -> str:
    """A test module that fails as long as the tool fails with the finding's arguments.

    Args:
        folder: of the test; with it, pytest may be started in any folder, and the target is found
            where it is found now.
    """
    call = [
        f"    {literal(campaign.tool.target)},",
        *_arguments(finding.arguments),
        *_earlier_calls(finding),
        *_settings(setting),
    ]
    imports = ["from knitbone.fuzzing import replay"]
    fixture, moved = "", list[str]()
    if folder is not None:
        fixture, moved = "monkeypatch", [f"    monkeypatch.chdir({_way_home(folder)})"]
    if any(line.startswith("    config=") for line in call):
        imports.insert(0, "from knitbone.config import FuzzConfig")
    if any("Path(" in line for line in (*moved, *call)):
        imports.insert(0, "from pathlib import Path\n")
    lines = [
        *_comment(finding),
        f"# Found by knitbone fuzz with seed {campaign.seed}, call {finding.call}. The tool runs "
        "in a sandbox.",
        "",
        *imports,
        "",
        "",
        f"def {_test_name(campaign, finding).removesuffix('.py')}({fixture}):",
        *moved,
        "    result = replay(",
        *(f"    {line}" for line in call),
        "    )",
        "    assert result.failure is None, result.failure",
    ]
    return "\n".join(lines) + "\n"


def _comment(finding: Finding) -> Iterator[str]:
    """Say what fails, where, and in which words."""
    frame = finding.frame
    what = " ".join(part for part in (finding.kind, finding.exception or "") if part)
    place = "" if frame is None else f" at {Path(frame.file).name}:{frame.line}"
    yield f"# {printable(what + place, limit=90)}"
    if frame is not None and frame.source:
        yield f"#     {printable(frame.source, limit=90)}"
    if finding.message:
        yield f"# {printable(finding.message, limit=90)}"


def _earlier_calls(finding: Finding) -> list[str]:
    earlier = [f"        {literal(arguments)}," for arguments in finding.before]
    return ["    before=[", *earlier, "    ],"] if earlier else []


def _settings(setting: ReplaySetting) -> Iterator[str]:
    """Give the settings of the replay that are not the usual ones, a line each."""
    if setting.config.call_timeout_s != FuzzConfig().call_timeout_s:
        yield f"    config=FuzzConfig(call_timeout_s={setting.config.call_timeout_s!r}),"
    if setting.files is not None:
        yield f"    files=Path({literal(setting.files)}),"
    if setting.allow_hosts:
        yield f"    allow_hosts=[{', '.join(map(literal, setting.allow_hosts))}],"
    if setting.reset is not None:
        yield f"    reset={literal(setting.reset)},"
    if setting.env:
        yield f"    env=[{', '.join(map(literal, setting.env))}],"
    if setting.setup is not None:
        yield f"    setup={literal(setting.setup)},"


def _way_home(folder: Path) -> str:
    """From a test to the folder that names are relative to: this process's."""
    home, place = Path.cwd(), folder.resolve()
    if not place.is_relative_to(home):
        return literal(str(home))
    return f"Path(__file__).parents[{len(place.relative_to(home).parts)}]"


def literal(value: Json) -> str:
    """A JSON value as a Python expression of ASCII characters."""
    if isinstance(value, str):
        if len(value) >= _REPEATED and len(set(value)) == 1:
            return f"{_text(value[0])} * {len(value)}"
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "{" + ", ".join(f"{_text(key)}: {literal(item)}" for key, item in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in cast("list[Any]", value)) + "]"
    if isinstance(value, tuple):  # a call of another tool
        return "(" + ", ".join(literal(item) for item in cast("tuple[Any]", value)) + ")"
    return repr(value)


def _text(value: str) -> str:
    # In double quotes, as formatters have it; a quote that ascii() left alone is escaped.
    return '"' + ascii(value + '"')[1:-2].replace("\\'", "'").replace('"', '\\"') + '"'


def _arguments(arguments: dict[str, Json]) -> Sequence[str]:
    if not arguments:
        return ["    {},"]
    pairs = [f"        {_text(key)}: {literal(value)}," for key, value in arguments.items()]
    return ["    {", *pairs, "    },"]


def _test_name(campaign: Campaign, finding: Finding) -> str:
    tool = re.sub(r"\W+", "_", campaign.tool.name, flags=re.ASCII).strip("_").lower()[:60]
    return f"test_{tool}_{finding.id}.py"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.",
            next_step="Name another folder with --save, or use --no-save.",
        ) from error
