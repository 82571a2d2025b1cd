"""What nobody foresaw, what is refused on purpose, and what was not run, without a model."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
import standing_tools

from knitbone.config import FuzzConfig
from knitbone.fuzzing import engine
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.engine import replay
from knitbone.fuzzing.final_verdicts import ignoring_rule
from knitbone.fuzzing.findings import judge, standing_of
from knitbone.fuzzing.records import CallOutcome, Campaign, ExceptionOrigin, Finding
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.missing_resources import what_was_lacking
from knitbone.report.fuzz import estimate_words, news, refused_line

TOOLS = Path(standing_tools.__file__)
CONFIG = FuzzConfig(call_timeout_s=2.0)
STANDINGS = {
    "unhandled": (
        "converts", "looks_up", "parses_a_day", "names_a_zone", "raises_again", "asserts_silently",
        "raises_nothing_to_say", "passes_all_on", "passes_all_on_twice",
        "tells_an_interpreters_words", "reads_a_file_of_its_own",
    ),
    "refused": (
        "refuses", "refuses_by_a_type", "refuses_behind_a_handler", "refuses_for_everything",
        "refuses_what_is_not_there", "asserts_in_words", "lets_a_library_refuse",
        "reads_the_named_file", "says_so", "evaluates",
    ),
    "not run": (
        "needs_a_key", "needs_a_library", "needs_the_network", "needs_a_host",
        "says_that_it_has_no_network",
    ),
}  # fmt: skip


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("name", "standing"), [(name, one) for one, names in STANDINGS.items() for name in names]
)
def test_how_a_failure_stands(private: Path, name: str, standing: str, traced: bool) -> None:
    arguments: dict[str, Any] = {"text": "xyz"}
    with Sandbox(f"{TOOLS}:{name}", trace=traced) as sandbox:
        outcome = sandbox.call(0, arguments, timeout_s=5.0, trace=traced)
        verdict = judge(outcome, arguments, roots=sandbox.tools[0].roots)
    if standing == "not run" and outcome.status == "denied":
        assert verdict is None or verdict.standing == "not run"
    else:
        assert verdict is not None
        assert verdict.standing == standing, verdict


def error_of_a_server(text: str, **more: str) -> CallOutcome:
    body = {"isError": True, "content": text, **more}
    return CallOutcome(status="ok", text=msgspec.json.encode(body).decode())


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("Error executing tool t: list index out of range", "unhandled"),
        ("Error executing tool t: invalid literal for int() with base 10: 'xyz'", "unhandled"),
        ("Error executing tool t: 'place'", "unhandled"),
        ("'NoneType' object has no attribute 'split'", "unhandled"),
        ("Cannot read properties of undefined (reading 'name')", "unhandled"),
        ("Error executing tool t: no such city: 'xyz'", "refused"),
        ("Error processing time query: Invalid timezone: 'No time zone found'", "refused"),
        ("Repository xyz does not exist", "refused"),
        ("Failed to fetch: [Errno -3] Temporary failure in name resolution", "not run"),
    ],
)
def test_of_a_server_the_wording_tells(text: str, standing: str) -> None:
    verdict = judge(error_of_a_server(text), {"q": "xyz"}, roots=())
    assert verdict is not None
    assert verdict.standing == standing


@pytest.mark.parametrize(("name", "standing"), [("a\0", "refused"), ("a", "unhandled")])
def test_a_name_with_a_null_character_is_refused_by_the_system(name: str, standing: str) -> None:
    origin = ExceptionOrigin(by="operation", bases=("ValueError",))
    text = "embedded null byte"
    raised = CallOutcome(status="raised", exception="ValueError", message=text, origin=origin)
    for outcome in (raised, error_of_a_server(text)):
        verdict = judge(outcome, {"path": name}, roots=())
        assert verdict is not None
        assert verdict.standing == standing


@pytest.mark.parametrize(
    ("argument", "standing"),
    [
        ("x/" * 480, "refused"),
        ([[[1]]] * 300, "refused"),
        ({"id": "a", "parent": "a"}, "unhandled"),
        ("a" * 50, "unhandled"),
    ],
)
def test_only_a_small_argument_that_recurses_without_end_is_a_failure(argument, standing):
    origin = ExceptionOrigin(by="operation", bases=("RecursionError", "RuntimeError"))
    outcome = CallOutcome(
        status="raised", exception="RecursionError", message="maximum recursion depth exceeded",
        origin=origin,
    )  # fmt: skip
    verdict = judge(outcome, {"tree": argument}, roots=())
    assert verdict is not None
    assert verdict.standing == standing


@pytest.mark.parametrize(
    ("argument", "standing"), [("\ud800", "refused"), ('{"a": "\\ud800"}', "unhandled")]
)
def test_half_a_character_counts_only_where_a_document_carries_it(
    argument: str, standing: str
) -> None:
    outcome = CallOutcome(
        status="raised",
        exception="UnicodeEncodeError",
        message="'utf-8' codec can't encode character '\\ud800': surrogates not allowed",
        origin=ExceptionOrigin(by="operation", bases=("UnicodeEncodeError", "ValueError")),
    )
    verdict = judge(outcome, {"text": argument}, roots=())
    assert verdict is not None
    assert verdict.standing == standing


@pytest.mark.parametrize(
    ("cause", "standing"),
    [
        ("PermissionError: [Errno 13] Permission denied: '/tmp/state'", "not run"),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "not run"),
        ("RecursionError: maximum recursion depth exceeded", "unhandled"),
    ],
)
def test_a_server_that_ends_for_want_of_a_permission_was_not_run(cause: str, standing: str) -> None:
    message = f"the server ended during the call: {cause}"
    verdict = judge(CallOutcome(status="crash", message=message), {}, roots=())
    assert verdict is not None
    assert verdict.standing == standing


def test_an_interpreters_words_that_came_with_the_arguments_are_none_of_the_tools() -> None:
    outcome = CallOutcome(status="ok", text="Error: list index out of range is a common message")
    verdict = judge(outcome, {"log": "IndexError: list index out of range"}, roots=())
    assert verdict is not None
    assert verdict.standing == "refused"


def campaign_of(tmp_path: Path, body: str, **changes: Any) -> Campaign:
    file = tmp_path / "tools.py"
    file.write_text(body)
    return fuzz(f"{file}:tool", calls=120, config=msgspec.structs.replace(CONFIG, **changes))


DOCUMENTED = '''
import datetime
def tool(day: str) -> str:
    """The weekday of a day.

    {section}
    """
    return str(datetime.date.fromisoformat(day).weekday())
'''


@pytest.mark.parametrize(
    "section",
    [
        "Raises:\n        ValueError: the day is not written like 2024-05-01",
        "Raises:\n        TypeError, ValueError: the day is not written like 2024-05-01",
        "Raises\n    ------\n    ValueError\n        If there is no such day.",
        ":raises ValueError: if there is no such day",
        ":raises TypeError, ValueError: if there is no such day",
        ":raise :exc:`ValueError`: if there is no such day",
        "ValueError is raised where there is no such day.",
    ],
)
def test_what_the_documentation_announces_is_no_failure(
    private: Path, tmp_path: Path, section: str
) -> None:
    campaign = campaign_of(tmp_path, DOCUMENTED.format(section=section))
    assert campaign.findings
    assert news(campaign) == []


@pytest.mark.parametrize(
    ("told", "counts"),
    [
        ("The day.", True),
        ("The day, in the format YYYY-MM-DD.", False),
        ("The day, in the format YYYY-MM-DD. It can be left empty.", True),
    ],
)
def test_what_does_not_have_the_form_that_is_documented_is_refused(
    private: Path, tmp_path: Path, told: str, counts: bool
) -> None:
    body = DOCUMENTED.format(section=f"Args:\n        day: {told}")
    assert bool(news(campaign_of(tmp_path, body))) is counts


def test_another_exception_than_the_announced_one_is_a_failure(
    private: Path, tmp_path: Path
) -> None:
    campaign = campaign_of(tmp_path, DOCUMENTED.format(section="Raises:\n        KeyError: never"))
    assert [finding.exception for finding in news(campaign)] == ["ValueError"]


@pytest.mark.parametrize(
    ("announced", "operation", "message"),
    [
        ("ValueError", "max(text.split(), key=len)", "max()"),
        ("struct.error", "struct.unpack('<2q', text.encode()[:3])", "requires a buffer"),
    ],
)
def test_what_the_tool_raises_in_its_own_words_announces_no_other_operation(
    private: Path, tmp_path: Path, announced: str, operation: str, message: str
) -> None:
    body = (
        'import struct\ndef tool(text: str) -> str:\n    """The longest word.\n\n    Raises:\n'
        f'        {announced}: there is a digit in the text\n    """\n'
        "    if any(sign.isdigit() for sign in text):\n"
        f"        raise {announced}('text: no digits')\n"
        f"    return {operation}\n"
    )
    campaign = campaign_of(tmp_path, body)
    assert [message in finding.message for finding in news(campaign)] == [True]


