"""Configuration: ``[tool.knitbone]`` in pyproject.toml or knitbone.toml, then environment
variables ``KNITBONE_*``, then keyword arguments; the later wins.

An environment variable names section and field: ``KNITBONE_ADAPT_MODE=observe``. Unknown keys
are an error that names the nearest valid one. A threshold that a user may want to change is a field
here, under the paper's own name, with its section beside it.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, cast, get_args, get_origin

import msgspec

from knitbone._switch import is_disabled
from knitbone.errors import ConfigError

__all__ = [
    "SCENARIOS",
    "AdaptConfig",
    "Config",
    "EmbedderConfig",
    "FuzzConfig",
    "ModelConfig",
    "ModelPrice",
    "RecordConfig",
    "Scenario",
    "SupervisionSettings",
    "TetherConfig",
    "is_disabled",
    "load_config",
]

_RESERVED = {"KNITBONE_DISABLED", "KNITBONE_LOG", "KNITBONE_TRUST"}
"""Switches that are read where they act, not configuration fields."""


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One chat model. Nothing leaves the machine for a role until its ``name`` is set."""

    provider: Literal["openai", "anthropic", "recorded"] = "openai"
    """``openai`` is any endpoint that speaks its protocol (vLLM, Ollama, llama.cpp, ...)."""
    name: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; keys are never configured in files."""
    timeout_s: float = 60.0
    """Longest wait for an answer."""
    max_retries: int = 3
    """Of the provider's library, which decides what it tries again."""
    temperature: float | None = None
    max_tokens: int = 1024
    price_input_usd_per_million: float | None = None
    price_output_usd_per_million: float | None = None
    cassette: str | None = None
    """Path of the cassette when ``provider`` is ``recorded``."""
    given_by: dict[str, str] = {}
    """By field that decides where requests and keys go: the project's file that gave it. Made by
    ``load_config``; such a field holds where the file's folder is trusted
    (:mod:`knitbone.models.trust`)."""


class EmbedderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sentence embedder."""

    provider: Literal["embedded", "openai"] = "embedded"
    name: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    cache: bool = True
    """Keep vectors in a file of the user's cache directory."""
    given_by: dict[str, str] = {}
    """As ``ModelConfig.given_by``."""


class ModelPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model costs."""

    input_usd_per_million: float
    output_usd_per_million: float


class RecordConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is recorded, and what never reaches the disk."""

    store: str = ".knitbone/runs.sqlite"
    redact: tuple[str, ...] = ()
    """Further regular expressions whose matches are removed before anything is written."""
    max_text: int = 1_000_000
    """Characters kept of one text."""
    prices: dict[str, ModelPrice] = {}
    """By model, for the cost of recorded calls; a name stands for all models that begin with it."""


Scenario = Literal[
    "intact_text",
    "relevant_content",
    "consistent_lexical_features",
    "no_repeated_behaviour",
    "succinct_content",
    "no_contextual_redundancy",
    "declared",
    "all",
]
"""The six requirements of Comfrey §4.2, what people declare one by one, and all of these."""
SCENARIOS: tuple[Scenario, ...] = get_args(Scenario)[:-1]
"""What ``all`` stands for."""


_Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
_Milliseconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Similarity: TypeAlias = Annotated[float, msgspec.Meta(ge=-1, le=1)]


class AdaptConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Run-time adaptation (Comfrey)."""

    mode: Literal["repair", "observe", "strict"] = "repair"
    budget_ms: _Milliseconds = 50.0
    """Processor time of its thread that may be spent on one output before the original is returned;
    on the clock up to twenty times as much, on a machine that has no more to give. Ten times as
    much where sentences have to be embedded, or a whole document is cut."""
    analysis_s: _Seconds = 10.0
    """CPU time in which the modules that a decorated function leads to must be read (ours: 30,000
    lines take that long); for a program under ``knitbone run`` it is six times as much. Then the
    application runs as it is."""
    stateless: tuple[str, ...] = ()
    """Tools whose output depends on their arguments alone, as ``module:name`` or ``name``."""
    tau_relevance: _Similarity | None = None
    """Comfrey §4.3.3; by default the embedder's own, which is the paper's 0.7 for its model."""
    tau_redundancy: _Similarity | None = None
    """Comfrey §4.5.2; by default the embedder's own."""
    without: tuple[str, ...] = ()
    """Heuristics that are switched off: a defect's package (``positional``) or one heuristic of
    it (``positional.reorder``)."""
    scenario: tuple[Scenario, ...] = ("declared",)
    """Comfrey §4.2: the requirements from the scenario that are looked at. ``declared`` are those
    that a person asked for where they hold: an entry of the requirements file that somebody wrote
    or edited, a tool that is said to be stateless. *Departure:* the paper looks at all six
    everywhere; what they act on conforms to all code, and each changes texts that are as they
    should be (``evals/results/adapt_prose.md``)."""
    quiet: bool = False
    """Print no line for a decorated function in which nothing is adapted."""
    tau_element: ClassVar[int] = 3
    """Comfrey §4.3.1: a record with this many missing and extraneous elements is not this
    template. Not a setting."""

    @property
    def budget_embedding_ms(self) -> float:
        """``budget_ms`` where sentences have to be embedded, or a whole document is cut."""
        return 10 * self.budget_ms

    def __post_init__(self) -> None:
        if "all" in self.scenario:
            msgspec.structs.force_setattr(self, "scenario", SCENARIOS)


class FuzzConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tool fuzzing (ToolFuzz)."""

    calls: int = 200
    seed: int = 0
    call_timeout_s: float = 5.0
    """Wall clock allowed to one tool call."""
    memory_mb: int = 1024
    file_size_mb: int = 16
    """Largest file a tool may write."""
    minimise_calls: int = 100
    """Calls spent on making the arguments of one finding smaller."""
    time_s: Annotated[float, msgspec.Meta(gt=0)] = 300.0
    """ToolFuzz §5, App. A: wall clock allowed to one tool, in seconds; hard."""
    max_tokens: int | None = None
    """Hard: no model call for a tool once it has used so many tokens."""
    max_usd: float | None = None
    """Hard: no model call for a tool once it has cost so many US dollars."""
    agent: Literal["react", "tool-calling"] = "react"
    """ToolFuzz §5.1: how the agent works that the written queries are tried on."""
    sets: Annotated[int, msgspec.Meta(ge=1)] = 5
    """ToolFuzz §4.2: prompt sets that are written for one tool, to find where its documentation
    misleads an agent."""
    prompts: Annotated[int, msgspec.Meta(ge=2)] = 3
    """ToolFuzz §4.2, n: synonymous prompts of one set."""
    normalise: tuple[Literal["times", "ids", "order"], ...] = ()
    """What the outputs of synonymous prompts may differ in: times and dates; identifiers and
    addresses; the order of lines and of list entries."""
    prompt_folder: str | None = None
    """Folder of files that are used in place of the packaged prompts of the same names, by
    ``knitbone fuzz-docs`` and ``knitbone fix``."""
    ignore: tuple[Annotated[str, msgspec.Meta(min_length=1)], ...] = ()
    """Failures that do not count: names of exception types (``"ValueError"``, with all that derive
    from it), and texts (``"*quota*"``, where ``*`` is any text) that a message has to match whole,
    in any case."""


class SupervisionSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a check of supervision speaks, and what holds it back."""

    loop_limits: dict[str, _Count] = {}
    """Tool → times that a call of it comes with equal results until it is a loop; 0: never."""
    loops_without_guidance: bool = False
    """Whether a loop is said also where there is neither guidance nor memory. *Departure* when
    set: AgentTether §III.D.2 intervenes only with one of them."""
    tool_risks: dict[str, Literal["destructive", "write", "read"]] = {}
    """Tool → the harm that a wrong call of it may do, over what its server or its name says."""


