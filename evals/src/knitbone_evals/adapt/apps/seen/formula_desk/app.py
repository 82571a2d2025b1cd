"""A spreadsheet helper: the model turns a wish into one Python expression over the columns."""

import ast

from openai import OpenAI

client = OpenAI()
SYSTEM = (
    "Answer with one Python expression over the columns price, pieces, weight and rebate. "
    "Only + - * / // ** ( ), round, min, max, comparisons and 'a if b else c'."
)
ALLOWED = {"round": round, "min": min, "max": max}


def formula(wish):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": wish}],
    )
    return response.choices[0].message.content


def column(wish, rows):
    tree = ast.parse(formula(wish), mode="eval")
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    code = compile(tree, "<formula>", "eval")
    values = [eval(code, {"__builtins__": {}}, {**ALLOWED, **row}) for row in rows]
    return {"names": names, "values": values}
