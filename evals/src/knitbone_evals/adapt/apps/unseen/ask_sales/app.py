"""Ask the sales database in plain words."""

import sqlite3

from openai import OpenAI

client = OpenAI()

SCHEMA = """
CREATE TABLE shops (id INTEGER PRIMARY KEY, city TEXT, opened INTEGER);
CREATE TABLE sales (shop_id INTEGER, product TEXT, amount INTEGER, price REAL, month TEXT);
"""
ROWS = """
INSERT INTO shops VALUES
 (1, 'Oslo', 2009), (2, 'Porto', 2015), (3, 'Gdansk', 2018), (4, 'Lyon', 2021);
INSERT INTO sales VALUES
 (1, 'lamp', 12, 39.5, '2024-01'), (1, 'chair', 4, 120.0, '2024-02'),
 (2, 'lamp', 30, 35.0, '2024-01'), (2, 'desk', 2, 310.0, '2024-03'),
 (3, 'chair', 9, 99.0, '2024-02'), (3, 'lamp', 5, 41.0, '2024-03'),
 (4, 'desk', 6, 289.0, '2024-01'), (4, 'chair', 11, 105.0, '2024-03'),
 (1, 'desk', 1, 330.0, '2024-03');
"""


def write_query(question):
    response = client.chat.completions.create(
        model="gpt-4o",
        messages=[
            {
                "role": "system",
                "content": "SQLite. Answer with one SELECT and nothing else." + SCHEMA,
            },
            {"role": "user", "content": question},
        ],
        temperature=0,
    )
    return response.choices[0].message.content


def ask(question):
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA + ROWS)
    cursor = connection.cursor()
    try:
        cursor.execute(write_query(question))
    except sqlite3.Error:
        return {"columns": [], "rows": [], "message": "I do not know."}
    else:
        columns = [column[0] for column in cursor.description]
        return {"columns": columns, "rows": [list(row) for row in cursor.fetchall()], "message": ""}
    finally:
        connection.close()
