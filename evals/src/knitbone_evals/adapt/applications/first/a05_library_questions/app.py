"""Librarian types a question, the model writes the SQL, sqlite answers."""
import re
import sqlite3

from openai import OpenAI

SCHEMA = """
CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE loan (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member(id), title TEXT, due TEXT, returned INTEGER);
"""

DATA = """
INSERT INTO member VALUES (1,'Ana Kovac','Riva'),(2,'Ben Olsen','Riva'),(3,'Cleo Hart','Moss'),(4,'Dev Patel','Lund');
INSERT INTO loan VALUES
 (1,1,'Dune','2026-02-01',1),(2,1,'Emma','2026-03-10',0),(3,2,'Ulysses','2026-02-20',0),
 (4,3,'Circe','2026-03-15',0),(5,3,'Dune','2026-03-20',1),(6,4,'Momo','2026-01-05',0),(7,4,'Beloved','2026-04-01',1);
"""

PROMPT = f"""You write SQLite queries for this schema:
{SCHEMA}
returned is 0 (still out) or 1 (back). due is YYYY-MM-DD.
Reply with one SELECT statement inside a ```sql block. Select only the columns that are asked for."""

FENCE = re.compile(r"```sql\n(.*?)\n```", re.DOTALL)


def database():
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA + DATA)
    return db


def write_query(question: str) -> str:
    client = OpenAI()
    completion = client.chat.completions.create(
        model="qwen2.5-coder-7b-instruct",
        messages=[{"role": "system", "content": PROMPT}, {"role": "user", "content": question}],
    )
    found = FENCE.search(completion.choices[0].message.content)
    if found is None:
        raise ValueError("no query in the answer")
    return found.group(1)


def run(request: str):
    query = write_query(request)
    if not query.lstrip().upper().startswith("SELECT"):
        raise PermissionError(query)
    with database() as db:
        return [list(row) for row in db.execute(query)]


if __name__ == "__main__":
    while question := input("? "):
        for row in run(question):
            print(*row, sep=" | ")