def test_an_answer_that_looks_like_an_error_breaks_no_example(
    private: Path, tmp_path: Path
) -> None:
    body = (
        'def tool(service: str) -> str:\n    """The last entry of a log.\n\n    Args:\n'
        '        service: Its name, such as "web".\n    """\n'
        "    return {'web': 'RuntimeError: disk full', 'mail': 'well'}.get(service, 'none')\n"
    )
    assert news(campaign_of(tmp_path, body)) == []


def test_what_refuses_the_documentations_own_example_is_a_failure(
    private: Path, tmp_path: Path
) -> None:
    body = (
        'def tool(unit: str) -> str:\n    """Name a unit.\n\n    Args:\n'
        '        unit: Its sign, such as "km".\n    """\n'
        '    if unit != "m":\n        raise ValueError(f"no such unit: {unit}")\n    return unit\n'
    )
    campaign = campaign_of(tmp_path, body)
    assert [finding.because for finding in news(campaign)] == [
        "it refuses the documentation's own example"
    ]


def test_refusals_are_one_line_and_no_test(private: Path, tmp_path: Path) -> None:
    body = (
        "def tool(day: str) -> str:\n    if not day:\n        raise ValueError('day is empty')\n"
        "    if len(day) > 9:\n        raise ValueError(f'too long: {day}')\n    return day\n"
    )
    campaign = campaign_of(tmp_path, body)
    assert news(campaign) == []
    assert {finding.standing for finding in campaign.findings} == {"refused"}
    assert refused_line(campaign).startswith("2 ways, on purpose, not counted: ")
    result = replay(campaign.tool.target, {"day": ""}, config=CONFIG)
    assert result.failure is None
    assert "day is empty" in (result.refusal or "")


