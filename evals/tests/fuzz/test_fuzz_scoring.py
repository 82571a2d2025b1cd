"""The benchmark of the fuzzer: findings told in the baseline's words, scored, counted, rendered."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from knitbone.fuzzing.records import Finding, StackFrame
from knitbone_evals.fuzz import library_table, planted_table, render, results
from knitbone_evals.fuzz.calling import Failure
from knitbone_evals.fuzz.figures import ratio, share_of_tools
from knitbone_evals.fuzz.plan import SPLITS, Run, Runner, Tools, library_tools, planted_targets
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.replaying import replay
from knitbone_evals.fuzz.reports import Found, Report, Task
from knitbone_evals.fuzz.running import reports
from knitbone_evals.fuzz.scoring import bases, score
from knitbone_evals.fuzz.trial import failure_of

TICKET = "knitbone_evals.fuzz.planted.travel:ticket_price"
DEPARTURE = "knitbone_evals.fuzz.planted.travel:next_departure"


def finding(kind, *, exception=None, file="/tools/shop.py", message="", arguments=None):
    frame = StackFrame(file=file, line=7, source="", function="price") if file else None
    return Finding(
        id="a1",
        kind=kind,
        exception=exception,
        frame=frame,
        message=message,
        arguments=arguments or {},
        call=3,
    )


def report_of(target, *found, **fields):
    numbers = {"calls": 9, "rejected": 0, "seconds": 0.5, **fields}
    return Report(target=target, findings=found, **numbers)


def raised(name, *, call=3, function="price", count=1, conforming=None):
    failure = Failure("raised", (name,), function, 7, "", f"{name} in {function}:7")
    return Found(failure, call, "{}", count=count, conforming=conforming)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ZeroDivisionError", ("ZeroDivisionError", "ArithmeticError", "Exception")),
        ("json.decoder.JSONDecodeError", ("JSONDecodeError", "ValueError", "Exception")),
        ("no.such.ThingError", ("ThingError",)),
        ("NoSuchBuiltin", ("NoSuchBuiltin",)),
    ],
)
def test_the_types_that_an_exception_derives_from_are_looked_up(name, expected):
    assert bases(name) == expected


@pytest.mark.parametrize(
    ("told", "kind", "key"),
    [
        (finding("raised", exception="shop.SoldOutError"), "raised", "SoldOutError in price:7"),
        (finding("memory"), "raised", "MemoryError in price:7"),
        (finding("exit"), "raised", "SystemExit in price:7"),
        (finding("hang", file=None), "hang", "hang"),
        (finding("crash", file=None), "crash", "crash"),
        (finding("output_type", file=None), "output type", "output type"),
        (finding("nondeterminism", file=None), "nondeterminism", "nondeterminism"),
        (
            finding("returned", file=None, message="Error: no file"),
            "returned text",
            "error no file",
        ),
        # The sandbox's token stands for a path.
        (
            finding(
                "returned",
                file=None,
                message="Error: cannot move '${SANDBOX}' into '${SANDBOX}/a'.",
                arguments={"to": "${SANDBOX}/a"},
            ),
            "returned text",
            "error cannot move into",
        ),
        # Not one by the rule that the baseline is counted by.
        (finding("returned", file=None, message="Unknown city."), "returned text", ""),
        # What the sandbox may have done.
        (finding("raised", exception="OSError", message="[Errno 13] No"), "raised", ""),
        # Refused before the tool was entered.
        (finding("raised", exception="TypeError", file=None), "raised", ""),
    ],
)
def test_a_finding_is_told_in_the_words_of_the_baseline(told, kind, key):
    failure = failure_of(told)
    assert failure.kind == kind
    assert failure.key == key


def test_a_frame_of_another_library_is_not_the_tools_own():
    theirs = "/venv/lib/site-packages/requests/api.py"
    own = "/venv/lib/site-packages/langchain_community/utilities/requests.py"
    assert failure_of(finding("raised", exception="OSError", file=theirs)).function == ""
    assert failure_of(finding("raised", exception="OSError", file=own)).function == "price"


def test_a_fault_is_found_by_a_type_that_its_exception_derives_from():
    tool = registry.by_target()[TICKET]
    found = raised("IndexError", call=4, function="ticket_price")
    later = raised("IndexError", call=6, function="ticket_price")
    scored = score(tool, report_of(TICKET, later, found))
    assert scored.found_at == 4
    assert scored.false == ()


def test_a_text_that_the_documentation_quotes_is_no_false_finding():
    tool = registry.by_target()[DEPARTURE]
    quoted, made_up = (
        Found(Failure("returned text", text=text), 1, "{}")
        for text in ("No such station.", "No such station!")
    )
    assert score(tool, report_of(DEPARTURE, quoted)).quoted == 1
    assert len(score(tool, report_of(DEPARTURE, made_up)).false) == 1


def test_the_fuzzer_is_run_in_a_worker_and_finds_a_fault():
    (report,) = reports("knitbone", [Task(TICKET, calls=40, timeout=5.0)])
    assert report.problem == ""
    assert report.calls == 40
    scored = score(registry.by_target()[TICKET], report)
    assert scored.found_at is not None
    assert scored.replays
    assert scored.seconds is not None
    assert scored.seconds <= report.seconds
    assert replay([report]) == {"commands": 2, "same failure": 2}


def test_a_reproducer_of_something_else_does_not_count():
    command = f"""knitbone fuzz {TICKET} --replay '{{"zone": 1}}' --expect abc"""
    wrong = msgspec.structs.replace(raised("IndexError"), reproducer=command)
    assert replay([report_of(TICKET, wrong)]) == {"commands": 1, "same failure": 0}


def test_the_splits_share_no_tool_and_leave_none_out():
    halves = [planted_targets(split=split).targets for split in SPLITS]
    assert sorted(target for half in halves for target in half) == sorted(registry.by_target())
    assert planted_targets(split="dev", only="travel:ticket").targets == (TICKET,)
    assert planted_targets(split="held", only="travel:ticket").targets == ()


def test_reports_that_are_kept_are_not_made_again(tmp_path, monkeypatch):
    asked = []

    def fake(_treatment, tasks, **_options):
        for task in tasks:
            asked.append(task.target)
            problem = "died" if task.target == "m:bad" else ""
            yield report_of(task.target, raised("KeyError"), problem=problem)

    monkeypatch.setattr("knitbone_evals.fuzz.plan.reports", fake)
    runner = Runner(folder=tmp_path)
    first = runner.run(Tools("some", ("m:a",)), Run("knitbone", 5, 0))
    again = runner.run(Tools("some", ("m:b", "m:a")), Run("knitbone", 5, 0))
    assert asked == ["m:a", "m:b"]
    assert [report.target for report in again] == ["m:b", "m:a"]
    assert again[1] == first[0]
    runner.run(Tools("some", ("m:a",)), Run("knitbone", 5, 1))
    assert asked[2:] == ["m:a"]
    for _ in range(2):
        Runner(folder=tmp_path).run(Tools("some", ("m:bad",)), Run("knitbone", 5, 0))
    assert asked[3:] == ["m:bad", "m:bad"]


def test_two_findings_that_one_rule_takes_for_one_are_one_error():
    report = report_of(
        "m:a()",
        raised("KeyError", call=9, count=2, conforming=True),
        raised("KeyError", call=4, count=3, conforming=False),
        raised("OSError", conforming=False),
        Found(Failure("crash", key="crash"), 1, "{}"),
        Found(Failure("returned text", text="Unknown city."), 1, "{}"),
    )
    errors = library_table.errors_of([report])
    assert len(errors) == 2
    joined = errors["m:a()", "raised", "KeyError in price:7"]
    assert (joined.call, joined.count, joined.conforming) == (4, 5, True)
    side = library_table.side([report])
    assert (side.errors, side.conforming, side.beyond, side.unread) == (2, 1, 1, 1)
    assert side.calls_per_error == 4.5
    assert side.seconds_per_error == 0.25


def test_files_for_the_library_tools_are_written(tmp_path):
    tools = library_tools(tmp_path, only="read_file")
    assert tools.targets == ("knitbone_evals.fuzz.library:read_file()",)
    assert {"menu.txt", "museum.db", "notes"} <= {path.name for path in tmp_path.iterdir()}
    assert tools.files == str(tmp_path)


def test_a_share_and_a_ratio_lie_within_their_intervals():
    hits = {f"theme{number % 3}:tool{number}": number % 4 != 0 for number in range(20)}
    middle, low, high = share_of_tools(hits)
    assert middle == 0.75
    assert 0 <= low < middle < high <= 1
    assert share_of_tools({}) is None
    middle, low, high = ratio([4, 2, 6], [2, 1, 1])
    assert middle == 3
    assert low < middle < high
    assert ratio([1], [0]) is None


class Fake(Runner):
    """Finds the fault of every second planted tool, and an error in each library tool."""

    def run(self, tools, run):
        found = [raised("IndexError", function="ticket_price")]
        if run.treatment == "baseline":
            found = []
        if tools.name == "library":
            found.append(raised("OSError", count=run.calls))
        return [report_of(target, *found, calls=run.calls) for target in tools.targets]


def test_everything_is_put_side_by_side(tmp_path):
    tools = Tools("planted", (TICKET, DEPARTURE))
    part = results.planted(Fake(), tools, [0, 1])
    groups = part["sides"]["knitbone, 200"]["groups"]
    assert groups[0] == {
        "group": "all planted",
        "tools": 2,
        "found": [1, 1],
        "median found": 1,
        "median call": 3.0,
        "median seconds": 0.0,
    }
    assert part["missed by the baseline"]["tools"] == [
        "travel:ticket_price",
        "travel:next_departure",
    ]
    assert part["missed by the baseline"]["found"] == [1, 1]
    assert part["missed by the fuzzer"] == {"hidden format": 1}
    whole = results.library(Fake(), library_tools(tmp_path), [0, 1])
    assert whole["union"] == [46, 46]
    assert whole["share of the union"] == [1.0, 1.0]
    assert whole["ratio"] == [2.0, 2.0]
    result = {"seeds": [0, 1], "planted": part, "library": whole, **results.provenance(None)}
    text = render.markdown(result)
    assert "| all planted | 2 | 1 / 1 | 0 / 0 | 0 / 0 |" in text
    assert "of these knitbone finds 1 / 1 in 200" in text
    assert "| read_file | 2 | 2 | 1 | 1 | 2 |" in text
    assert "Unique errors of knitbone over those of the baseline, 200 calls each: 2.0 / 2.0" in text


def test_single_tools_are_listed_without_their_witnesses():
    tool = registry.by_target()[TICKET]
    found = raised("IndexError", call=4, function="ticket_price")
    scores = [score(tool, report_of(TICKET, found)), score(tool, report_of(TICKET, problem="died"))]
    lines = list(planted_table.listing(scores, every=True))
    assert lines[0].split()[-4:] == ["found", "at", "call", "4"]
    assert "missed" in lines[1]
    assert lines[2].strip() == "travel:ticket_price: FUZZER FAILED died"
    assert not any(str(value) in "".join(lines) for value in tool.witness.values())


def test_the_command_line_runs_the_fuzzer_on_chosen_tools():

    command = [
        sys.executable,
        "-m",
        "knitbone_evals.fuzz",
        "--planted",
        "--calls",
        "30",
        "--verbose",
    ]
    done = subprocess.run(
        [*command, "--only", "travel:ticket"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert "travel:ticket_price" in done.stdout
    assert "found at call" in done.stdout
