import os
from fractions import Fraction
from operator import itemgetter

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_openai import ChatOpenAI

CRITERIA = ("content", "structure", "spelling")

prompt = ChatPromptTemplate.from_messages([
    ("system", "You help a teacher to enter marks. You get the teacher's spoken remarks on an essay. "
               "Return the marks for content, structure and spelling, in this order, separated by commas, "
               "each as points/maximum, for example: 7/10, 3/5, 9/10"),
    ("human", "{remarks}"),
])


def split_marks(text):
    marks = {}
    for name, mark in zip(CRITERIA, text.split(","), strict=True):
        got, top = mark.split("/")
        got, top = int(got), int(top)
        if got > top:
            raise ValueError(f"{name}: {got} of {top}?")
        marks[name] = (got, top)
    return marks


def grade(marks):
    share = Fraction(sum(g for g, _ in marks.values()), sum(t for _, t in marks.values()))
    for letter, floor in (("A", 85), ("B", 70), ("C", 55), ("D", 40)):
        if share * 100 >= floor:
            return letter
    return "F"


def build_chain():
    llm = ChatOpenAI(
        model="gpt-4o-mini",
        temperature=0,
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        max_retries=0,
    )
    read = prompt | llm | StrOutputParser() | RunnableLambda(split_marks)
    return (
        RunnablePassthrough.assign(marks=read)
        | RunnablePassthrough.assign(grade=itemgetter("marks") | RunnableLambda(grade))
    )


def run(request: str):
    out = build_chain().invoke({"remarks": request})
    return {"marks": {k: list(v) for k, v in out["marks"].items()}, "grade": out["grade"]}
