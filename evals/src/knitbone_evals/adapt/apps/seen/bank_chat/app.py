"""A bank's help chat for members abroad; the page shows every reply as it is."""

import os
from typing import Any

import httpx
from langchain_core.language_models import SimpleChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

ROLES = {"human": "user", "ai": "assistant", "system": "system"}


class Gateway(SimpleChatModel):
    model: str = "gpt-4o-mini"

    @property
    def _llm_type(self) -> str:
        return "gateway"

    def _call(self, messages: list[Any], *_args: Any, **_kwargs: Any) -> str:
        sent = [{"role": ROLES[each.type], "content": each.content} for each in messages]
        response = httpx.post(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            headers={"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
            json={"model": self.model, "messages": sent},
            timeout=60,
        )
        return response.json()["choices"][0]["message"]["content"]


prompt = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "You help members of a bank, in their language and spelling. No lists in tables.",
        ),
        MessagesPlaceholder("history"),
        ("human", "{text}"),
    ]
)
chain = prompt | Gateway() | StrOutputParser()


class Chat:
    def __init__(self):
        self.history = []

    def send(self, text):
        reply = chain.invoke({"history": self.history, "text": text})
        self.history += [("human", text), ("ai", reply)]
        return reply


def talk(texts):
    chat = Chat()
    return [chat.send(text).strip() for text in texts]