class TetherConfig(SupervisionSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Run diagnosis, guidance and supervision (AgentTether)."""

    packet_characters: Annotated[int, msgspec.Meta(ge=6_000)] = 24_000
    """Longest evidence packet; about four characters are one token."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole configuration."""

    record: RecordConfig = RecordConfig()
    adapt: AdaptConfig = AdaptConfig()
    fuzz: FuzzConfig = FuzzConfig()
    tether: TetherConfig = TetherConfig()
    embedder: EmbedderConfig = EmbedderConfig()
    agent: ModelConfig = ModelConfig()
    writer: ModelConfig = ModelConfig()
    checker: ModelConfig = ModelConfig()
    oracle: ModelConfig = ModelConfig()
    analyst: ModelConfig = ModelConfig()
    verifier: ModelConfig = ModelConfig()


def load_config(
    *,
    directory: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **overrides: Mapping[str, Any],
) -> Config:
    """Read the configuration that holds in ``directory`` (default: the current one).

    The nearest knitbone.toml or pyproject.toml with a ``[tool.knitbone]`` table, here or in a
    parent directory, is used; knitbone.toml goes first.

    Args:
        overrides: sections as keyword arguments, such as ``adapt={"mode": "observe"}``.

    Raises:
        ConfigError: a file is not TOML, a key is unknown, or a value has the wrong type.
    """
    merged: dict[str, dict[str, Any]] = {}
    path, table = _read_file(directory or Path.cwd())
    given = _read_environment(os.environ if environ is None else environ)
    if path is not None:
        _merge(merged, table, where=str(path))
    _merge(merged, given, where="the environment")
    _merge(merged, overrides, where="the arguments")
    if path is not None:
        _note_file(merged, table, (given, overrides), path)
    try:
        # Environment variables are text: strict=False reads "3" as 3 where 3 is meant.
        return msgspec.convert(merged, Config, strict=False)
    except msgspec.ValidationError as error:
        raise _unusable(str(error), path, given, overrides) from error


_GUARDED = ("base_url", "api_key_env")
"""Fields that decide where a request goes, and with which key."""


def _note_file(
    merged: dict[str, dict[str, Any]],
    table: Mapping[str, Any],
    later: tuple[Mapping[str, Mapping[str, Any]], ...],
    path: Path,
) -> None:
    """Note which guarded fields hold the file's word, not that of the environment or the caller."""
    for section, values in table.items():
        for key in _GUARDED:
            if key in values and not any(key in each.get(section, {}) for each in later):
                merged[section].setdefault("given_by", {})[key] = str(path)


_PLACED = re.compile(r"(.*) - at `\$\.(\w+)\.(\w+)[^`]*`", re.DOTALL)
"""How msgspec says what is wrong, and in which field."""


def _unusable(
    problem: str,
    path: Path | None,
    given: Mapping[str, Mapping[str, Any]],
    overrides: Mapping[str, Mapping[str, Any]],
) -> ConfigError:
    """The error for a value that does not fit its field."""
    placed = _PLACED.fullmatch(problem)
    if placed is None:
        where = "its arguments and environment" if path is None else str(path)
        return ConfigError(
            f"The configuration cannot be used: {problem}.", next_step=f"Correct it in {where}."
        )
    what, section, key = placed.groups()
    if key in overrides.get(section, {}):
        where = "in the arguments"
    elif key in given.get(section, {}):
        where = f"in the environment: KNITBONE_{section.upper()}_{key.upper()}"
    else:
        where = f"in {path}"
    allowed = _allowed(section, key) if what.startswith("Invalid enum value") else ()
    known = f"; known: {', '.join(allowed)}" if allowed else ""
    return ConfigError(
        f"The configuration cannot be used: {section}.{key}: {what}{known}.",
        next_step=f"Correct it {where}.",
    )


def _allowed(section: str, key: str) -> tuple[str, ...]:
    """The only values of a field that is one of several words, or a list of such."""
    sections = {field.name: field.type for field in msgspec.structs.fields(Config)}
    fields = {field.name: field.type for field in msgspec.structs.fields(sections[section])}
    found = [fields[key], *get_args(fields[key])]
    words = (get_args(each) for each in found)
    return next((each for each in words if each and all(isinstance(w, str) for w in each)), ())


def _read_file(directory: Path) -> tuple[Path | None, Mapping[str, Any]]:
    for folder in (directory.resolve(), *directory.resolve().parents):
        for name in ("knitbone.toml", "pyproject.toml"):
            path = folder / name
            if not path.is_file():
                continue
            try:
                document = tomllib.loads(path.read_text(encoding="utf-8"))
            except OSError as error:
                raise ConfigError(
                    f"{path} cannot be read: {error}.", next_step="Check its permissions."
                ) from error
            except (ValueError, RecursionError) as error:  # a number, a nesting beyond reason
                raise ConfigError(
                    f"{path} is not valid TOML: {error}.", next_step="Correct the file."
                ) from error
            if name == "knitbone.toml":
                return path, document
            tool = document.get("tool")
            if isinstance(tool, dict) and "knitbone" in tool:
                return path, _table(cast("dict[str, Any]", tool)["knitbone"], path)
    return None, {}


def _table(value: Any, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(
            f"knitbone in {path} is {value!r:.60}, not a table of settings.",
            next_step="Write the settings under [tool.knitbone.adapt] and so on.",
        )
    return cast("dict[str, Any]", value)


def _read_environment(environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Settings by section and field. A list is written with commas; ``record.redact``, whose
    regular expressions may hold commas, with line ends."""
    lists = _list_fields()
    found: dict[str, dict[str, Any]] = {}
    for name, value in environ.items():
        if not name.startswith("KNITBONE_") or name in _RESERVED:
            continue
        section, _, field = name.removeprefix("KNITBONE_").lower().partition("_")
        read: str | list[str] = value
        if (section, field) == ("record", "redact"):
            read = value.split("\n")
        elif (section, field) in lists:
            read = [item.strip() for item in value.split(",") if item.strip()]
        found.setdefault(section, {})[field] = read
    return found


def _list_fields() -> set[tuple[str, str]]:
    """Section and name of every field that holds a tuple."""
    return {
        (section.name, field.name)
        for section in msgspec.structs.fields(Config)
        for field in msgspec.structs.fields(section.type)
        if get_origin(field.type) is tuple
    }


def _merge(into: dict[str, dict[str, Any]], table: Mapping[str, Any], *, where: str) -> None:
    sections = {field.name: field.type for field in msgspec.structs.fields(Config)}
    for section, values in table.items():
        if section == "tool" and "knitbone" in values and where.endswith("knitbone.toml"):
            raise ConfigError(
                f"[tool.knitbone] in {where} is the way of pyproject.toml.",
                next_step="Write the sections themselves, such as [adapt], in knitbone.toml.",
            )
        _check_known(section, sections, f"section in {where}")
        if not isinstance(values, Mapping):
            raise ConfigError(
                f"{section!r} in {where} is {values!r}, not a table of settings.",
                next_step=f"Write the settings under [tool.knitbone.{section}].",
            )
        settings = cast("Mapping[str, Any]", values)
        fields = [field.name for field in msgspec.structs.fields(sections[section])]
        if where != "the arguments":
            fields = [field for field in fields if field != "given_by"]
        for key, value in settings.items():
            _check_known(key, fields, f"key in section {section!r} of {where}")
            into.setdefault(section, {})[key] = value


def _check_known(key: str, valid: Any, what: str) -> None:
    if key in valid:
        return
    close = difflib.get_close_matches(key, list(valid), n=1)
    raise ConfigError(
        f"{key!r} is not a known {what}.",
        next_step=f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(valid)}.",
    )
