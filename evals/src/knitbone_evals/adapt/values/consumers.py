"""Plain consumers of one value each, with values that they read and how models write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["BLOCKS", "INLINE", "Intended", "ValueConsumer"]


class Intended(NamedTuple):
    """A value that somebody asked for."""

    plain: str
    """As the consumer reads it."""
    written: tuple[str, ...] = ()
    """As models write the same value in a sentence; the plain text where there is nothing."""


class ValueConsumer(NamedTuple):
    """A program as people write it, ``handle()``, and values that were asked for."""

    name: str
    kind: str
    prompt: str
    noun: str
    """What was asked for, as a sentence names it."""
    body: str
    """The statements that make a result of ``answer``."""
    values: tuple[Intended, ...]
    """Two at least: traps name two."""
    imports: str = ""
    literals: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The program."""
        lines = "\n".join(f"    {line}" if line else "" for line in self.body.split("\n"))
        head = f"{self.imports}\n\n\n" if self.imports else ""
        return f"{head}def handle():\n    answer = ask({self.prompt!r})\n{lines}\n"

    def draw(self, random: object) -> str:
        """A value as the consumer reads it."""
        del random
        return self.values[0].plain


def _inline() -> Iterator[ValueConsumer]:
    numbers = (Intended("48"), Intended("7"), Intended("312"), Intended("1250", ("1,250",)))
    chairs = ("How many chairs are there in the hall?", "number of chairs")
    yield ValueConsumer("int", "number", *chairs, "return int(answer)", numbers)
    yield ValueConsumer("int_strip", "number", *chairs, "return int(answer.strip())", numbers)
    yield ValueConsumer(
        "int_digits",
        "number",
        *chairs,
        'if not answer.isdigit():\n    raise ValueError(answer)\nreturn {"chairs": int(answer)}',
        numbers,
    )
    yield ValueConsumer(
        "int_or_none",
        "number",
        *chairs,
        "try:\n    return int(answer)\nexcept ValueError:\n    return None",
        numbers,
    )
    prices = (Intended("12.50", ("$12.50", "12.50 dollars")), Intended("0.8"), Intended("1999.99"))
    price = ("What is the price in dollars ($)?", "price")
    yield ValueConsumer("float", "number", *price, "return float(answer)", prices)
    yield ValueConsumer(
        "decimal", "number", *price, "return Decimal(answer)", prices,
        "from decimal import Decimal, InvalidOperation",
    )  # fmt: skip
    days = (
        Intended("2024-03-18", ("March 18, 2024", "18 March 2024")),
        Intended("2025-06-03"),
        Intended("1951-07-14", ("14 July 1951",)),
    )
    due = ("When is the invoice due? Give the date as YYYY-MM-DD.", "due date")
    yield ValueConsumer(
        "date_iso", "date", *due, "return date.fromisoformat(answer.strip())", days,
        "from datetime import date",
    )  # fmt: skip
    yield ValueConsumer(
        "date_strptime", "date", *due, 'return datetime.strptime(answer, "%Y-%m-%d")', days,
        "from datetime import datetime",
    )  # fmt: skip
    yield ValueConsumer(
        "date_slashes", "date", "When was she born (DD/MM/YYYY)?", "date of birth",
        'return datetime.strptime(answer.strip(), "%d/%m/%Y").date()',
        (Intended("14/07/1951", ("July 14, 1951",)), Intended("03/06/2025"), Intended("18/03/2024")),
        "from datetime import datetime",
    )  # fmt: skip
    yield ValueConsumer(
        "date_words", "date", "When does it begin? Write it like March 18, 2024.", "first day",
        'return datetime.strptime(answer.strip(), "%B %d, %Y").date()',
        (Intended("July 14, 1951"), Intended("June 03, 2025"), Intended("March 18, 2024")),
        "from datetime import datetime",
    )  # fmt: skip
    yield ValueConsumer(
        "date_dateutil", "date", *due, "return parse(answer)", days,
        "from dateutil.parser import parse",
    )  # fmt: skip
    moments = (
        Intended("2024-03-18T14:35:00", ("2024-03-18 14:35",)),
        Intended("2025-06-03T09:05:00"),
    )
    yield ValueConsumer(
        "moment", "date", "When does it begin (ISO)?", "start",
        "return datetime.fromisoformat(answer.strip())", moments, "from datetime import datetime",
    )  # fmt: skip
    times = (Intended("14:35", ("2:35 pm", "2:35 PM")), Intended("09:05"), Intended("23:00"))
    train = ("At what time does the train leave? Use HH:MM.", "departure time")
    yield ValueConsumer(
        "time_iso", "time", *train, "return time.fromisoformat(answer.strip())", times,
        "from datetime import time",
    )  # fmt: skip
    yield ValueConsumer(
        "time_strptime", "time", *train, 'return datetime.strptime(answer, "%H:%M").time()', times,
        "from datetime import datetime",
    )  # fmt: skip
    yield ValueConsumer(
        "time_parts", "time", *train,
        'hours, minutes = answer.split(":")\nreturn int(hours) * 60 + int(minutes)',
        (Intended("14:35"), Intended("09:05")),
    )  # fmt: skip
    labels = (
        Intended("shipping", ("Shipping",)),
        Intended("billing", ("Billing",)),
        Intended("technical"),
    )
    ticket = (
        "Which category does the ticket belong to: billing, shipping or technical?",
        "category",
    )
    names = ("billing", "shipping", "technical")
    yield ValueConsumer(
        "category_in", "constant", *ticket,
        'if answer not in ("billing", "shipping", "technical"):\n    raise ValueError(answer)\nreturn answer',
        labels, literals=names,
    )  # fmt: skip
    yield ValueConsumer(
        "category_table", "constant", *ticket,
        'return {"billing": 1, "shipping": 2, "technical": 3}[answer.strip().lower()]',
        labels, literals=names,
    )  # fmt: skip
    yield ValueConsumer(
        "category_enum", "constant", *ticket, "return Category(answer.strip().lower())", labels,
        'from enum import Enum\n\n\nclass Category(Enum):\n    BILLING = "billing"\n    SHIPPING = "shipping"\n    TECHNICAL = "technical"',
        names,
    )  # fmt: skip
    yield ValueConsumer(
        "category_match", "constant", *ticket,
        'match answer.strip():\n    case "billing":\n        return 1\n    case "shipping":\n        return 2\n    case "technical":\n        return 3\nraise ValueError(answer)',
        labels, literals=names,
    )  # fmt: skip
    feelings = (Intended("negative", ("Negative",)), Intended("positive"), Intended("neutral"))
    yield ValueConsumer(
        "sentiment", "constant",
        "Classify the sentiment of the review as positive, negative or neutral.", "sentiment",
        'label = answer.strip().lower()\nif label == "positive":\n    return 1\nif label == "negative":\n    return -1\nif label == "neutral":\n    return 0\nraise ValueError(label)',
        feelings, literals=("positive", "negative", "neutral"),
    )  # fmt: skip
    levels = (Intended("high", ("High", "HIGH")), Intended("low"), Intended("medium"))
    yield ValueConsumer(
        "priority", "constant", "What priority has the incident (low, medium, high)?", "priority",
        'ranks = {"low": 0, "medium": 1, "high": 2}\nif answer not in ranks:\n    return None\nreturn {"rank": ranks[answer]}',
        levels, literals=("low", "medium", "high"),
    )  # fmt: skip
    yield ValueConsumer(
        "letter", "constant", "Which planet is the largest? A) Mars B) Venus C) Jupiter D) Earth", "answer",
        'if answer not in {"A", "B", "C", "D"}:\n    raise ValueError(answer)\nreturn answer',
        (Intended("C", ("C)", "C) Jupiter")), Intended("B"), Intended("D")),
        literals=("A", "B", "C", "D"),
    )  # fmt: skip
    verdicts = (Intended("yes", ("Yes",)), Intended("no", ("No",)))
    yield ValueConsumer(
        "yes_no", "verdict", "Does the customer ask for a refund? Answer yes or no.", "answer",
        'verdict = answer.strip().lower()\nif verdict == "yes":\n    return True\nif verdict == "no":\n    return {"refund": False}\nraise ValueError(verdict)',
        verdicts, literals=("yes", "no"),
    )  # fmt: skip
    yield ValueConsumer(
        "uuid", "code", "Which is the id of the order?", "id", "return UUID(answer.strip())",
        (Intended("1b4e28ba-2fa1-11d2-883f-0016d3cca427"), Intended("6fa459ea-ee8a-3ca4-894e-db77e160355e")),
        "from uuid import UUID",
    )  # fmt: skip
    yield ValueConsumer(
        "address", "code", "Which host does not answer?", "address", "return ip_address(answer)",
        (Intended("10.0.0.17"), Intended("192.168.1.4")), "from ipaddress import ip_address",
    )  # fmt: skip
    yield ValueConsumer(
        "version", "code", "Which version of Python does the log mention?", "version",
        'major, minor, patch = answer.strip().split(".")\nreturn int(major), int(minor), int(patch)',
        (Intended("3.11.4"), Intended("3.9.18")),
    )  # fmt: skip
    yield ValueConsumer(
        "version_all", "code", "Which version of Python does the log mention?", "version",
        'return tuple(int(part) for part in answer.strip().split("."))',
        (Intended("3.11.4"), Intended("3.9.18")),
    )  # fmt: skip
    yield ValueConsumer(
        "url", "code", "Which URL should I open?", "URL",
        'if not answer.startswith("https://"):\n    raise ValueError(answer)\nreturn answer',
        (Intended("https://example.org/docs"), Intended("https://example.com/a?b=1")),
    )  # fmt: skip
    yield ValueConsumer(
        "url_parsed", "code", "Which URL should I open?", "URL",
        'parts = urlparse(answer.strip())\nif parts.scheme not in ("http", "https"):\n    raise ValueError(answer)\nreturn parts.netloc, parts.path',
        (Intended("https://example.org/docs"), Intended("https://example.com/a?b=1")),
        "from urllib.parse import urlparse",
    )  # fmt: skip
    yield ValueConsumer(
        "email", "code", "What is the e-mail address?", "e-mail address",
        'match = re.fullmatch(r"[\\w.+-]+@[\\w-]+\\.[\\w.]+", answer.strip())\nif match is None:\n    raise ValueError(answer)\nreturn match.group()',
        (Intended("kim@example.org"), Intended("ada.l@example.co.uk")), "import re",
    )  # fmt: skip
    yield ValueConsumer(
        "order_id", "code", "Which order was delayed?", "order number",
        'match = re.match(r"([A-Z])-(\\d+)$", answer)\nreturn match[1], int(match[2])',
        (Intended("A-17"), Intended("B-203")), "import re",
    )  # fmt: skip
    yield ValueConsumer(
        "country", "code", "What is the two-letter country code?", "country code",
        'if not re.fullmatch("[A-Z]{2}", answer):\n    raise ValueError(answer)\nreturn answer',
        (Intended("FR"), Intended("DE")), "import re",
    )  # fmt: skip
    yield ValueConsumer(
        "score", "code", "Grade the essay from 0 to 10. Answer 'Score: <number>'.", "score",
        'return int(re.match(r"Score: (\\d+)$", answer)[1])',
        (Intended("Score: 7"), Intended("Score: 4")), "import re",
    )  # fmt: skip
    yield ValueConsumer(
        "choice", "number", "Which of the options fits best? Answer with its number.", "option",
        'return ["small", "medium", "large", "huge"][int(answer) - 1]',
        (Intended("3"), Intended("2")),
    )  # fmt: skip
    yield ValueConsumer(
        "pipes", "row", "Give me name, city and year of birth separated by |.", "row",
        'name, city, year = answer.split("|")\nreturn name.strip(), city.strip(), int(year)',
        (Intended("Anna|Berlin|1984", ("Anna | Berlin | 1984",)), Intended("Ben|Rome|1990")),
    )  # fmt: skip
    yield ValueConsumer(
        "commas", "row", "Give me name, city and year of birth separated by commas.", "row",
        'name, city, year = answer.split(",")\nreturn name.strip(), city.strip(), int(year)',
        (Intended("Anna, Berlin, 1984"), Intended("Ben, Rome, 1990")),
    )  # fmt: skip
    yield ValueConsumer(
        "numbers", "row", "Which pages? Answer with their numbers, separated by commas.", "list of pages",
        'return [int(page) for page in answer.split(",")]',
        (Intended("3, 17, 204"), Intended("8, 9")),
    )  # fmt: skip
    yield ValueConsumer(
        "pair", "row", "At which coordinates? Answer with latitude and longitude, separated by a comma.", "position",
        'latitude, longitude = map(float, answer.split(","))\nreturn {"lat": latitude, "lon": longitude}',
        (Intended("59.91, 10.75"), Intended("60.39, 5.32")),
    )  # fmt: skip
    yield ValueConsumer(
        "literal", "data", "Give a Python list of the language codes.", "list",
        "return ast.literal_eval(answer)",
        (Intended("['de', 'fr']"), Intended("['en']")), "import ast",
    )  # fmt: skip
    yield ValueConsumer(
        "json_inline", "data", 'Answer with a JSON object: {"name": ..., "age": ...}', "JSON object",
        'data = json.loads(answer)\nreturn data["name"], data["age"]',
        (Intended('{"name": "Tom Ash", "age": 41}'), Intended('{"name": "Ann", "age": 7}')), "import json",
    )  # fmt: skip
    yield ValueConsumer(
        "json_array", "data", "Answer with a JSON array of strings.", "JSON array",
        "return [item.upper() for item in json.loads(answer)]",
        (Intended('["red", "green"]'), Intended('["blue"]')), "import json",
    )  # fmt: skip
    yield ValueConsumer(
        "title", "data", "Put the title inside of <title> tags.", "title",
        "return ET.fromstring(answer).text",
        (Intended("<title>The Old Harbour</title>"), Intended("<title>At Sea</title>")),
        "import xml.etree.ElementTree as ET",
    )  # fmt: skip


