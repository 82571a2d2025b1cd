"""Vector store search by hand, then one prompt."""

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from openai import OpenAI

client = OpenAI()


def build(passages):
    return InMemoryVectorStore.from_documents(
        [Document(page_content=p["text"], metadata={"id": p["source"]}) for p in passages],
        DeterministicFakeEmbedding(size=32),
    )


def reply_to(question, passages):
    vectorstore = build(passages)
    hits = vectorstore.similarity_search(question, k=6)
    context = ""
    for number, hit in enumerate(hits, start=1):
        context += f"[{number}] {hit.page_content}\n"
    out = client.chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": "Use the sources.\n" + context},
            {"role": "user", "content": question},
        ],
    )
    return {"text": out.choices[0].message.content, "cited": sorted(h.metadata["id"] for h in hits)}
