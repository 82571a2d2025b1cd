"""A small client of a vector database that speaks like Chroma."""

from openai import OpenAI

client = OpenAI()


class Collection:
    def __init__(self, rows):
        self._rows = rows

    def query(self, query_texts, n_results=5):  # noqa: ARG002 - rows come ranked
        rows = self._rows[:n_results]
        return {"ids": [[r["source"] for r in rows]], "documents": [[r["text"] for r in rows]]}


def ask(question, passages):
    collection = Collection(passages)
    found = collection.query(query_texts=[question], n_results=8)
    documents = found["documents"][0]
    prompt = "Answer from this:\n" + "\n".join(f"- {d}" for d in documents) + "\n\nQ: " + question
    done = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": prompt}]
    )
    return {"said": done.choices[0].message.content, "used": sorted(documents)}
