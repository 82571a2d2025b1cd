"""``knitbone fuzz-docs``, over a server that speaks the model protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from knitbone.cli.app import group
from knitbone.fuzzing.documentation.search_files import load_campaign
from knitbone.testing import ModelServer, Reply

TOOL = '''
def lodge_price(nights: int, season: str) -> str:
    """Price of a stay in the lodge, in euros."""
    prices = {"low": 60, "high": 110}
    if season not in prices:
        raise ValueError(f"unknown season {season!r}")
    return f"{nights * prices[season]} euros"
'''
WAYS = [
    {"mask": "number", "thing": "3", "ways": ["3", "three", "3"]},
    {"mask": "season", "thing": "low", "ways": ["the low season", "winter", "low season"]},
]
SAID: dict[str, Any] = {
    "templates": 'Sure!\n```json\n{"templates": ["Price of [number] nights in [season]?"]}\n```',
    "infills": json.dumps({"infills": WAYS}),
    "answer": '{"answer": "About 180 euros."}',
    "rating": '{"reason": "it names no price", "score": 2}',
}
Run = Callable[..., Any]


def answer(body: dict[str, Any]) -> Reply:
    """Writer, agent and oracle in one."""
    messages = [message["content"] for message in body["messages"]]
    try:
        return Reply(text=SAID[json.loads(messages[-1])["task"]])
    except (ValueError, TypeError, KeyError):
        pass
    if messages[-1].startswith("Observation: "):
        return Reply(text="Final Answer: " + messages[-1].removeprefix("Observation: "))
    season = "winter" if "winter" in messages[1] else "low"
    call = json.dumps({"nights": 3, "season": season})
    return Reply(text=f"Thought: x\nAction: lodge_price\nAction Input: {call}")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The command in a folder of its own, with all roles configured."""
    (tmp_path / "lodge.py").write_text(TOOL)
    monkeypatch.chdir(tmp_path)
    with ModelServer(answer) as server:
        for role in ("AGENT", "WRITER", "ORACLE"):
            monkeypatch.setenv(f"KNITBONE_{role}_NAME", f"m-{role.lower()}")
            monkeypatch.setenv(f"KNITBONE_{role}_BASE_URL", server.base_url)

        def invoke(*arguments: str, says: str | None = None) -> Any:
            return CliRunner().invoke(group, list(arguments), input=says)

        yield invoke


def test_a_fault_is_shown_with_argument_and_sentence(run: Run) -> None:
    result = run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--html", "page.html")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[:10] == [
        "lodge_price(nights: int, season: str)    1 prompt set, 3 prompts, react / m-agent",
        '    1 misleading  The documentation does not say the form of `season`: "low" worked, '
        "\"winter\" failed (unknown season 'winter').",
        '      asked   "Price of 3 nights in the low season?"',
        '              "Price of three nights in winter?"',
        '              "Price of 3 nights in low season?"',
        '      calls   {"nights": 3, "season": "low"}  (prompt 1, 3)',
        '              {"nights": 3, "season": "winter"}  (prompt 2)',
        '      varies  season: "low" worked, "winter" failed',
        "      expects About 180 euros.",
        "      rated   2 of 10 by m-oracle: it names no price",
    ]
    assert "The documentation does not say the form of `season`" in Path("page.html").read_text()
    assert not Path(".knitbone/fuzz-docs/x").exists()


def test_faults_are_an_exit_code_and_json(run: Run) -> None:
    result = run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--exit-code", "--json")
    assert result.exit_code == 1
    record = json.loads(result.stdout)
    assert record["faults"][0]["lack"]["kind"] == "form"
    assert record["spent"]["model_calls"] == sum(s["model_calls"] for s in record["stages"])
    assert record["prompts"]["templates"] == "1"


def test_faults_are_reported_to_code_scanning_and_test_servers(run: Run) -> None:
    files = ("--sarif", "f/s.sarif", "--junit", "f/j.xml", "--html", "f/p.html")
    result = run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", *files)
    assert result.exit_code == 0, result.output
    log = json.loads(Path("f/s.sarif").read_text())["runs"][0]
    assert log["tool"]["driver"]["name"] == "knitbone fuzz-docs"
    (found,) = log["results"]
    assert found["ruleId"] == "tool-misleading"
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "lodge.py"
    assert place["region"]["startLine"] == 3, "the line of the docstring"
    suites = ET.fromstring(Path("f/j.xml").read_bytes())
    assert suites.get("name") == "knitbone fuzz-docs"
    case = suites.find("testsuite/testcase")
    assert case is not None
    assert case.get("name") == "misleading season lodge.py:3"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message", "").startswith("The documentation does not say the form of")


