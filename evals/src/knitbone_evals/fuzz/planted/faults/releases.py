"""The faults in ``releases``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("releases", "count_changes"),
        category="embedded document",
        fault=raised("KeyError", "count_changes"),
        specification="under",
        lacks="what happens to entries right below the second version",
        witness={"changelog": "## 1.1\n### Added\n- a\n\n## 1.0\n- first", "version": "1.1"},
        normal={"changelog": "## 1.1\n### Added\n- a\n- b\n### Fixed\n- c", "version": "1.1"},
        more=(
            {"changelog": "", "version": "1.0"},
            {"changelog": "## 2\n### Fixed\n- c\n## 1\n### Fixed\n- d", "version": "1"},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "count_changes", "changelog: "),),
    ),
    Planted(
        target=target_of("releases", "in_rollout"),
        category="embedded document",
        fault=raised("UnicodeEncodeError", "in_rollout"),
        specification="ill",
        sentence="(any text that is not empty)",
        witness={"request": '{"user": "\\ud83d", "percent": 30}'},
        normal={"request": '{"user": "ada", "percent": 30}'},
        more=(
            {"request": '{"percent": 0, "user": "J\\u00fcrg \\ud83d\\ude00"}'},
            {"request": '{"user": "ben", "percent": 100, "team": null}'},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "in_rollout", "request: "),),
    ),
    Planted(
        target=target_of("releases", "switches"),
        category="state between calls",
        fault=raised("RuntimeError", "switches"),
        specification="ill",
        sentence='and "purge" removes those that are off.',
        witness={"action": "purge"},
        before=({"action": "add", "name": "dark_mode"},),
        normal={"action": "add", "name": "dark_mode"},
        more=({"action": "on", "name": "dark_mode"}, {"action": "purge"}),
        hard="state",
        refusals=(raised("ValueError", "switches", "name: "),),
    ),
)
