"""Applications that read records of a given number of cells: class 5."""

import csv
import io
import json
import re
from collections import namedtuple

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


@knitbone.adapt
def people():
    text = ask("Return CSV with the columns name,city,age. Quote cells that hold a comma.")
    rows = csv.DictReader(io.StringIO(text))
    return [(row["name"], row["city"], int(row["age"])) for row in rows]


Product = namedtuple("Product", "name price stock")


@knitbone.adapt
def products():
    text = ask("Return a Markdown table: | name | price | stock |, nothing before or after it.")
    found = []
    for line in text.strip().splitlines()[2:]:
        name, price, stock = (cell.strip() for cell in line.strip().strip("|").split("|"))
        found.append(Product(name, float(price), int(stock)))
    return found


@knitbone.adapt
def phone_book():
    text = ask("List name and phone number, separated by one tab, one entry per line.")
    entries = []
    for line in text.strip().split("\n"):
        name, phone = line.split("\t")
        entries.append((name, phone))
    return entries


@knitbone.adapt
def teams():
    text = ask("List the teams, one per line: 'Team: member, member, ...'")
    found = {}
    for line in text.strip().splitlines():
        team, separator, members = line.partition(": ")
        if not separator or not re.fullmatch(r"\w+", team):
            raise ValueError(f"bad line {line!r}")
        found[team] = [member.strip() for member in members.split(",")]
    return found


@knitbone.adapt
def costs():
    text = ask("Gib die Kosten als CSV mit Semikolon aus: Posten;Betrag (Dezimalkomma, EUR)")
    rows = list(csv.reader(io.StringIO(text.strip()), delimiter=";"))
    return [(name, float(amount.replace(",", "."))) for name, amount in rows[1:]]


@knitbone.adapt
def flights():
    text = ask("List the flights without a header, one per line: code,origin,destination")
    found = []
    for line in text.strip().splitlines():
        code, origin, destination = [cell.strip() for cell in line.split(",")]
        if not re.fullmatch(r"[A-Z]{3}", origin) or not re.fullmatch(r"[A-Z]{3}", destination):
            raise ValueError(f"bad airport in {line!r}")
        found.append((code, origin, destination))
    return found


@knitbone.adapt
def inventory():
    text = ask("Describe each part in one line: name=...;size=...;quantity=...")
    parts = []
    for line in text.strip().splitlines():
        part = dict(pair.split("=") for pair in line.split(";"))
        parts.append((part["name"], part["size"], int(part["quantity"])))
    return parts


@knitbone.adapt
def schedule():
    text = ask("Write the schedule, one talk per line: HH:MM - title - speaker")
    talks = []
    for line in text.strip().splitlines():
        match = re.match(r"(\d\d:\d\d) - (.+) - (.+)$", line)
        if not match:
            raise ValueError(f"cannot read {line!r}")
        talks.append(match.groups())
    return talks


@knitbone.adapt
def vocabulary():
    text = ask("Translate each word into Spanish, one per line: word -> translation")
    pairs = {}
    for line in text.strip().splitlines():
        word, translation = line.split(" -> ")
        pairs[word] = translation
    return pairs


@knitbone.adapt
def matrix():
    text = ask("Return the 2 x 3 matrix as a JSON array of two rows with three numbers each.")
    rows = json.loads(text)
    if len(rows) != 2 or any(len(row) != 3 for row in rows):
        raise ValueError("expected 2 x 3")
    return [[float(cell) for cell in row] for row in rows]


@knitbone.adapt
def quiz():
    text = ask("Write two questions, each as two lines:\nQ: question\nA: answer")
    pairs = re.findall(r"^Q: (.+)\nA: (.+)$", text, re.MULTILINE)
    if len(pairs) != 2:
        raise ValueError(f"{len(pairs)} questions")
    return pairs
