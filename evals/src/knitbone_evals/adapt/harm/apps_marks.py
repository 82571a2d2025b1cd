"""Applications into whose values marks of notation could enter: class 4."""

import json
import re
from typing import NamedTuple

import yaml

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


@knitbone.adapt
def ingredients():
    text = ask("List the ingredients, one per line, each line starting with '- '.")
    found = [line[2:].strip() for line in text.splitlines() if line.startswith("- ")]
    if not found:
        raise ValueError("no ingredients")
    return found


@knitbone.adapt
def headline():
    text = ask("Invent a headline for the article. Answer with one line: 'Title: ...'")
    return re.match(r"Title: (.+)", text).group(1)


@knitbone.adapt
def tagged_answer():
    text = ask("What is the capital? Put your final answer between <answer> and </answer>.")
    match = re.search(r"<answer>(.*?)</answer>", text, re.DOTALL)
    if match is None:
        raise ValueError("no answer tag")
    return match.group(1).strip()


@knitbone.adapt
def city_table():
    text = ask("Return a Markdown table with the columns City and Country.")
    rows = []
    for line in text.splitlines():
        if line.startswith("|") and not set(line) <= set("|-: "):
            city, country = (cell.strip() for cell in line.strip("|").split("|"))
            rows.append((city, country))
    if len(rows) < 2:
        raise ValueError("no table")
    return rows[1:]


@knitbone.adapt
def keywords():
    text = ask("Give three to five keywords, in one line: 'Keywords: first, second, third'")
    return [keyword.strip() for keyword in text.split("Keywords: ")[1].split(",")]


@knitbone.adapt
def population():
    text = ask("What is the population of the city? One line: 'Population: <integer>'")
    return int(re.search(r"^Population: (\d+)$", text, re.MULTILINE).group(1))


@knitbone.adapt
def sql_query():
    text = ask("Write the SQL query in a ```sql block.")
    match = re.search(r"```sql\n(.+?)\n```", text, re.DOTALL)
    if not match:
        raise ValueError("no query found")
    return match.group(1)


class Member(NamedTuple):
    name: str
    role: str


@knitbone.adapt
def member():
    text = ask('Extract the member as JSON: {"name": "...", "role": "..."}')
    data = json.loads(text)
    return Member(data["name"], data["role"])


@knitbone.adapt
def sections():
    text = ask("Outline the article. Each section heading on its own line: '## Heading'.")
    found = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if not found:
        raise ValueError("no sections")
    return found


@knitbone.adapt
def brand_colour():
    text = ask("Suggest a colour for the logo. Reply with the hex code only, like #a1b2c3.")
    match = re.fullmatch(r"#[0-9a-f]{6}", text.strip())
    if not match:
        raise ValueError(f"not a colour: {text!r}")
    return match.group()


@knitbone.adapt
def quotation():
    text = ask("Give a quotation as YAML with the keys quote and author.")
    data = yaml.safe_load(text)
    return data["quote"], data["author"]


@knitbone.adapt
def file_name():
    text = ask("Which file holds the entry point? Reply with the path only.")
    path = text.strip()
    if not re.fullmatch(r"[\w./-]+\.py", path):
        raise ValueError("not a path of a Python file")
    return path
