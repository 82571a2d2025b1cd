"""Own search index, no library; results are dictionaries."""

from anthropic import Anthropic


class Index:
    def __init__(self, rows):
        self.rows = rows

    def search(self, query, limit=10):
        words = set(query.lower().split())
        scored = [(len(words & set(r["text"].lower().split())), r) for r in self.rows]
        scored.sort(key=lambda pair: -pair[0])
        return [{"text": r["text"], "id": r["source"], "score": s} for s, r in scored[:limit]]


def answer(question, passages):
    results = Index(passages).search(question)
    context = "\n---\n".join(r["text"] for r in results)
    message = Anthropic().messages.create(
        model="claude-haiku-4-5",
        max_tokens=400,
        messages=[{"role": "user", "content": f"Context:\n{context}\n\nQuestion: {question}"}],
    )
    return {"answer": message.content[0].text, "ids": sorted(r["id"] for r in results)}
