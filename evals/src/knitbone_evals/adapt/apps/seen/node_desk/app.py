"""Looks up passages of the staff handbook and shows where they stand."""

from dataclasses import dataclass, field

from anthropic import Anthropic
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

client = Anthropic()


@dataclass
class Node:
    text: str
    score: float
    metadata: dict = field(default_factory=dict)

    def get_content(self):
        return self.text


def store_of(passages):
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=64))
    store.add_documents(
        [
            Document(page_content=each["text"], metadata={"page": each["source"]})
            for each in passages
        ]
    )
    return store


def retrieve(store, question, top=8):
    pairs = store.similarity_search_with_score(question, k=top)
    return [Node(document.page_content, score, document.metadata) for document, score in pairs]


def explain(question, passages):
    nodes = retrieve(store_of(passages), question)
    context = "\n\n".join(node.get_content() for node in nodes)
    message = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=500,
        system="Explain with these passages only.\n\n" + context,
        messages=[{"role": "user", "content": question}],
    )
    return {
        "text": message.content[0].text,
        "pages": sorted(node.metadata["page"] for node in nodes),
        "words": len(context.split()),
    }