def finding(**changes: object) -> Finding:
    base = Finding(
        id="a", kind="raised", exception="json.decoder.JSONDecodeError", frame=None,
        message="Your Quota is used up", arguments={}, call=1,
        origin=ExceptionOrigin(by="operation", bases=("JSONDecodeError", "ValueError")),
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        (["ValueError"], "ValueError"),
        (["JSONDecodeError"], "JSONDecodeError"),
        (["json.decoder.JSONDecodeError"], "json.decoder.JSONDecodeError"),
        (["KeyError", "*quota*"], "*quota*"),
        (["quota"], ""),
        (["KeyError"], ""),
    ],
)
def test_ignore_rules_go_by_type_and_text(rules: list[str], rule: str) -> None:
    assert ignoring_rule(finding(), rules) == rule


def test_an_ignored_failure_is_told_and_does_not_count(private: Path, tmp_path: Path) -> None:
    body = "def tool(text: str) -> int:\n    return int(text)\n"
    campaign = campaign_of(tmp_path, body, ignore=("ValueError",))
    assert [each.ignored for each in campaign.findings] == ["ValueError"]
    assert news(campaign) == []


def test_one_reason_is_one_finding_however_it_is_worded(private: Path, tmp_path: Path) -> None:
    body = "import json\n\n\ndef tool(text: str) -> str:\n    return json.loads(text)['a']['b']\n"
    campaign = campaign_of(tmp_path, body)
    kinds = [each.exception for each in campaign.findings]
    assert len(kinds) == len(set(kinds))
    assert any(each.variants for each in campaign.findings)


def test_where_nothing_was_reached_nothing_is_estimated(private: Path, tmp_path: Path) -> None:
    body = "def tool(text: str) -> int:\n    return {}[text]\n"
    campaign = campaign_of(tmp_path, body)
    assert campaign.chao1 is None
    assert campaign.normal == 0
    assert "not known" in estimate_words(campaign)


@pytest.mark.parametrize(
    ("name", "standings"),
    [("tells_known_errors", {"refused"}), ("tells_an_interpreters_words", {"unhandled"})],
)
def test_an_answer_fails_only_where_something_was_raised(
    private: Path, tmp_path: Path, name: str, standings: set[str]
) -> None:
    campaign = fuzz(f"{TOOLS}:{name}", calls=30, config=CONFIG, examples=[{"text": "E1"}])
    returned = [each for each in campaign.findings if each.kind == "returned"]
    assert returned
    assert {each.standing for each in returned} == standings


LIBRARY = """
import functools
class LibraryError(Exception):
    pass
def told(error):
    raise LibraryError(f"{error}") from error
def wrapped(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except LibraryError:
            raise
        except Exception as error:
            told(error)
    return call
def parse(text):
    try:
        return int(text)
    except Exception as error:
        raise LibraryError(f"{error}") from error
"""


