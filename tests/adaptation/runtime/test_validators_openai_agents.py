"""The typed outputs of the OpenAI Agents SDK, run with a model of the test's own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents")

_MODULE = """
from datetime import date

import knitbone
from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from pydantic import BaseModel

set_tracing_disabled(True)
ANSWER = ""


class Lease(BaseModel):
    tenant: str
    start: date
    months: int


class Answering(Model):
    async def get_response(self, *given, **named):
        text = ResponseOutputText(text=ANSWER, type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="1", role="assistant", status="completed", type="message", content=[text]
        )
        # The last field has another name in later releases.
        return ModelResponse([message], Usage(), None)

    def stream_response(self, *given, **named):
        raise NotImplementedError


async def plain(question, kind=Lease):
    agent = Agent(name="reader", model=Answering(), output_type=kind)
    return (await Runner.run(agent, question)).final_output


@knitbone.adapt
async def adapted(question):
    agent = Agent(name="reader", model=Answering(), output_type=Lease)
    lease = (await Runner.run(agent, question)).final_output
    return lease.tenant, lease.start.isoformat(), lease.months


@knitbone.adapt
async def counted(question):
    agent = Agent(name="reader", model=Answering(), output_type=int)
    number = (await Runner.run(agent, question)).final_output
    return number + 1
"""
_GOOD = '{"tenant": "Sam", "start": "2026-10-01", "months": 30}'
_DRIFTED = 'Sure:\n```json\n{"tenant": "Sam", "start": "October 1, 2026", "Months": "thirty"}\n```'


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "leases_of_agents.py").write_text(_MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import leases_of_agents  # type: ignore[import-not-found]

    yield leases_of_agents
    del sys.modules["leases_of_agents"]


@pytest.mark.parametrize("answer", [_GOOD, _DRIFTED])
def test_the_validator_gets_an_answer_that_it_accepts(app: Any, answer: str) -> None:
    app.ANSWER = answer
    assert asyncio.run(app.adapted("Which lease?")) == ("Sam", "2026-10-01", 30)


def test_a_number_alone_is_put_under_its_key(app: Any) -> None:
    app.ANSWER = "There are **41** leases."
    assert asyncio.run(app.counted("How many?")) == 42


def test_what_cannot_be_repaired_is_refused_by_the_library(app: Any) -> None:
    app.ANSWER = '{"tenant": "Sam", "start": "01/02/2026", "months": 30}'
    with pytest.raises(Exception, match="Invalid JSON"):
        asyncio.run(app.adapted("Which lease?"))


def test_code_that_is_not_adapted_gets_what_it_always_got(app: Any) -> None:
    app.ANSWER = _DRIFTED
    assert asyncio.run(app.adapted("Which lease?"))[0] == "Sam"
    with pytest.raises(Exception, match="Invalid JSON"):
        asyncio.run(app.plain("Which lease?"))
