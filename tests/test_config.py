"""Configuration: sources, their order, and what is said of mistakes."""

from __future__ import annotations

import pytest

from knitbone.config import (
    SCENARIOS,
    AdaptConfig,
    Config,
    FuzzConfig,
    is_disabled,
    load_config,
)
from knitbone.errors import ConfigError


def load(path, environ=None, **overrides):
    return load_config(directory=path, environ=environ or {}, **overrides)


def test_an_empty_environment_is_not_that_of_the_process(tmp_path, monkeypatch):
    monkeypatch.setenv("KNITBONE_FUZZ_CALLS", "7")
    assert load_config(directory=tmp_path, environ={}).fuzz.calls == FuzzConfig().calls
    assert load_config(directory=tmp_path).fuzz.calls == 7


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("fuzz.ignore", "ValueError, *quota*", ("ValueError", "*quota*")),
        ("fuzz.normalise", "times,ids", ("times", "ids")),
        ("adapt.without", "positional", ("positional",)),
        ("adapt.stateless", "", ()),
        ("record.redact", "a{1,2}\nb, c", ("a{1,2}", "b, c")),
    ],
)
def test_a_list_is_set_by_an_environment_variable(tmp_path, name, value, read):
    section, field = name.split(".")
    config = load(tmp_path, {f"KNITBONE_{section}_{field}".upper(): value})
    assert getattr(getattr(config, section), field) == read


def test_without_any_source_the_defaults_of_the_papers_hold(tmp_path):
    config = load(tmp_path)
    assert config == Config()
    assert config.adapt.tau_element == 3


def test_the_later_source_wins_file_then_environment_then_arguments(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.knitbone.adapt]\nmode = "observe"\nanalysis_s = 4\nbudget_ms = 10\n'
    )
    config = load(
        tmp_path,
        {"KNITBONE_ADAPT_ANALYSIS_S": "5", "KNITBONE_ADAPT_BUDGET_MS": "20"},
        adapt={"budget_ms": 30},
    )
    assert (config.adapt.mode, config.adapt.analysis_s, config.adapt.budget_ms) == (
        "observe", 5, 30,
    )  # fmt: skip


def test_knitbone_toml_goes_before_pyproject_and_is_found_from_a_folder_below(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.knitbone.fuzz]\ncalls = 1\n")
    (tmp_path / "knitbone.toml").write_text("[fuzz]\ncalls = 2\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert load(below).fuzz.calls == 2


def test_a_pyproject_without_our_table_does_not_hide_one_above(tmp_path):
    (tmp_path / "knitbone.toml").write_text("[fuzz]\ncalls = 2\n")
    below = tmp_path / "package"
    below.mkdir()
    (below / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load(below).fuzz.calls == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[adapt]\nmod = 'observe'", r"'mod' is not a known key.*Did you mean 'mode'"),
        ("[adpt]\nmode = 'observe'", r"'adpt' is not a known section.*Did you mean 'adapt'"),
        (
            "[adapt]\nmode = 'fix'",
            r"adapt\.mode: Invalid enum value 'fix'; known: repair, observe, strict\. "
            r"Correct it in .*knitbone\.toml\.",
        ),
        ("[adapt]\nscenario = ['tidy']", r"'tidy'; known: intact_text, .*no_contextual"),
        ("[fuzz]\ncalls = 'many'", r"fuzz\.calls: Expected `int`, got `str`\."),
        ("[adapt]\nbudget_ms = 0", r"adapt\.budget_ms: Expected `float` > 0"),
        ("[adapt]\nbudget_ms = nan", r"adapt\.budget_ms: Expected `float` > 0"),
        ("[adapt]\nbudget_embedding_ms = 9", r"'budget_embedding_ms' is not a known key"),
        ("[adapt]\ntau_element = 2", r"'tau_element' is not a known key"),
        ("[fuzz]\nsets = 0", r"fuzz\.sets: Expected `int` >= 1"),
        ("[adapt]\ntau_relevance = 1.5", r"adapt\.tau_relevance: Expected `float` <= 1"),
        ("adapt = 3", r"'adapt' in .* is 3, not a table"),
        ("[adapt", "is not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_next_step(tmp_path, text, message):
    (tmp_path / "knitbone.toml").write_text(text)
    with pytest.raises(ConfigError, match=f"(?s){message}"):
        load(tmp_path)


def test_a_mistyped_environment_variable_is_named(tmp_path):
    with pytest.raises(ConfigError, match="the environment"):
        load(tmp_path, {"KNITBONE_ADAPT_MOD": "observe"})


def test_of_several_sources_the_one_that_holds_the_mistake_is_named(tmp_path):
    (tmp_path / "knitbone.toml").write_text("[adapt]\nmode = 'observe'\n")
    with pytest.raises(ConfigError, match="Correct it in the environment: KNITBONE_ADAPT_MODE"):
        load(tmp_path, {"KNITBONE_ADAPT_MODE": "observ"})
    with pytest.raises(ConfigError, match="Correct it in the arguments"):
        load(tmp_path, {"KNITBONE_ADAPT_MODE": "strict"}, adapt={"mode": "observ"})


@pytest.mark.parametrize(
    ("value", "disabled"),
    [("1", True), ("true", True), ("yes", True), ("on", True)]
    + [(value, False) for value in ("", "0", "false", "False", "no", "off", "OFF")],
)
def test_the_switch_takes_the_usual_words(monkeypatch, value, disabled):
    monkeypatch.setenv("KNITBONE_DISABLED", value)
    assert is_disabled() is disabled


def test_scenario_requirements_are_off_and_one_word_switches_all_of_them_on(tmp_path):
    assert load(tmp_path).adapt.scenario == ("declared",)
    for given in ({"KNITBONE_ADAPT_SCENARIO": "all"}, {"KNITBONE_ADAPT_SCENARIO": "all,declared"}):
        assert load(tmp_path, given).adapt.scenario == SCENARIOS
    (tmp_path / "knitbone.toml").write_text('[adapt]\nscenario = ["all"]\n')
    assert load(tmp_path).adapt.scenario == SCENARIOS
    assert AdaptConfig(scenario=("all",)).scenario == SCENARIOS
    assert len(set(SCENARIOS)) == 7
    assert "all" not in SCENARIOS
    (tmp_path / "knitbone.toml").unlink()
    environ = {"KNITBONE_ADAPT_SCENARIO": "intact_text, succinct_content"}
    assert load(tmp_path, environ).adapt.scenario == ("intact_text", "succinct_content")
    assert load(tmp_path, {"KNITBONE_ADAPT_SCENARIO": ""}).adapt.scenario == ()
    assert load(tmp_path, adapt={"scenario": ["intact_text"]}).adapt.scenario == ("intact_text",)


def test_the_table_of_pyproject_in_a_file_of_ours_is_told_apart(tmp_path):
    (tmp_path / "knitbone.toml").write_text("[tool.knitbone.adapt]\nbudget_ms = 3\n")
    with pytest.raises(ConfigError, match=r"is the way of pyproject\.toml.*\[adapt\]"):
        load(tmp_path)
