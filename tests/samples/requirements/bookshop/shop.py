"""A bookshop with not a model in it, though much looks as if there were one."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import requests
from sqlalchemy import create_engine, text

from bookshop.openai import OpenAI
from bookshop.workflow import Session, pipeline


class Books:
    """A table with the verbs of the object mapper we once had."""

    def __init__(self, engine):
        self.engine = engine

    def create(self, title, author):
        statement = text("INSERT INTO books (title, author) VALUES (:title, :author)")
        with self.engine.begin() as connection:
            connection.execute(statement, {"title": title, "author": author})
        return f"{title}: {author}"

    def retrieve(self, title):
        with self.engine.connect() as connection:
            found = connection.execute(text("SELECT author FROM books"), {"title": title})
            return [row.author for row in found]


class Chain:
    def __init__(self, shops):
        self.shops = shops

    def invoke(self, shop):
        return self.shops[shop]


def settings():
    return json.loads(Path("shop.json").read_text(encoding="utf-8"))["shops"]


def isbn(typed):
    found = re.search(r"^(?:ISBN[: ]*)?([\d-]{10,17})$", typed.strip())
    return found.group(1) if found else None


def pay(order, amount):
    response = requests.post(
        "https://pay.example.org/v1/messages", json={"order": order, "amount": amount}, timeout=10
    )
    return int(response.json()["content"][0]["receipt"])


def completions(prefix, titles):
    """Of a half typed title, as the search box shows them."""
    return [title for title in titles if title.lower().startswith(prefix.lower())]


def main():
    books = Books(create_engine("sqlite:///books.db"))
    line = books.create("Emma", "Jane Austen")
    title, _, author = line.partition(": ")
    print(title, author, books.retrieve(title)[0].split(" "))
    address = Chain(settings()).invoke("York")
    print(address["street"])
    session = Session()
    answer = session.invoke("stocktaking")
    if answer == "done":
        print(pipeline("text-generation")("Emma")[0]["generated_text"].split(","))
    coin = OpenAI().chat.completions.create(messages=["order Emma?"])
    if coin.startswith("yes"):
        print(pay("Emma", 12))
    with Path("stock.csv").open(encoding="utf-8") as file:
        print([int(row["copies"]) for row in csv.DictReader(file)])
    version = subprocess.run(
        [sys.executable, "-c", "print('3.1')"], capture_output=True, text=True, check=True
    ).stdout
    print(float(version), isbn(input("ISBN: ")), completions(input("title: "), ["Emma"]))


if __name__ == "__main__":
    main()
