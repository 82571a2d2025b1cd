"""Answers letters to the town archive: what was found goes into the prompt, and on a slip."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from openai import OpenAI

client = OpenAI()


class Shelves(BaseRetriever):
    """What the archive's own search returns."""

    cards: list[dict[str, Any]]

    def _get_relevant_documents(self, query, *, run_manager=None):  # noqa: ARG002
        return [
            Document(page_content=card["text"], metadata={"shelf": card["source"], "rank": rank})
            for rank, card in enumerate(self.cards)
        ]


def say(state):
    cards = "\n".join(f"[{card.metadata['shelf']}] {card.page_content}" for card in state["found"])
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": f"Answer from these cards:\n{cards}"},
            {"role": "user", "content": state["letter"]},
        ],
    )
    return response.choices[0].message.content


def answer(letter, cards):
    shelves = Shelves(cards=cards)
    found = shelves.invoke(letter)
    state = {"letter": letter, "found": found}
    chain = RunnablePassthrough.assign(text=RunnableLambda(say))
    done = chain.invoke(state)
    return {
        "text": done["text"],
        "slip": [card.metadata["shelf"] for card in done["found"]],
        "ranks": [card.metadata["rank"] for card in done["found"]],
    }
