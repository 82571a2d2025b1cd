"""Which tables does a generated statement touch? (guard in front of a Postgres pool)"""

import os

import anthropic
from sqlglot import exp, parse_one

claude = anthropic.Anthropic()


class ForbiddenError(Exception):
    pass


def ask(text):
    msg = claude.messages.create(
        model=os.environ.get("MODEL", "claude-haiku-4-5"),
        max_tokens=800,
        system="Translate the request to one PostgreSQL statement. Output the bare statement.",
        messages=[{"role": "user", "content": text}],
    )
    return "".join(block.text for block in msg.content if block.type == "text")


def guard(statement):
    tree = parse_one(statement, read="postgres")
    if not isinstance(tree, exp.Select):
        raise ForbiddenError(tree.key)
    return tree


def lineage(request):
    tree = guard(ask(request))
    return {
        "tables": sorted({each.name for each in tree.find_all(exp.Table)}),
        "columns": sorted({each.name for each in tree.find_all(exp.Column)}),
        "literals": [each.this for each in tree.find_all(exp.Literal)],
        "sql": tree.sql(dialect="postgres"),
    }
