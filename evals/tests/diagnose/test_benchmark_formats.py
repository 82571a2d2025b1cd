"""The files of τ-bench, τ²-bench, Who&When and AgentRx: read where this package is installed, and
refused by their name where it is not."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from benchmark_files import ALGORITHM_LOG, GROUND_TRUTH, MAGENTIC, TAU2, tau_record
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from recorded_logs import SEATS

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
    Usage,
    encode_json,
)
from knitbone.tethering.diagnosis.engine import FileImported, FileSkipped, diagnose, diagnose_paths
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import (
    FORMATS,
    LabelsOnlyError,
    import_bytes,
    registry,
)
from knitbone_evals.formats import agentrx, tau2_bench, tau_bench, who_and_when
from knitbone_evals.formats.agentrx import read_ground_truth

READERS = {
    "agentrx": agentrx,
    "tau-bench": tau_bench,
    "tau2-bench": tau2_bench,
    "who-and-when": who_and_when,
}


def load(value, source_format="auto"):
    return import_bytes(json.dumps(value).encode(), path="runs.json", source_format=source_format)


def only(value):
    (item,) = load(value)
    return item.run


def diagnosis_of(value):
    return diagnose(only(value))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([tau_record(), tau_record(4)], ["tau-bench", "tau-bench"]),
        (tau_record(), ["tau-bench"]),
        ([tau_record(records={})], ["agentrx"]),
        ([tau_record(traj=[{"index": 1, **SEATS[0]}])], ["agentrx"]),
        (ALGORITHM_LOG, ["who-and-when"]),
        (MAGENTIC, ["agentrx"]),
        (TAU2, ["tau2-bench"]),
    ],
)
def test_a_format_is_recognised_by_its_structure(value, expected):
    assert [item.run.origin.format for item in load(value)] == expected


def test_the_same_content_gives_the_same_run_identifier():
    assert only([tau_record()]).id == only([tau_record()]).id
    assert only([tau_record()]).id != only([tau_record(4)]).id


@pytest.mark.parametrize(
    ("reward", "success"), [(1.0, True), (1, True), (0.0, False), (0.5, False)]
)
def test_the_reward_is_the_verdict(reward, success):
    assert load([tau_record(reward=reward)])[0].run.outcome.success is success


def test_who_and_when_says_failed_and_magentic_says_nothing():
    assert load(ALGORITHM_LOG)[0].run.outcome.success is False
    assert load(MAGENTIC)[0].run.outcome is None


@pytest.mark.parametrize("value", [[tau_record()], ALGORITHM_LOG])
def test_labels_never_enter_the_run(value):
    (item,) = load(value)
    assert b"GOLD" in encode_json(item.labels)
    assert b"GOLD" not in encode_json(item.run)
    assert b"mistake" not in encode_json(item.run)


def test_the_label_carries_the_blamed_index():
    (item,) = load(ALGORITHM_LOG)
    assert (item.labels[0].kind, item.labels[0].run, item.labels[0].body["index"]) == (
        "label", item.run.id, 3,
    )  # fmt: skip


def test_who_speaks_comes_from_the_name_or_the_role():
    spoken = load(ALGORITHM_LOG)[0].run.events[1:-1]
    assert [e.agent for e in spoken if isinstance(e, ModelCall)] == [
        "Coast_Expert", "Code_Expert", "Coast_Expert", "Code_Expert",
    ]  # fmt: skip
    delegated = load(MAGENTIC)[0].run.events[2]
    assert delegated.agent == "Orchestrator"
    assert delegated.attributes == {"knitbone.message.mode": "WebSurfer"}


def test_a_code_executor_is_the_environment_whatever_its_name():
    roles = [e.role for e in load(ALGORITHM_LOG)[0].run.events if isinstance(e, Message)]
    assert roles == ["system", "environment", "environment"]
    assert load(MAGENTIC)[0].run.events[5].role == "environment"


def test_the_root_cause_is_found_though_identifiers_differ_in_type():
    (cause,) = read_ground_truth(GROUND_TRUTH, "truth.json")
    assert (cause.trajectory, cause.index, cause.category) == ("ferry", 3, "Wrong page")


def test_a_file_of_labels_is_refused_as_such():
    with pytest.raises(LabelsOnlyError, match="holds ground-truth labels, no runs"):
        load(GROUND_TRUTH)


def test_tau2_results_are_runs_and_their_labels_stay_apart():
    (item,) = load(TAU2)
    run = item.run
    assert run.origin.format == "tau2-bench"
    assert run.origin.identity == {"task_id": "telecom-7", "trial": 0, "id": "sim-1"}
    assert run.task == "No data on the phone.\nYou are Brandt.\nBe brief."
    assert run.outcome == Outcome(id=f"{run.id}.outcome", success=False, reward=0.0)
    assert b"GOLD" in encode_json(item.labels)
    assert b"GOLD" not in encode_json(run)
    policy, first, _, asked, failed, _, toggled, report, _ = run.events[:-1]
    assert (policy.role, policy.content, policy.position) == ("system", "Never promise data.", None)
    assert first.usage == Usage(input_tokens=20, output_tokens=7, cost_usd=0.25)
    assert first.started_ns == 1_748_772_001_500_000_000
    assert (failed.name, failed.arguments, failed.parent) == (
        "get_line",
        {"phone": "555-0199"},
        asked.id,
    )
    assert failed.error.message == "Error: line L77 not found"
    # What the simulated user did with its phone is no decision of the agent.
    assert toggled.attributes["knitbone.user.tool_calls"] == [
        {"name": "toggle_airplane_mode", "arguments": {}}
    ]
    assert (report.role, report.content) == ("environment", "Airplane mode is now OFF.")
    assert [event for event in run.events if isinstance(event, ToolCall)] == [failed]


def test_one_tau2_simulation_and_a_list_of_them_are_runs():
    (simulation,) = TAU2["simulations"]
    assert only(simulation).origin.format == "tau2-bench"
    assert len(load([simulation, simulation | {"trial": 1}])) == 2
    # One that knows its own policy, and an agent that works alone on a ticket.
    own = TAU2 | {
        "simulations": [simulation | {"policy": "Mine."}],
        "tasks": [{"id": "telecom-7", "ticket": "No data.", "user_scenario": None}],
    }
    run = only(own)
    assert (run.events[0].content, run.task) == ("Mine.", "No data.")
    spoken = {"role": "user", "content": "UklGRg==", "is_audio": True, "audio_script_gold": "Hi."}
    assert only(simulation | {"messages": [spoken]}).events[0].content == "Hi."


def test_an_index_of_tau2_simulations_says_where_they_are():
    index = {k: v for k, v in TAU2.items() if k != "simulations"} | {
        "simulation_index": [{"id": "sim-1", "task_id": "telecom-7", "trial": 0, "reward": 0.0}]
    }
    with pytest.raises(LabelsOnlyError) as caught:
        load(index)
    assert "simulations/" in caught.value.next_step


@pytest.mark.parametrize("value", [[tau_record()], ALGORITHM_LOG])
def test_the_labels_make_no_difference(value):
    changed = json.loads(json.dumps(value).replace("GOLD", "OTHER"))
    if isinstance(changed, dict):
        changed |= {"mistake_step": "0", "mistake_agent": "Code_Expert", "mistake_reason": "x"}
    else:
        changed[0]["info"]["task"]["actions"] = []
    assert encode_json(diagnosis_of(value)) == encode_json(diagnosis_of(changed))


def test_labels_given_directly_are_an_error_and_in_a_folder_passed_over(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(ALGORITHM_LOG))
    (tmp_path / "b.json").write_text(json.dumps(GROUND_TRUTH))
    files = [e for e in diagnose_paths([tmp_path]) if isinstance(e, FileImported | FileSkipped)]
    assert [type(event) for event in files] == [FileImported, FileSkipped]
    (event,) = diagnose_paths([tmp_path / "b.json"])
    assert "no runs" in str(event.error)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([tau_record(), 3], "record 1: expected an object, found 3"),
        ([tau_record(), tau_record(traj="x")], "record 1, traj: expected a list, found 'x'"),
        ([tau_record(traj=[{"content": "x"}])], "traj[0].role: expected text, found null"),
        ([tau_record(traj=[{"role": "user", "content": 3}])], "traj[0].content: expected a list"),
        ([tau_record(traj=[{"role": "bot", "content": ""}])], "'bot' is not a role"),
        ([tau_record(reward="high")], "reward: expected a number, found 'high'"),
        ({**ALGORITHM_LOG, "history": [{"role": "x"}, None]}, "history[1]: expected an object"),
        ({"simulations": [{"messages": [{"role": "robot"}]}]}, "'robot' is not a role of τ²-bench"),
        ({"simulations": [{"messages": None, "ticks": [1]}]}, "record 0: a voice simulation"),
    ],
)
def test_a_broken_record_is_named_with_place_and_value(value, said):
    with pytest.raises(InputFormatError) as caught:
        load(value)
    assert said in caught.value.message
    assert caught.value.next_step


def test_a_named_format_is_not_second_guessed():
    with pytest.raises(InputFormatError, match="expected a list, found null"):
        load({"messages": SEATS}, "tau-bench")
    with pytest.raises(InputFormatError, match="simulations: expected a list, found 'none'"):
        load({"simulations": "none"}, "tau2-bench")


def test_another_format_is_suggested_where_the_named_one_does_not_fit():
    with pytest.raises(InputFormatError) as caught:
        load([tau_record()], "who-and-when")
    assert caught.value.next_step == "The file looks like tau-bench: leave out --format."


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "name", "id", "function"]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
WHOLE = [
    ("tau-bench", [tau_record(), tau_record(4)]),
    ("agentrx", MAGENTIC),
    ("agentrx", [tau_record(records={})]),
    ("agentrx", GROUND_TRUTH),
    ("who-and-when", ALGORITHM_LOG),
    ("tau2-bench", TAU2),
    ("tau2-bench", TAU2["simulations"][0]),
    ("tau2-bench", TAU2["simulations"]),
    ("tau2-bench", {"info": {}, "tasks": [], "simulation_index": [{"id": "sim-1"}]}),
]


GONE = object()


def paths_in(value, path=()):
    yield path
    items = (
        value.items() if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list) else ()
    )  # fmt: skip
    for key, item in items:
        yield from paths_in(item, (*path, key))


def with_replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if path[1:] or new is not GONE:
        copy[path[0]] = with_replaced(value[path[0]], path[1:], new)
    else:
        del copy[path[0]]
    return copy


@st.composite
def damaged(draw):
    """A good file with up to two of its nodes, often high ones, taken away or replaced."""
    name, value = draw(st.sampled_from(WHOLE))
    for _ in range(draw(st.integers(0, 2))):
        paths = sorted(paths_in(value), key=str)
        high = [path for path in paths if 1 <= len(path) <= 2]
        path = draw(st.sampled_from(paths) | st.sampled_from(high or paths))
        value = with_replaced(value, path, draw(st.just(GONE) | JSON) if path else draw(JSON))
    return name, value


@settings(max_examples=400, deadline=None)
@given(damaged(), st.booleans())
def test_a_damaged_file_gives_runs_or_an_input_error(file, named):
    name, value = file
    with suppress(InputFormatError):
        for item in load(value, name if named else "auto"):
            assert isinstance(item.run, Run)
            assert encode_json(item.run)
            build_units(item.run)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from([*READERS]))
def test_arbitrary_json_gives_runs_or_an_input_error(value, source_format):
    with suppress(InputFormatError):
        assert load(value, source_format)


@settings(max_examples=400, deadline=None)
@given(damaged())
def test_no_file_is_claimed_by_two_of_these_formats(file):
    assert sum(reader.recognises(file[1]) for reader in READERS.values()) <= 1


@settings(max_examples=600, deadline=None)
@given(damaged())
def test_what_one_of_these_formats_reads_is_refused_where_they_are_not_installed(file):
    """The product's table of look-alikes misses nothing that a reader here takes for its own."""
    _, value = file
    assume(any(reader.recognises(value) for reader in READERS.values()))
    built_in = (one for one in FORMATS.values() if one.name != "messages")
    assume(not any(one.recognises(value) for one in built_in))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_installed", lambda: registry._Installed({}, {}))
        with pytest.raises(InputFormatError) as caught:
            load(value)
    assert "knitbone-evals" in caught.value.next_step
