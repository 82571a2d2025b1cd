"""Reads a menu as a Python list and adds it up; a LangChain model of the application's own."""

import ast
import operator
import os
from functools import reduce
from typing import Any

import httpx
from langchain_core.language_models import SimpleChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate


class Remote(SimpleChatModel):
    @property
    def _llm_type(self):
        return "remote"

    def _call(self, messages, stop=None, run_manager=None, **kwargs: Any):  # noqa: ARG002
        roles = {"human": "user", "ai": "assistant"}
        body = {
            "model": "m",
            "messages": [
                {"role": roles.get(each.type, each.type), "content": each.content}
                for each in messages
            ],
        }
        url = os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions"
        answer = httpx.post(
            url, json=body, headers={"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
        )
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]["content"]


prompt = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "Return a Python list of (dish, price, vegetarian) tuples. Only the Python literal.",
        ),
        ("human", "{text}"),
    ]
)
chain = prompt | Remote() | StrOutputParser()


def bill(text):
    items = ast.literal_eval(chain.invoke({"text": text}))
    total = reduce(operator.add, (price for _, price, _ in items), 0)
    return {
        "total": total,
        "veg": [dish for dish, _, vegetarian in items if vegetarian],
        "dishes": [dish for dish, *_ in items],
    }
