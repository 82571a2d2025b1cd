"""Vet practice: the phone assistant's notes run through a small graph, urgent cases take another way than check-ups."""
import os
from datetime import datetime, timedelta
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"]


class Call(TypedDict, total=False):
    notes: str
    urgent: bool
    arrival: str
    ready_by: str
    weekday: int
    minutes: int


def llm():
    return ChatOpenAI(
        model="gpt-4o-mini",
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        temperature=0,
    )


def ask(question, notes):
    return llm().invoke([("system", "You help a vet practice with notes of phone calls."), ("human", f"{question}\n\nNotes: {notes}")]).content


def triage(state: Call):
    reply = ask(
        "Is the animal in danger, so that it must be seen at once? Think first. Use this form:\n"
        "Thought: <one sentence>\nAnswer: <yes or no>",
        state["notes"],
    )
    answer = reply.split("Answer:")[1].strip().lower()
    if answer not in ("yes", "no"):
        raise ValueError(f"triage said {answer!r}")
    return {"urgent": answer == "yes"}


def emergency(state: Call):
    reply = ask("At what time will the owner arrive? Give the time only, as HH:MM (24 hours).", state["notes"])
    arrival = datetime.strptime(reply.strip(), "%H:%M")
    return {"arrival": arrival.strftime("%H:%M"), "ready_by": (arrival - timedelta(minutes=10)).strftime("%H:%M")}


def pick_day(state: Call):
    reply = ask("Which weekday does the owner want? One word, Monday to Friday.", state["notes"])
    return {"weekday": WEEKDAYS.index(reply.strip().lower()) + 1}


def pick_length(state: Call):
    return {"minutes": int(ask("How many minutes should the visit take? Only the number.", state["notes"]))}


graph = StateGraph(Call)
graph.add_node("triage", triage)
graph.add_node("emergency", emergency)
graph.add_node("pick_day", pick_day)
graph.add_node("pick_length", pick_length)
graph.add_edge(START, "triage")
graph.add_conditional_edges("triage", lambda s: "emergency" if s["urgent"] else "pick_day", ["emergency", "pick_day"])
graph.add_edge("emergency", END)
graph.add_edge("pick_day", "pick_length")
graph.add_edge("pick_length", END)
practice = graph.compile()


def run(request: str):
    state = practice.invoke({"notes": request})
    return {k: v for k, v in state.items() if k != "notes"}