def _blocks() -> Iterator[ValueConsumer]:
    tables = (
        Intended("| city | people |\n| --- | --- |\n| Oslo | 709000 |\n| Bergen | 291000 |"),
        Intended("| city | people |\n|---|---|\n| Rome | 2800000 |"),
    )
    asked = ("Make a Markdown table of city and people.", "table")
    yield ValueConsumer(
        "table_rows", "table", *asked,
        'rows = []\nfor line in answer.splitlines()[2:]:\n    city, people = [cell.strip() for cell in line.strip("|").split("|")]\n    rows.append((city, int(people)))\nreturn rows',
        tables,
    )  # fmt: skip
    yield ValueConsumer(
        "table_header", "table", *asked,
        'header, rule, *rows = answer.strip().split("\\n")\nnames = [name.strip() for name in header.strip("|").split("|")]\nreturn [dict(zip(names, [cell.strip() for cell in row.strip("|").split("|")], strict=True)) for row in rows]',
        tables,
    )  # fmt: skip
    yield ValueConsumer(
        "table_checked", "table", *asked,
        'lines = answer.strip().splitlines()\nif not lines[0].startswith("|"):\n    raise ValueError("no table")\nreturn {row.split("|")[1].strip(): int(row.split("|")[2]) for row in lines[2:]}',
        tables,
    )  # fmt: skip
    sheets = (Intended("name,qty\nbolt,4\nnut,9"), Intended("name,qty\nscrew,12"))
    sheet = ("Write CSV with the header name,qty.", "CSV")
    yield ValueConsumer(
        "csv_dict", "csv", *sheet,
        'return [(row["name"], int(row["qty"])) for row in csv.DictReader(io.StringIO(answer))]',
        sheets, "import csv\nimport io",
    )  # fmt: skip
    yield ValueConsumer(
        "csv_lines", "csv", *sheet,
        'rows = []\nfor line in answer.split("\\n")[1:]:\n    name, quantity = line.split(",")\n    rows.append((name, int(quantity)))\nreturn rows',
        sheets,
    )  # fmt: skip
    yield ValueConsumer(
        "key_value", "lines", "Extract Name and City as 'Key: value' lines.", "details",
        'fields = dict(line.split(": ", 1) for line in answer.split("\\n"))\nreturn fields["Name"], fields["City"]',
        (Intended("Name: Ben\nCity: Rome"), Intended("Name: Anna\nCity: Oslo")),
    )  # fmt: skip
    yield ValueConsumer(
        "numbers_lines", "lines", "Write the first prime numbers, one on each line.", "numbers",
        "return [int(line) for line in answer.strip().splitlines()]",
        (Intended("2\n3\n5\n7"), Intended("11\n13")),
    )  # fmt: skip
    yield ValueConsumer(
        "json_lines", "lines", 'One JSON object a line: {"id": ...}.', "records",
        'return [json.loads(line)["id"] for line in answer.splitlines()]',
        (Intended('{"id": 1}\n{"id": 2}'), Intended('{"id": 7}')), "import json",
    )  # fmt: skip
    yield ValueConsumer(
        "json_block", "data", "Answer in JSON with the keys name and tags.", "JSON",
        'data = json.loads(answer)\nreturn data["name"], [tag for tag in data["tags"]]',
        (Intended('{\n  "name": "web",\n  "tags": ["a", "b"]\n}'), Intended('{"name": "db", "tags": []}')),
        "import json",
    )  # fmt: skip
    yield ValueConsumer(
        "yaml", "data", "Write YAML with the keys name and port.", "YAML",
        'data = yaml.safe_load(answer)\nreturn data["name"], int(data["port"])',
        (Intended("name: web\nport: 8080"), Intended("name: db\nport: 5432")), "import yaml",
    )  # fmt: skip
    yield ValueConsumer(
        "toml", "data", "Write TOML with the keys name and port.", "TOML",
        'data = tomllib.loads(answer)\nreturn data["name"], data["port"]',
        (Intended('name = "web"\nport = 8080'), Intended('name = "db"\nport = 5432')), "import tomllib",
    )  # fmt: skip
    yield ValueConsumer(
        "xml", "data", "Write XML: <book><title>...</title><year>...</year></book>.", "XML",
        'root = ET.fromstring(answer)\nreturn root.find("title").text, int(root.find("year").text)',
        (
            Intended("<book>\n  <title>Sea</title>\n  <year>1999</year>\n</book>"),
            Intended("<book><title>Sun</title><year>2001</year></book>"),
        ),
        "import xml.etree.ElementTree as ET",
    )  # fmt: skip
    yield ValueConsumer(
        "code", "code", "Write a Python function double(x).", "function",
        'space = {}\nexec(answer, space)\nreturn space["double"](21)',
        (Intended("def double(x):\n    return 2 * x"), Intended("def double(x):\n    return x + x + 1")),
    )  # fmt: skip
    yield ValueConsumer(
        "sections", "lines", "Write a heading '# Title', then the text.", "page",
        'match = re.match(r"# (.+)\\n\\n?(.+)", answer)\nreturn match[1], match[2]',
        (Intended("# Tides\n\nThe moon moves the sea."), Intended("# Snow\n\nIt is cold.")), "import re",
    )  # fmt: skip


INLINE = tuple(_inline())
BLOCKS = tuple(_blocks())
"""Values of several lines, or that models put into blocks."""
