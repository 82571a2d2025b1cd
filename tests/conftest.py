"""Property tests draw the same examples in every run of the suite: a run says something about the
change at hand, not about luck, and nothing about how busy the machine is. ``python -m
knitbone_evals.adapt.contracts`` draws anew, and more."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", settings.get_profile("busy"), derandomize=True)
settings.load_profile("busy" if "KNITBONE_EXAMPLES" in os.environ else "suite")

TESTS = Path(__file__).parent
LONG = frozenset(
    {
        "common/test_expressions_cost.py",
        "adaptation/learning/test_learn.py",
        "adaptation/repair/test_defect_csv.py",
        "adaptation/scenario/test_defect_lexical_contracts.py",
        "adaptation/repair/test_defect_positional_contracts.py",
        "adaptation/scenario/test_defect_segmentation_contracts.py",
        "adaptation/scenario/test_defect_semantics_contracts.py",
        "adaptation/repair/test_defect_structured_json.py",
        "adaptation/repair/test_defect_syntax_contracts.py",
        "adaptation/repair/test_engine_contracts.py",
        "adaptation/runtime/test_launcher.py",
        "adaptation/runtime/test_prefork_servers.py",
        "adaptation/runtime/test_tool_arguments_contracts.py",
        "cli/test_app.py",
        "cli/test_fix.py",
        "cli/test_fuzz.py",
        "cli/test_run_record.py",
        "cli/test_standard_streams.py",
        "parsing/test_documents.py",
        "fuzzing/test_campaign.py",
        "fuzzing/test_companions.py",
        "fuzzing/test_declared_output.py",
        "fuzzing/test_deep_faults.py",
        "fuzzing/test_examine.py",
        "fuzzing/test_fixing.py",
        "fuzzing/test_fixing_origin.py",
        "fuzzing/test_fixing_overlays.py",
        "fuzzing/test_fuzz_baseline_file.py",
        "fuzzing/test_hostile_campaign.py",
        "fuzzing/test_jobs.py",
        "fuzzing/test_reach.py",
        "fuzzing/test_replay_targets.py",
        "fuzzing/test_reproducers.py",
        "fuzzing/test_resume.py",
        "fuzzing/test_sandbox.py",
        "fuzzing/test_sequences.py",
        "fuzzing/test_standing.py",
        "fuzzing/test_targets.py",
        "fuzzing/test_tools_mcp.py",
        "models/test_embedders.py",
        "quality/test_adapt_hostile.py",
        "report/test_pages_in_a_browser.py",
        "test_canary.py",
        "test_newcomer.py",
        "tethering/capture/test_conversations.py",
        "tethering/capture/test_trace.py",
    }
)
"""Files of tests that take 8 s of a processor or more: what searches at length, and what starts
many processes. ``make test`` leaves them out, ``make test-all`` and CI run them, too."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of long files."""
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).as_posix() in LONG:
            item.add_marker(pytest.mark.long)
