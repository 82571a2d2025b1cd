"""A kitchen timer: reads the steps of a recipe aloud, one after the other."""

from openai import OpenAI

client = OpenAI()


def ask(dish):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "List the steps, one a line: '1. ...', '2. ...'."},
            {"role": "user", "content": dish},
        ],
    )
    return response.choices[0].message.content


def steps(dish):
    found = {}
    for line in ask(dish).splitlines():
        number, _, step = line.partition(". ")
        if number.isdigit():
            found[int(number)] = step
    return {"dish": dish, "steps": found, "last": max(found, default=0)}
