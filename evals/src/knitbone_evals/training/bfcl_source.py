"""Tasks of ``bfcl-eval`` (Apache-2.0): multi-turn simulators with reference solutions."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from knitbone.common.source import parse_source
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool
from knitbone_evals.extras import import_extra
from knitbone_evals.training.plans import (
    PlannedCall,
    SimulatedReply,
    SolvedTask,
    TaskEnvironment,
    Turn,
)

__all__ = ["SOURCE", "tasks"]

SOURCE = "bfcl-eval"
VARIANTS = ("base", "miss_param")
"""Both share their reference solutions: a number is one task. The variant with missing functions
adds turns in which nobody speaks, the one with long contexts only padding."""

_SIMULATORS = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "TwitterAPI": "posting_api",
    "VehicleControlAPI": "vehicle_control",
}
_PACKAGE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"


def tasks() -> Iterator[SolvedTask]:
    """All tasks whose reference solution can be read, in the order of the files.

    Raises:
        MissingExtraError: bfcl-eval is not installed.
    """
    package = import_extra("bfcl_eval", purpose="The training corpus")
    data = Path(str(package.__file__)).parent / "data"
    for variant in VARIANTS:
        name = f"BFCL_v4_multi_turn_{variant}.json"
        questions = _records(data / name)
        solutions = {row["id"]: row for row in _records(data / "possible_answer" / name)}
        for question in questions:
            task = _task(variant, question, solutions[question["id"]]["ground_truth"])
            if task is not None:
                yield task


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _task(variant: str, question: dict[str, Any], solution: list[list[str]]) -> SolvedTask | None:
    domains: tuple[str, ...] = tuple(question["involved_classes"])
    if not set(domains) <= set(_SIMULATORS):
        return None
    config: dict[str, Any] = question["initial_config"]

    def start() -> TaskEnvironment:
        return _Simulators(domains, config)

    methods = _Simulators(domains, config).methods
    turns: list[Turn] = []
    for number, (said, calls) in enumerate(zip(question["question"], solution, strict=True)):
        planned: list[PlannedCall] = []
        for place, text in enumerate(calls):
            call = _parse(text, methods, f"{number}.{place}")
            if call is None:
                return None
            planned.append(call)
        message = "\n".join(item["content"] for item in said)
        turns.append(Turn(message=message, calls=tuple(planned)))
    number = question["id"].rsplit("_", 1)[1]
    return SolvedTask(
        id=f"{SOURCE}/{number}/{variant}", source=SOURCE, domains=domains, turns=tuple(turns),
        start=start,
    )  # fmt: skip


def _parse(text: str, methods: dict[str, Any], key: str) -> PlannedCall | None:
    """A call as the reference writes it, with the positional arguments' names filled in."""
    try:
        call = parse_source(text.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return None
    method = methods.get(call.func.id)
    if method is None:
        return None
    try:
        positional = [ast.literal_eval(item) for item in call.args]
        named = {item.arg or "": ast.literal_eval(item.value) for item in call.keywords}
        bound = inspect.signature(method).bind(*positional, **named)
    except (TypeError, ValueError):
        return None
    return PlannedCall(key=key, tool=call.func.id, arguments=dict(bound.arguments))


class _Simulators:
    """The simulators of one task together, in their initial state."""

    def __init__(self, domains: Sequence[str], config: dict[str, Any]) -> None:
        self._instances: list[Any] = []
        self.methods: dict[str, Any] = {}
        for domain in domains:
            module = importlib.import_module(f"{_PACKAGE}.{_SIMULATORS[domain]}")
            instance = getattr(module, domain)()
            if domain != "MathAPI":  # it has no state
                instance._load_scenario(copy.deepcopy(config.get(domain, {})))
            self._instances.append(instance)
            for name, method in inspect.getmembers(instance, predicate=inspect.ismethod):
                if not name.startswith("_"):
                    self.methods.setdefault(name, method)

    def call(self, tool: str, arguments: dict[str, Any]) -> SimulatedReply:
        random.seed(0)  # some answers are drawn
        try:
            result = self.methods[tool](**copy.deepcopy(arguments))
        except Exception as error:  # noqa: BLE001 - untrusted code; the failure is the answer
            text = f"Error during execution: {error}"
            return SimulatedReply(text=text, error=str(error))
        text = result if isinstance(result, str) else json.dumps(result, default=str)
        error = cast("dict[str, Any]", result).get("error") if isinstance(result, dict) else None
        return SimulatedReply(text=text, error=str(error) if error else None)

    def state(self) -> str:
        held: list[dict[str, Any]] = [vars(instance) for instance in self._instances]
        kept = [{k: v for k, v in each.items() if not k.startswith("_api")} for each in held]
        return json.dumps(kept, default=_plain)

    def reads(self) -> Sequence[str]:
        return [
            name
            for name, method in sorted(self.methods.items())
            if intent_of_tool(name) == "read" and not _required(method)
        ]


def _required(method: Any) -> list[str]:
    parameters = inspect.signature(method).parameters.values()
    return [p.name for p in parameters if p.default is inspect.Parameter.empty]


def _plain(value: Any) -> Any:
    """An object of the simulator as its attributes, without what leads back to its parent."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, cast("set[Any]", value)))
    if isinstance(value, random.Random) or not hasattr(value, "__dict__"):
        return type(value).__name__
    attributes: dict[str, Any] = value.__dict__
    return {name: held for name, held in attributes.items() if "parent" not in name}
