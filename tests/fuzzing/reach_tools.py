"""Tools that read documents inside of arguments; each fails in the line marked ``planted``."""

from __future__ import annotations

import ast
import base64
import configparser
import csv
import gzip
import html
import io
import json
import re
import tomllib
import urllib.parse
import zlib
from typing import Any
from xml.etree import ElementTree as ET


def settle_basket(basket: str) -> str:
    """Total of a basket given as JSON text."""
    data = json.loads(basket)
    total = 0
    for line in data["lines"]:
        count = int(line["count"])
        if line["sku"].startswith("R"):
            total += line["price"] // count  # planted
    return str(total)


def read_token(token: str) -> str:
    """Read who a token is for."""
    _head, body, _tail = token.split(".")
    padded = body + "=" * (-len(body) % 4)
    claims = json.loads(base64.urlsafe_b64decode(padded))
    if claims["scope"] == "admin":
        return claims["groups"][0]  # planted
    return claims.get("sub", "nobody")


def handle_event(frame: str) -> str:
    """Handle one server-sent event."""
    if not frame.startswith("data: "):
        return "a comment"
    body = frame.removeprefix("data: ").strip()
    if body == "[DONE]":
        return "done"
    event = json.loads(body)
    choice = event["choices"][0]
    return choice["delta"]["content"].upper()  # planted


def unpack_report(blob: str) -> str:
    """Summarise a report: base64 of gzip of JSON."""
    report = json.loads(gzip.decompress(base64.b64decode(blob)))
    if report["kind"] != "daily":
        return "not daily"
    return str(sum(report["values"]) / len(report["values"]))  # planted


def inflate_note(blob: str) -> str:
    """Show a compressed note: hexadecimal of zlib of "author|text"."""
    text = zlib.decompress(bytes.fromhex(blob)).decode()
    author, words = text.split("|")
    if author == "ed":
        return words.split()[2]  # planted
    return words


def track_visit(link: str) -> str:
    """Tell the page of a visit."""
    query = urllib.parse.urlparse(link).query
    fields = urllib.parse.parse_qs(query)
    if "campaign" not in fields:
        return "organic"
    page = int(fields["page"][0])
    return str(100 // (page - 3))  # planted


def decode_field(field: str) -> str:
    """Tell the ratio that a percent-encoded field such as "a%3D1" holds."""
    name, _, value = urllib.parse.unquote_plus(field).partition("=")
    if name != "ratio + rest":
        return "ignored"
    top, bottom = value.split("/")
    return str(int(top) / int(bottom))  # planted


def form_fields(body: str) -> str:
    """Tell what a submitted form orders."""
    fields = dict(urllib.parse.parse_qsl(body))
    if fields.get("action") == "order":
        return "ordered " + str(int(fields["amount"]) * 2)  # planted
    return "nothing"


def read_settings(text: str) -> str:
    """Read the port from the settings of a service."""
    parser = configparser.ConfigParser()
    parser.read_string(text)
    if not parser.has_section("server"):
        return "no server"
    server = parser["server"]
    if server.get("mode", "plain") == "tls":
        return str(int(server["port"]) + 1)  # planted
    return "plain"


def read_manifest(manifest: str) -> str:
    """Name the first author in a manifest."""
    package = tomllib.loads(manifest)["package"]
    if package["edition"] < 2021:
        return "old"
    return package["authors"][0]["name"]  # planted


def shortest_row(table: str) -> str:
    """Sum the third column of rows "name;unit;amount"."""
    total = 0.0
    for row in csv.reader(io.StringIO(table), delimiter=";"):
        if row and row[0] == "sum":
            total += float(row[2])  # planted
    return str(total)


def named_rows(table: str) -> str:
    """Sum the hours of a time sheet with a header."""
    total = 0
    for row in csv.DictReader(table.splitlines()):
        if row["person"] == "Kim":
            total += int(row["hours"].strip())  # planted
    return str(total)


def price_list(document: str) -> str:
    """Tell the first price in a price list."""
    root = ET.fromstring(base64.b64decode(document))
    for item in root.findall("item"):
        if item.get("kind") == "fruit":
            return item.find("price").text.strip()  # planted
    return "none"


def children(document: str) -> str:
    """Count what is on offer."""
    total = 0
    for child in ET.fromstring(document):
        if child.tag == "offer":
            total += int(child.attrib["stock"])  # planted
    return str(total)


def sort_people(people: list[dict[str, Any]]) -> str:
    """List people."""
    names = []
    for person in people:
        if person.get("active"):
            names.append(person["address"]["city"].title())  # planted
    return ", ".join(names)


def read_lines(log: str) -> str:
    """Count the errors in a log of JSON lines."""
    count = 0
    for line in log.splitlines():
        if not line.strip():
            continue
        entry = json.loads(line)
        if entry.get("level") == "error":
            count += entry["error"]["code"] % 7  # planted
    return str(count)


def literal_rows(rows: str) -> str:
    """Add up pairs written as a Python list."""
    total = 0
    for name, value in ast.literal_eval(rows):
        if name == "net":
            total += 10 // value  # planted
    return str(total)


def fenced_answer(answer: str) -> str:
    """Run what an answer asks for in its fenced block."""
    found = re.search(r"```json\n(.*?)\n```", answer, re.DOTALL)
    if found is None:
        return "no block"
    action = json.loads(found.group(1))
    if action["tool"] == "rename":
        return action["arguments"]["target"] + ".txt"  # planted
    return "unknown"


def nested_text(message: str) -> str:
    """Read a message in an envelope: JSON whose body is JSON again."""
    envelope = json.loads(message)
    if envelope["version"] != 3:
        return "old"
    body = json.loads(envelope["body"])
    return body["items"][1]  # planted


def escaped_table(cell: str) -> str:
    """Divide what an escaped cell says."""
    left, right = html.unescape(cell).split("<br>")
    return str(int(left) // int(right))  # planted


def data_link(link: str) -> str:
    """Tell the first word of a data link."""
    header, _, payload = link.partition(",")
    if header != "data:text/plain;base64":
        return "another kind"
    words = base64.b64decode(payload).decode("utf-8").split(":")
    if words[0] == "note":
        return words[1]  # planted
    return words[0]


def typed_header(header: str) -> str:
    """Read what a header says, such as "a=1; b=2"."""
    parts = dict(part.strip().split("=", 1) for part in header.split(";"))
    if parts.get("mode") == "strict":
        return str(int(parts["level"]))  # planted
    return "relaxed"
