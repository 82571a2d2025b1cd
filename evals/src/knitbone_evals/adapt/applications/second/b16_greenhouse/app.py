import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph


class House(TypedDict, total=False):
    report: str
    vent: bool
    minutes: int
    low: float
    high: float
    log: list


def llm(prompt: str) -> str:
    chat = ChatOpenAI(
        model="gpt-4o-mini",
        temperature=0,
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        max_retries=0,
    )
    return chat.invoke(prompt).content


def decide(state: House) -> House:
    answer = llm(
        f"{state['report']}\n\nDoes the grower want the vents opened? Answer yes or no, lower case, no punctuation."
    )
    return {"vent": answer.strip() == "yes", "log": ["decide"]}


def ventilate(state: House) -> House:
    answer = llm(f"{state['report']}\n\nFor how many minutes are the vents to be open? Only the number.")
    return {"minutes": int(answer), "log": state["log"] + ["ventilate"]}


def target(state: House) -> House:
    answer = llm(
        f"{state['report']}\n\nWhat temperature range in degrees Celsius is wanted? Write it as LOW-HIGH, for example 15-19.5"
    )
    low, high = answer.split("-")
    low, high = float(low), float(high)
    if low > high:
        raise ValueError("upside down: " + answer)
    return {"low": low, "high": high, "log": state["log"] + ["target"]}


def build():
    g = StateGraph(House)
    g.add_node("decide", decide)
    g.add_node("ventilate", ventilate)
    g.add_node("target", target)
    g.add_edge(START, "decide")
    g.add_conditional_edges("decide", lambda s: "ventilate" if s["vent"] else "target")
    g.add_edge("ventilate", "target")
    g.add_edge("target", END)
    return g.compile()


def run(request: str):
    end = build().invoke({"report": request})
    return {
        "vent": end["vent"],
        "minutes": end.get("minutes", 0),
        "range": [end["low"], end["high"]],
        "log": end["log"],
    }
