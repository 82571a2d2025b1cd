"""An application as an earlier version of knitbone read it."""

import json

from openai import OpenAI

client = OpenAI()


def ask(question: str) -> str:
    answer = client.chat.completions.create(
        model="small", messages=[{"role": "user", "content": question}]
    )
    return answer.choices[0].message.content


def order(text: str) -> tuple[str, int]:
    found = json.loads(ask(f"Name the product and the count, as JSON: {text}"))
    return found["product"], int(found["count"])


def mood(text: str) -> bool:
    return ask(f"Answer yes or no: is this friendly? {text}") == "yes"


def steps(task: str) -> list[str]:
    lines = ask(f"List the steps, a line each, as 'Step: what': {task}").splitlines()
    return [line.split("Step: ", 1)[1] for line in lines if line.startswith("Step: ")]