def test_calls_of_other_tools_are_told_of_a_group(run: Run, tmp_path: Path) -> None:
    """ToolFuzz, App. H.3; on the terminal at the end, in JSON and on the page."""
    more = 'def barn_price(nights: int) -> str:\n    """Price of a barn."""\n    return "9 euros"\n'
    (tmp_path / "inn.py").write_text(TOOL + more + "TOOLS = [lodge_price, barn_price]\n")
    options = ("--sets", "1", "--together")
    result = run("fuzz-docs", "inn.py:TOOLS", *options, "--html", "p.html")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-3:] == [
        "Calls of other tools: for 3 of 6 prompts",
        "  written for  called       prompts  in its place  worked",
        "  barn_price   lodge_price        3             3       2",
    ]
    assert "lodge_price was called for 3 of 3 prompts, for 3 of them in its place" in result.output
    assert "Which tools are confused with which" in Path("p.html").read_text()
    records = [json.loads(line) for line in run("fuzz-docs", "inn.py:TOOLS", *options, "--json")
               .stdout.splitlines()]  # fmt: skip
    assert [len(each["others"]) for each in records] == [0, 1]
    assert records[1]["others"][0]["tool"] == "lodge_price"


def test_a_baseline_lets_only_new_faults_fail(run: Run) -> None:
    search = ("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--baseline", "b.json")
    first = run(*search)
    assert first.exit_code == 1, first.output
    assert "b.json does not exist yet, so every finding is new" in first.output
    assert run(*search, "--update-baseline").exit_code == 0
    again = run(*search, "--junit", "j.xml")
    assert again.exit_code == 0, again.output
    assert "1 known from the baseline" in again.output
    assert "misleading" not in again.output
    assert 'skipped message="in the baseline"' in Path("j.xml").read_text()
    record = json.loads(run(*search, "--json").stdout)
    assert record["faults"][0]["finding"]["known"] is True


def test_fuzz_and_fuzz_docs_share_a_baseline(run: Run) -> None:
    """Neither forgets what the other one accepted, nor misses it."""
    docs = ("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--baseline", "b.json")
    calls = ("fuzz", "lodge.py:lodge_price", "--calls", "30", "--no-model", "--baseline", "b.json")
    run(*docs, "--update-baseline")
    accepted = json.loads(Path("b.json").read_text())["findings"]
    assert [each["kind"] for each in accepted] == ["misleading"]
    run(*calls, "--update-baseline")
    both = json.loads(Path("b.json").read_text())["findings"]
    assert accepted[0] in both
    for command in (docs, calls):
        said = run(*command)
        assert said.exit_code == 0, said.output
        assert "did not occur" not in said.output
    run(*docs, "--update-baseline")
    assert json.loads(Path("b.json").read_text())["findings"] == both


def test_a_search_that_looked_at_nothing_has_passed_no_test(run: Run) -> None:
    options = ("--sets", "1", "--max-tokens", "5", "--junit", "j.xml")
    run("fuzz-docs", "lodge.py:lodge_price", *options)
    suites = ET.fromstring(Path("j.xml").read_bytes())
    assert (suites.get("tests"), suites.get("skipped")) == ("1", "1")
    assert "stopped early" in Path("j.xml").read_text()


def test_no_fault_says_why(run: Run) -> None:
    result = run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--max-tokens", "5")
    assert result.exit_code == 0
    assert "no fault was found: stopped early: " in result.output


def test_without_an_oracle_the_other_checks_decide(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KNITBONE_ORACLE_NAME")
    result = run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1")
    assert "note: no model is configured for the role oracle" in result.stderr
    assert "misleading" in result.stdout
    refused = run("fuzz-docs", "lodge.py:lodge_price", "--check", "oracle")
    assert refused.exit_code == 2 or "oracle check needs a model" in str(refused.exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--check", "inputs"), "'inputs' is none of refused, input, output, oracle"),
        (("--normalise", "time"), "'time' is none of times, ids, order"),
        (("--resume", "--no-journal"), "--resume needs the journal"),
        (("--update-baseline",), "--update-baseline needs --baseline FILE"),
    ],
)
def test_options_that_cannot_be_are_refused(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    result = run("fuzz-docs", "lodge.py:lodge_price", *arguments)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize("agent", ["reakt", "json:nothing", "json:dumps", "nowhere:agent"])
def test_an_agent_that_is_none_is_told(run: Run, agent: str) -> None:
    result = run("fuzz-docs", "lodge.py:lodge_price", "--agent", agent)
    assert type(result.exception).__name__ == "ConfigError"
    assert agent in str(result.exception)


def test_a_function_of_query_and_tools_is_an_agent(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own_docs_agent.py").write_text(
        "def work(query, tools):\n"
        "    season = 'winter' if 'winter' in query else 'low'\n"
        "    return tools[0](nights=3, season=season)\n"
    )
    result = run(
        "fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--agent", "own_docs_agent:work"
    )
    assert "the form of `season`" in result.output, result.output


def test_a_search_is_saved_where_it_is_asked_for(run: Run, tmp_path: Path) -> None:
    run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1")
    assert not list(tmp_path.rglob("lodge.py_lodge_price-*.json"))
    run("fuzz-docs", "lodge.py:lodge_price", "--sets", "1", "--save", str(tmp_path / "kept"))
    (kept,) = (tmp_path / "kept").glob("lodge.py_lodge_price-*.json")
    assert load_campaign(kept).tool.name == "lodge_price"
