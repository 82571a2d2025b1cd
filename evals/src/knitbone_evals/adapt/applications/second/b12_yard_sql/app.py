"""Answer the yard manager's questions out of the pallet table."""
import functools
import os
import sqlite3
import time

import anthropic

SCHEMA = """CREATE TABLE pallet (
  id TEXT PRIMARY KEY,      -- e.g. P100
  bay TEXT,                 -- A, B or C
  goods TEXT,               -- tiles, paint, timber, cement
  kg INTEGER,
  arrived TEXT,             -- YYYY-MM-DD
  damaged INTEGER           -- 0 or 1
);"""

ROWS = [
    ("P100", "A", "tiles", 820, "2026-02-01", 0),
    ("P101", "A", "paint", 410, "2026-02-03", 1),
    ("P102", "B", "timber", 650, "2026-02-03", 0),
    ("P103", "B", "cement", 1200, "2026-02-10", 0),
    ("P104", "B", "paint", 390, "2026-02-12", 0),
    ("P105", "C", "tiles", 905, "2026-02-15", 1),
    ("P106", "C", "cement", 1180, "2026-02-20", 0),
    ("P107", "C", "timber", 700, "2026-02-22", 0),
]

PROMPT = f"""{SCHEMA}

Write one SQLite SELECT statement that answers the question. It must return a single column.
Reply with the bare SQL statement on its own: no explanation, no markdown.

Question: """


def retrying(exceptions, tries=3):
    def wrap(fn):
        @functools.wraps(fn)
        def again(*a, **kw):
            left = tries
            while True:
                try:
                    return fn(*a, **kw)
                except exceptions:
                    left -= 1
                    if not left:
                        raise
                    time.sleep(0.3)
        return again
    return wrap


def database():
    db = sqlite3.connect(":memory:")
    db.execute(SCHEMA)
    db.executemany("INSERT INTO pallet VALUES (?,?,?,?,?,?)", ROWS)
    db.execute("PRAGMA query_only = ON")
    return db


@retrying((anthropic.APIConnectionError,))
def to_sql(question):
    client = anthropic.Anthropic(
        base_url=os.environ.get("ANTHROPIC_BASE_URL"),
        api_key=os.environ.get("ANTHROPIC_API_KEY", "x"),
    )
    reply = client.messages.create(
        model="claude-3-5-haiku-latest",
        max_tokens=300,
        messages=[{"role": "user", "content": PROMPT + question}],
    )
    return "".join(block.text for block in reply.content if block.type == "text")


def run(request: str):
    sql = to_sql(request).strip()
    if not sql.upper().startswith("SELECT"):
        raise ValueError("will not run: %s" % sql)
    rows = database().execute(sql).fetchall()
    return sorted((row[0] for row in rows), key=str)
