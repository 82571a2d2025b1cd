"""Tools of a small hosting company: name servers, roles, pages, exports."""

import base64
import gzip
import json
import re
import zlib
from urllib.parse import parse_qs
from xml.etree import ElementTree as ET


def _follow(host: str, records: dict[str, tuple[str, str]]) -> str:
    if host not in records:
        return f"{host} does not exist"
    kind, value = records[host]
    return _follow(value, records) if kind == "CNAME" else value


def resolve(zone: str, host: str) -> str:
    """Find the address of a host in a zone file.

    Args:
        zone: At most 200 lines with a name, "A" or "CNAME", and an address or another name, as in
            "www CNAME web". Names have small letters, digits, dots and hyphens. Comments start
            with ";", and blank lines are ignored.
        host: Name of the host.

    Raises:
        ValueError: The name or a line of the zone has another form, or there are too many lines.
    """
    if not re.fullmatch("[a-z0-9.-]{1,60}", host):
        raise ValueError("host: not a name")
    lines = zone.splitlines()
    if len(lines) > 200:
        raise ValueError("zone: 200 lines at most")
    records = {}
    for number, line in enumerate(lines, 1):
        text = line.partition(";")[0].strip()
        if not text:
            continue
        match = re.fullmatch(r"([a-z0-9.-]{1,60})\s+(A|CNAME)\s+([a-z0-9.-]{1,60})", text)
        if match is None:
            raise ValueError(f"zone: line {number} is not a record")
        records[match[1]] = (match[2], match[3])
    return _follow(host, records)


def role_names(policy: str) -> list[str]:
    """List the names of all roles in a policy, also of those within other roles.

    Args:
        policy: XML without declarations. Every role is an element "role" with its name in an
            element "name", as in "<policy><role><name>editor</name></role></policy>".

    Raises:
        ValueError: The policy is not XML, has declarations or more than 5000 characters, or a role
            has no name.
    """
    if len(policy) > 5000 or "<!" in policy:
        raise ValueError("policy: 5000 characters without declarations at most")
    try:
        root = ET.fromstring(policy)
    except (ET.ParseError, ValueError) as error:
        raise ValueError("policy: not XML") from error
    names = []
    for role in root.iter("role"):
        name = role.find("name")
        if name is None:
            raise ValueError("policy: a role has no name")
        names.append(name.text.strip())  # type: ignore[union-attr]
    return names


def page_position(query: str, items: int) -> str:
    """Tell which page of a list is shown.

    Args:
        query: Query of the page's address, with the number of the page in "page" (1 if it is left
            out) and the number of items on a page in "per" (20 if it is left out), as in
            "page=2&per=50". Both have one to three digits.
        items: Number of all items, 0 to 1000000.

    Raises:
        ValueError: A number has another form or is out of range.
    """
    if not 0 <= items <= 1_000_000:
        raise ValueError("items must be 0 to 1000000")
    if len(query) > 500:
        raise ValueError("query: 500 characters at most")
    fields = parse_qs(query)
    numbers = {"page": "1", "per": "20"}
    for name in ("page", "per"):
        if name in fields:
            numbers[name] = fields[name][-1]
        if not re.fullmatch("[0-9]{1,3}", numbers[name]):
            raise ValueError(f"query: {name} must have one to three digits")
    page, pages = int(numbers["page"]), -(-items // int(numbers["per"]))
    if page > pages:
        return f"There are only {pages} pages."
    return f"page {page} of {pages}"


def export_rows(export: str) -> int:
    """Count the rows of an export.

    Args:
        export: Base64 of a gzip file with a JSON list in it, 4000 characters at most.

    Raises:
        ValueError: The export is too long, or is not Base64, gzip or JSON, or not a list.
    """
    if len(export) > 4000:
        raise ValueError("export: 4000 characters at most")
    try:
        packed = base64.b64decode(export, validate=True)
    except ValueError as error:
        raise ValueError("export: not Base64") from error
    try:
        data = gzip.decompress(packed)
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError("export: not gzip") from error
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("export: not JSON") from error
    if not isinstance(rows, list):
        raise ValueError("export: not a list")
    return len(rows)
