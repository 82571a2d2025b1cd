"""Checks the queries that the model writes for our PostgreSQL ledger before anybody runs them."""

import sqlglot
from openai import OpenAI
from sqlglot import exp

client = OpenAI()
SCHEMA = "entries(id, account, amount, booked_on, memo), accounts(id, name, owner)"
READABLE = {"entries", "accounts"}


def write(question):
    response = client.chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": f"One PostgreSQL query, no prose. Tables: {SCHEMA}"},
            {"role": "user", "content": question},
        ],
    )
    return response.choices[0].message.content


def checked(question):
    tree = sqlglot.parse_one(write(question), read="postgres")
    tables = sorted({table.name for table in tree.find_all(exp.Table)})
    allowed = isinstance(tree, exp.Select) and set(tables) <= READABLE
    return {"sql": tree.sql(dialect="postgres"), "tables": tables, "allowed": allowed}
