"""Makes quiz cards out of a chapter; a small LCEL chain around the OpenAI client."""

import yaml
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda
from openai import OpenAI

TEMPLATE = PromptTemplate.from_template(
    """Write {count} quiz questions about the chapter below as YAML, in this format:

- question: What is ...?
  options:
    - first option
    - second option
    - third option
  answer: 0        # index of the right option
  difficulty: easy # easy, medium or hard

Chapter: {chapter}"""
)
POINTS = {"easy": 1, "medium": 2, "hard": 5}


def ask(prompt):
    done = OpenAI().chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": prompt.to_string()}]
    )
    return done.choices[0].message.content


def cards(text):
    for entry in yaml.safe_load(text):
        yield {
            "q": entry["question"],
            "right": entry["options"][entry["answer"]],
            "wrong": [option for i, option in enumerate(entry["options"]) if i != entry["answer"]],
            "points": POINTS[entry["difficulty"]],
        }


chain = TEMPLATE | RunnableLambda(ask) | RunnableLambda(lambda text: list(cards(text)))


def quiz(chapter, count):
    return chain.invoke({"chapter": chapter, "count": count})
