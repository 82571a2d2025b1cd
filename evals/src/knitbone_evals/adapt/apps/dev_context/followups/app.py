"""A chat with a retriever: a question may lean on the one before."""

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from openai import OpenAI

client = OpenAI()


class HelpDesk:
    def __init__(self, passages):
        store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
        store.add_documents([Document(page_content=p["text"], metadata=p) for p in passages])
        self.retriever = store.as_retriever(search_kwargs={"k": 7})
        self.history = []

    def turn(self, text):
        docs = self.retriever.invoke(text)
        notes = "\n".join("* " + doc.page_content for doc in docs)
        self.history.append({"role": "user", "content": text})
        system = {"role": "system", "content": f"You are the help desk. Notes:\n{notes}"}
        answer = client.chat.completions.create(
            model="gpt-4o-mini", messages=[system, *self.history]
        )
        said = answer.choices[0].message.content
        self.history.append({"role": "assistant", "content": said})
        return said, sorted(doc.metadata["source"] for doc in docs)


def chat(question, follow, passages):
    desk = HelpDesk(passages)
    return [list(desk.turn(text)) for text in (question, follow) if text]
