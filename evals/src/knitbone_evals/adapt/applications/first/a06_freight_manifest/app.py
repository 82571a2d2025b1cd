"""Dispatcher's notes -> manifest CSV -> load plan. LangChain expression style."""
import csv
import io
import os
from itertools import groupby
from operator import itemgetter

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_openai import ChatOpenAI

llm = ChatOpenAI(
    model="gpt-4o-mini",
    temperature=0,
    base_url=os.environ.get("OPENAI_BASE_URL"),
    api_key=os.environ.get("OPENAI_API_KEY", "x"),
)

prompt = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "Convert the dispatcher's notes into CSV with the header container,weight_kg,destination and one line "
            "per container. Weights are whole kilograms without separators. Reply with the CSV and nothing else.",
        ),
        ("human", "{notes}"),
    ]
)


def read_csv(text: str) -> list[dict]:
    rows = []
    for record in csv.DictReader(io.StringIO(text.strip())):
        rows.append(
            {
                "container": record["container"].strip(),
                "weight": int(record["weight_kg"]),
                "destination": record["destination"].strip(),
            }
        )
    return rows


def by_destination(rows: list[dict]) -> dict:
    key = itemgetter("destination")
    plan = {}
    for destination, group in groupby(sorted(rows, key=key), key=key):
        group = list(group)
        plan[destination] = {
            "containers": sorted(r["container"] for r in group),
            "weight": sum(r["weight"] for r in group),
        }
    return plan


chain = (
    {"notes": RunnablePassthrough()}
    | prompt
    | llm
    | StrOutputParser()
    | RunnableLambda(read_csv)
    | RunnableLambda(by_destination)
)


def run(request: str):
    return chain.invoke(request)


if __name__ == "__main__":
    import sys

    for destination, load in run(sys.stdin.read()).items():
        print(f"{destination:<14}{load['weight']:>8} kg  {', '.join(load['containers'])}")
