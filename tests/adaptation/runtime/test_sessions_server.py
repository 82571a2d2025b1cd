"""A server with many conversations at a time: each keeps its own standard and history."""

import asyncio

import httpx
import pytest

from knitbone.adaptation import report
from knitbone.testing import ModelServer, Reply

pytestmark = pytest.mark.usefixtures("every_scenario")

APP = """
    import asyncio
    import knitbone
    from fastapi import Depends, FastAPI
    from openai import AsyncOpenAI

    app = FastAPI()
    client = AsyncOpenAI(max_retries=0)
    RUNS = []

    @knitbone.tool(stateless=True)
    async def capital(country):
        RUNS.append(country)
        await asyncio.sleep(0)
        return country + "-city"

    @knitbone.adapt
    async def answer(text):
        reply = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": text}]
        )
        return reply.choices[0].message.content

    @app.get("/chat")
    async def chat(text: str, country: str):
        async with knitbone.session(text) as session:
            cities = [await capital(country) for _ in range(3)]
            first = await answer(text)
            session.hear("Tell me more.")
            await asyncio.sleep(0.01)
            return {"first": first, "more": await answer("Tell me more."), "cities": cities}

    async def opened(text: str):
        with knitbone.session(text) as session:
            yield session

    @app.get("/depends")
    async def depends(text: str, session: knitbone.Session = Depends(opened)):
        return {"first": await answer(text), "inputs": session.inputs}
"""
MIXED = "The colour of the harbor pleased the neighbours, who organize a fair in its honor."
BRITISH = "The colour of the harbour pleased the neighbours, who organise a fair in its honour."
AMERICAN = "The color of the harbor pleased the neighbors, who organize a fair in its honor."
ASKED = {
    "british": "What is your favourite colour, and how do you organise the theatre?",
    "american": "What is your favorite color, and how do you organize the theater?",
}


@pytest.fixture
def served(load, monkeypatch):
    server = ModelServer(lambda _body: Reply(text=MIXED))
    with server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield load(APP)


def ask(app, path, users):
    async def everybody():
        transport = httpx.ASGITransport(app=app.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as http:
            asked = [http.get(path, params=params) for params in users]
            answers = [answer.json() for answer in await asyncio.gather(*asked)]
        await app.client.close()
        return answers

    return asyncio.run(everybody())


def test_fifty_conversations_keep_their_standards_and_histories_apart(served):
    kinds = ["british", "american"] * 25
    users = [{"text": ASKED[kind], "country": f"land{n}"} for n, kind in enumerate(kinds)]
    answers = ask(served, "/chat", users)
    for number, (kind, answer) in enumerate(zip(kinds, answers, strict=True)):
        wanted = BRITISH if kind == "british" else AMERICAN
        assert (answer["first"], answer["more"]) == (wanted, wanted)
        assert answer["cities"] == [f"land{number}-city"] * 3
    assert sorted(served.RUNS) == sorted(f"land{number}" for number in range(50))
    assert sum(site.repaired for site in report().sites if "-city" not in site.site) == 200


def test_a_dependency_may_open_the_session(served):
    (answer,) = ask(served, "/depends", [{"text": ASKED["american"]}])
    assert answer == {"first": AMERICAN, "inputs": [ASKED["american"]]}
