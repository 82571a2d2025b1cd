"""Which kind of record is cheapest for the trace: ``python -m benchmarks.records``.

One model call with twenty messages of history, as a msgspec Struct (what knitbone uses), a
pydantic model and a slotted dataclass with the standard library's json: microseconds to create,
encode and decode, as medians of paired rounds, and as ratios to msgspec in the same round.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pydantic

from knitbone.record.events import ChatMessage, ModelCall, decode_event, encode_json

ROUNDS, CALLS = 15, 1_000


class PydanticMessage(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(frozen=True)
    role: str
    content: str


class PydanticCall(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(frozen=True)
    kind: str = "model_call"
    id: str
    model: str
    input: tuple[PydanticMessage, ...]
    output: PydanticMessage


@dataclasses.dataclass(frozen=True, slots=True)
class PlainMessage:
    role: str
    content: str


@dataclasses.dataclass(frozen=True, slots=True)
class PlainCall:
    id: str
    model: str
    input: tuple[PlainMessage, ...]
    output: PlainMessage
    kind: str = "model_call"


def plain_decode(text: str) -> PlainCall:
    body = json.loads(text)
    body["input"] = tuple(PlainMessage(**message) for message in body["input"])
    body["output"] = PlainMessage(**body["output"])
    return PlainCall(**body)


def actions() -> dict[str, dict[str, Callable[[], Any]]]:
    said = [("user", "hello " * 50)] * 20

    def build(call: Any, message: Any) -> Any:
        return call(
            id="1",
            model="m",
            input=tuple(message(role=role, content=content) for role, content in said),
            output=message(role="assistant", content="x" * 500),
        )

    ours = build(ModelCall, ChatMessage)
    theirs = build(PydanticCall, PydanticMessage)
    plain = build(PlainCall, PlainMessage)
    ours_json, theirs_json = encode_json(ours), theirs.model_dump_json()
    plain_json = json.dumps(dataclasses.asdict(plain))
    return {
        "create": {
            "msgspec": lambda: build(ModelCall, ChatMessage),
            "pydantic": lambda: build(PydanticCall, PydanticMessage),
            "dataclass": lambda: build(PlainCall, PlainMessage),
        },
        "encode": {
            "msgspec": lambda: encode_json(ours),
            "pydantic": theirs.model_dump_json,
            "dataclass": lambda: json.dumps(dataclasses.asdict(plain)),
        },
        "decode": {
            "msgspec": lambda: decode_event(ours_json),
            "pydantic": lambda: PydanticCall.model_validate_json(theirs_json),
            "dataclass": lambda: plain_decode(plain_json),
        },
    }


def microseconds(action: Callable[[], Any]) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        action()
    return (time.perf_counter() - started) / CALLS * 1e6


def measure() -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, kinds in actions().items():
        rounds = [{k: microseconds(action) for k, action in kinds.items()} for _ in range(ROUNDS)]
        table[name] = {
            kind: {
                "us_median": round(statistics.median(r[kind] for r in rounds), 2),
                "ratio_median": round(statistics.median(r[kind] / r["msgspec"] for r in rounds), 2),
                "ratio_min": round(min(r[kind] / r["msgspec"] for r in rounds), 2),
                "ratio_max": round(max(r[kind] / r["msgspec"] for r in rounds), 2),
            }
            for kind in kinds
        }
    return table


def main(argv: list[str] | None = None) -> None:
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    result = {
        "rounds": ROUNDS,
        "calls_per_round": CALLS,
        "versions": {
            "python": platform.python_version(),
            "msgspec": msgspec.__version__,
            "pydantic": pydantic.VERSION,
        },
        "table": measure(),
    }
    path = Path(__file__).parent / "results" / "records.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"{'':<8}" + "".join(f"{kind:>24}" for kind in ("msgspec", "pydantic", "dataclass")))
    for name, kinds in result["table"].items():
        cells = (f"{cell['us_median']} µs  x{cell['ratio_median']}" for cell in kinds.values())
        print(f"{name:<8}" + "".join(f"{cell:>24}" for cell in cells))


if __name__ == "__main__":
    main()