@pytest.mark.parametrize(
    ("statement", "standing"),
    [
        ("return math.log(len(text) - 3)", "unhandled"),
        ("return {'a': 1}[text]", "unhandled"),
        ("raise ValueError('there is no such text')", "refused"),
        ("return library.parse(text)", "refused"),
        ("return open('/etc/shadow-of-it/' + text).read()", "refused"),
    ],
)
def test_what_a_framework_puts_around_everything_decides_nothing(
    private: Path, tmp_path: Path, statement: str, standing: str
) -> None:
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "library.py").write_text(LIBRARY)
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / "tools.py"
    file.write_text(
        f"import math, sys\nsys.path.append({str(installed)!r})\nimport library\n"
        f"@library.wrapped\ndef tool(text: str) -> str:\n    {statement}\n"
    )
    arguments: dict[str, Any] = {"text": "xyz"}
    with Sandbox(f"{file}:tool") as sandbox:
        outcome = sandbox.call(0, arguments, timeout_s=5.0)
        verdict = judge(outcome, arguments, roots=sandbox.tools[0].roots)
    assert verdict is not None
    assert verdict.exception == "library.LibraryError"
    assert verdict.standing == standing, verdict


@pytest.mark.parametrize("told", [False, True])
def test_writing_without_end_is_a_failure_whoever_tells_it(
    private: Path, tmp_path: Path, told: bool
) -> None:
    end = "return f'An error occurred: {error}'" if told else "raise"
    body = (
        "def tool(text: str) -> str:\n    try:\n        with open('out', 'wb') as out:\n"
        "            for _ in range(200):\n                out.write(b'x' * 100_000)\n"
        f"    except OSError as error:\n        {end}\n    return 'done'\n"
    )
    campaign = campaign_of(tmp_path, body, file_size_mb=1)
    (found,) = news(campaign)
    assert "File too large" in found.message or found.kind == "disk"


def test_a_zone_that_does_not_exist_is_no_missing_library() -> None:
    def error_of(*chain: BaseException) -> BaseException:
        for outer, inner in pairwise(chain):
            outer.__context__ = inner
        return chain[0]

    missing = ModuleNotFoundError("No module named 'tzdata'", name="tzdata")
    unknown = error_of(ValueError("no such zone"), KeyError("no zone found"), missing)
    assert what_was_lacking(unknown, {}, on_purpose=True) is None
    direct = error_of(ValueError("install it"), missing)
    assert what_was_lacking(direct, {}, on_purpose=True) == "the library tzdata"


@pytest.mark.parametrize(
    ("section", "counts"),
    [
        ("Raises:\n        TypeError: If the parameters are not strings", True),
        ("Raises:\n        TypeError: if parameters are not the correct types", True),
        ("Raises:\n        TypeError: wrong type", True),
        ("Raises:\n        TypeError: if the text is not part of the list", False),
    ],
)
def test_an_announcement_about_types_covers_no_right_ones(
    private: Path, tmp_path: Path, section: str, counts: bool
) -> None:
    body = (
        f'import re\ndef tool(text: str) -> str:\n    """Find it.\n\n    {section}\n    """\n'
        "    return re.match('a*', text).group() + ({} if 'b' in text else '')\n"
    )
    assert bool(news(campaign_of(tmp_path, body))) is counts


def test_a_hang_of_our_own_watching_is_none(
    private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "import os, time\n\n\ndef tool(text: str) -> str:\n"
        "    if len(text) > 3 and os.environ.get('PYTHONHASHSEED') == '{}':\n"
        "        time.sleep(60)\n    return text\n"
    )
    monkeypatch.setattr(engine, "_MOST_HANGS", 3)
    short = {"call_timeout_s": 0.4}
    watched = campaign_of(tmp_path, body.format(0), **short)
    assert [found.kind for found in watched.findings] == []
    always = campaign_of(tmp_path, body.replace(" == '{}'", ""), **short)
    assert [found.kind for found in news(always)] == ["hang"]


def test_a_full_file_that_the_arguments_speak_of_is_the_callers() -> None:
    said = "Error: [Errno 27] File too large"
    outcome = CallOutcome(status="ok", text=said)
    assert judged_as(outcome, {"query": "b"}) == "unhandled"
    assert judged_as(outcome, {"query": said}) == "refused"
    full = CallOutcome(status="ok", text="Error: [Errno 28] No space left on device")
    assert judged_as(full, {"query": "b"}) == "refused"


def judged_as(outcome: CallOutcome, arguments: dict[str, Any]) -> str:
    return standing_of("returned", outcome, arguments, exception=None, message=outcome.text)[0]
