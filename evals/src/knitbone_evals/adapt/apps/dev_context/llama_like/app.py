"""Nodes of the application's own, as LlamaIndex has them; found by a function."""

from dataclasses import dataclass, field

from openai import OpenAI


@dataclass
class TextNode:
    text: str
    metadata: dict = field(default_factory=dict)


@dataclass
class NodeWithScore:
    node: TextNode
    score: float = 0.0


def retrieve(rows, question, top_k=5):  # noqa: ARG001 - rows come ranked
    nodes = [
        NodeWithScore(TextNode(r["text"], {"file": r["source"]}), 1 / (1 + i))
        for i, r in enumerate(rows)
    ]
    return nodes[:top_k]


class QueryEngine:
    def __init__(self, rows):
        self.rows, self.llm = rows, OpenAI()

    def query(self, question):
        nodes = retrieve(self.rows, question)
        context = "\n\n".join([n.node.text for n in nodes])
        answer = self.llm.chat.completions.create(
            model="gpt-4o-mini",
            messages=[
                {
                    "role": "user",
                    "content": "Context information is below.\n" + context + "\nQuery: " + question,
                }
            ],
        )
        return answer.choices[0].message.content, nodes


def run(question, passages):
    text, nodes = QueryEngine(passages).query(question)
    return {"response": text, "files": [n.node.metadata["file"] for n in nodes]}
