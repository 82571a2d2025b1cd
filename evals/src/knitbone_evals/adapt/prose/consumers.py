"""Applications that show, keep or pass on what a model says, as people write them. Whatever the
answer is, it is right for all of them."""

from __future__ import annotations

import html
import io
import json
import sqlite3
import textwrap
from contextlib import closing

from openai import OpenAI

client = OpenAI(api_key="none", base_url="http://127.0.0.1:9/v1")


def ask(question: str) -> str:
    response = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}]
    )
    return response.choices[0].message.content


def returned(question: str) -> str:
    return ask(question)


def printed(question: str) -> str:
    screen = io.StringIO()
    print(ask(question), file=screen)
    return screen.getvalue()


def stripped(question: str) -> str:
    return ask(question).strip()


def stored(question: str) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE answers (question TEXT, answer TEXT)")
        database.execute("INSERT INTO answers VALUES (?, ?)", (question, ask(question)))
        return database.execute("SELECT * FROM answers").fetchall()


def kept_as_json(question: str) -> str:
    return json.dumps({"question": question, "answer": ask(question)})


def page(question: str) -> str:
    return f"<h1>{html.escape(question)}</h1>\n<pre>{html.escape(ask(question))}</pre>"


def conversation(question: str) -> list[dict[str, str]]:
    messages = [{"role": "user", "content": question}]
    messages.append({"role": "assistant", "content": ask(question)})
    return messages


def numbered_lines(question: str) -> list[str]:
    return [f"{number:4} {line}" for number, line in enumerate(ask(question).splitlines(), 1)]


def paragraphs(question: str) -> list[str]:
    return [part for part in ask(question).split("\n\n") if part.strip()]


def wrapped(question: str) -> str:
    return textwrap.fill(ask(question), 100)


def preview(question: str) -> str:
    answer = ask(question)
    return answer if len(answer) <= 300 else answer[:297] + "..."


def title_and_body(question: str) -> tuple[str, str]:
    title, _, body = ask(question).partition("\n")
    return title, body


def flagged(question: str) -> dict[str, object]:
    answer = ask(question)
    return {"answer": answer, "long": len(answer) > 1000, "sorry": "sorry" in answer.lower()}


def mailed(question: str) -> str:
    mail = "Hello,\n\nyou asked: {question}\n\n{answer}\n\nYours"
    return mail.format(question=question, answer=ask(question))


def streamed(question: str) -> str:
    parts = []
    stream = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}], stream=True
    )
    for chunk in stream:
        parts.append(chunk.choices[0].delta.content or "")
    return "".join(parts)


def in_pages(question: str) -> list[str]:
    text = ask(question)
    return [text[start : start + 500] for start in range(0, len(text), 500)]


def fixed_width(question: str) -> list[tuple[str, str]]:
    text = ask(question)
    rows = []
    for start in range(0, len(text), 40):
        row = text[start : start + 40]
        rows.append((row[:10], row[10:]))
    return rows
