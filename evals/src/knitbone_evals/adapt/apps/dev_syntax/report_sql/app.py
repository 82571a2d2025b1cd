"""Reports from a music shop: the model writes SQL, SQLite runs it."""

import sqlite3

from openai import OpenAI

SCHEMA = """
CREATE TABLE artists (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE albums (id INTEGER PRIMARY KEY, artist_id INTEGER, title TEXT, year INTEGER, \
sales REAL);
"""
ROWS = """
INSERT INTO artists VALUES (1,'Nora Vale','NO'),(2,'The Quiet Hours','US'),\
(3,'Olu Ade','NG'),(4,'Sean O''Neill','IE');
INSERT INTO albums VALUES (1,1,'Fjord',2011,12000.5),(2,1,'Winter Light',2015,8000),\
(3,2,'Low Tide',2015,41000),
(4,3,'Lagos Nights',2019,22000),(5,4,'Harbour',2021,900),(6,2,'R and B, Vol. 2',2022,5000);
"""


class Warehouse:
    def __init__(self):
        self.conn = sqlite3.connect(":memory:")
        self.conn.row_factory = sqlite3.Row
        self.conn.executescript(SCHEMA + ROWS)

    def rows(self, sql, limit=50):
        cur = self.conn.execute(sql)
        return [dict(row) for row in cur.fetchmany(limit)]


class Reporter:
    PROMPT = (
        "You are a SQLite expert. Given the schema below write ONE SQLite SELECT statement "
        "which answers the question. Return only the SQL, no explanation.\n\n"
        "{schema}\n\nQuestion: {question}"
    )

    def __init__(self, model="gpt-4o"):
        self.client = OpenAI()
        self.model = model
        self.db = Warehouse()

    def to_sql(self, question):
        completion = self.client.chat.completions.create(
            model=self.model,
            temperature=0,
            messages=[
                {"role": "user", "content": self.PROMPT.format(schema=SCHEMA, question=question)}
            ],
        )
        return completion.choices[0].message.content.strip()

    def report(self, question):
        sql = self.to_sql(question)
        if not sql:
            raise ValueError("no query")
        rows = self.db.rows(sql)
        return {"n": len(rows), "rows": rows}


def answer(question):
    return Reporter().report(question)
