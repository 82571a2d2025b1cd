"""Questions about the shop's database."""

import sqlite3

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "Write one SQLite query over users(id, name, city, age) and orders(id, user_id, total, day): "
)
SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, total REAL, day TEXT);
INSERT INTO users VALUES (1, 'Ana', 'Oslo', 31), (2, 'Ben', 'Paris', 44), (3, 'Cleo', 'Oslo', 19);
INSERT INTO orders VALUES (1, 1, 20.0, '2024-03-01'), (2, 1, 35.5, '2024-03-02'),
    (3, 1, 8.25, '2024-03-09'), (4, 2, 99.0, '2024-04-01');
"""


def ask(question):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + question}]
    )
    database = sqlite3.connect(":memory:")
    try:
        database.executescript(SCHEMA)
        return [list(row) for row in database.execute(response.choices[0].message.content)]
    finally:
        database.close()
