"""Any server that speaks the chat completions protocol, without an SDK."""

import json
import os

import httpx
import requests

BASE = os.environ.get("CHAT_BASE", "http://localhost:8000/v1")
HEADERS = {"Authorization": "Bearer " + os.environ.get("CHAT_KEY", "none")}


def payload(prompt, **more):
    return {"model": "default", "messages": [{"role": "user", "content": prompt}], **more}


def chat(prompt):
    response = requests.post(
        f"{BASE}/chat/completions", json=payload(prompt), headers=HEADERS, timeout=60
    )
    response.raise_for_status()
    return response.json()["choices"][0]["message"]["content"]


async def chat_async(prompt):
    async with httpx.AsyncClient(base_url=BASE, headers=HEADERS, timeout=60) as client:
        response = await client.post("/chat/completions", json=payload(prompt))
        return response.json()["choices"][0]["message"]["content"]


async def chat_stream(prompt):
    async with (
        httpx.AsyncClient(base_url=BASE, headers=HEADERS, timeout=None) as client,
        client.stream("POST", "/chat/completions", json=payload(prompt, stream=True)) as response,
    ):
        async for line in response.aiter_lines():
            if not line.startswith("data: ") or line == "data: [DONE]":
                continue
            delta = json.loads(line[6:])["choices"][0]["delta"]
            if delta.get("content"):
                yield delta["content"]
