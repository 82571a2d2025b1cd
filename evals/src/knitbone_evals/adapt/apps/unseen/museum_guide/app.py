"""A museum guide: finds what the catalogue says and tells it to the visitor."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from openai import OpenAI

client = OpenAI()


class CatalogueRetriever(BaseRetriever):
    """The entries that the museum's own search service found, best first."""

    found: list[dict[str, Any]]
    top: int = 5

    def _get_relevant_documents(self, query, *, run_manager=None):  # noqa: ARG002
        return [
            Document(page_content=entry["text"], metadata={"room": entry["source"]})
            for entry in self.found[: self.top]
        ]


def tell(found, question):
    retriever = CatalogueRetriever(found=found)
    entries = retriever.invoke(question)
    notes = "\n---\n".join(entry.page_content for entry in entries)
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": f"{notes}\n\nVisitor: {question}"}],
    )
    rooms = []
    for entry in entries:
        if entry.metadata["room"] not in rooms:
            rooms.append(entry.metadata["room"])
    return {"text": response.choices[0].message.content, "rooms": rooms}
