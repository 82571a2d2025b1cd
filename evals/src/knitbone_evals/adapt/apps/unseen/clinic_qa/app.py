"""Answers patients' questions from the clinic's leaflets."""

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from openai import OpenAI

client = OpenAI()


class ApiEmbeddings(Embeddings):
    def embed_documents(self, texts):
        answer = client.embeddings.create(
            model="text-embedding-3-small", input=texts, encoding_format="float"
        )
        return [entry.embedding for entry in answer.data]

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def build(leaflets):
    store = InMemoryVectorStore(ApiEmbeddings())
    store.add_documents(
        [
            Document(page_content=leaflet["text"], metadata={"source": leaflet["source"]})
            for leaflet in leaflets
        ]
    )
    return store


def answer(leaflets, question):
    retriever = build(leaflets).as_retriever(search_kwargs={"k": 4})
    documents = retriever.invoke(question)
    context = "\n\n".join(document.page_content for document in documents)
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "Answer from the leaflets only.\n\n" + context},
            {"role": "user", "content": question},
        ],
    )
    return {
        "answer": response.choices[0].message.content,
        "sources": sorted(document.metadata["source"] for document in documents),
        "context_length": len(context.split()),
    }
