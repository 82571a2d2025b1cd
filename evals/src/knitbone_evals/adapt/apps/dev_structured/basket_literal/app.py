"""Understands a spoken shopping list: a Python list of tuples, read with literal_eval."""

import ast

from openai import OpenAI

llm = OpenAI()


def complete(system, user):
    out = llm.chat.completions.create(
        model="mistral-small",
        messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
    )
    return out.choices[0].message.content


def basket(utterance):
    answer = complete(
        "Turn what the user says into a Python list of tuples (item, amount, organic), e.g. "
        "[('milk', 2, True), ('bread', 1, False)]. Only output the list.",
        utterance,
    )
    items = ast.literal_eval(answer.strip())
    total = 0
    names = {}
    for item, amount, organic in items:
        total += amount
        names.setdefault("organic" if organic is True else "plain", []).append(item.lower())
    return {"total": total, **names}
