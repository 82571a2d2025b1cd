"""Sorts support tickets, drafts a reply and asks a second model whether it may go out."""

from typing import Literal, TypedDict

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field

llm = ChatAnthropic(model_name="claude-sonnet-4-5", timeout=60, stop=None)


class State(TypedDict, total=False):
    ticket: str
    label: str
    urgency: int
    draft: str
    subject: str
    approved: bool


class Reply(BaseModel):
    """A reply to the customer."""

    subject: str
    body: str
    follow_up_days: int | None = Field(default=None, description="when to ask again")


def classify(state: State) -> State:
    answer = llm.invoke(
        [
            SystemMessage("Label the ticket: billing, technical or other. One word."),
            HumanMessage(state["ticket"]),
        ]
    )
    return {"label": str(answer.content).strip().lower()}


def urgency(state: State) -> State:
    answer = llm.invoke(f"How urgent is this, 1 to 5? Digit only.\n\n{state['ticket']}")
    return {"urgency": int(str(answer.content))}


def route(state: State) -> Literal["escalate", "draft"]:
    if state["label"] in ("billing", "technical"):
        return "draft"
    return "escalate"


def draft(state: State) -> State:
    writer = llm.with_structured_output(Reply)
    reply = writer.invoke(f"Answer this {state['label']} ticket:\n{state['ticket']}")
    return {"draft": reply.body, "subject": reply.subject}


def review(state: State) -> State:
    verdict = llm.invoke(
        "May this reply go out? Begin with APPROVED or REJECTED, then say why.\n" + state["draft"]
    ).content
    return {"approved": verdict.startswith("APPROVED")}


def escalate(state: State) -> State:
    print(f"to a person, urgency {state['urgency']}: {state['ticket']}")
    return {"approved": False}


def after_review(state: State) -> str:
    return "send" if state["approved"] else "escalate"


def send(state: State) -> State:
    print(f"Subject: {state['subject']}\n\n{state['draft']}")
    return {}


builder = StateGraph(State)
for node in (classify, urgency, draft, review, escalate, send):
    builder.add_node(node.__name__, node)
builder.add_edge(START, "classify")
builder.add_edge("classify", "urgency")
builder.add_conditional_edges("urgency", route)
builder.add_edge("draft", "review")
builder.add_conditional_edges("review", after_review, ["send", "escalate"])
builder.add_edge("send", END)
builder.add_edge("escalate", END)
graph = builder.compile()

if __name__ == "__main__":
    final = graph.invoke({"ticket": input("ticket: ")})
    print("sent" if final.get("approved") else "not sent")
