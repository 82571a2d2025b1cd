"""Fields of documents: each a JSON Schema together with what draws values of it."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from knitbone_evals.documents import words

Schema = dict[str, Any]


class Draw(random.Random):
    """Seeded chance, and how many items lists have."""

    scale: float = 1.0


class Field(NamedTuple):
    """A schema, and a draw of a value that conforms to it."""

    schema: Schema
    draw: Callable[[Draw], Any]
    optional: bool = False


def text(draw: Callable[[Draw], str], pattern: str = "") -> Field:
    """Texts, held to a pattern where one is given."""
    return Field({"type": "string", **({"pattern": pattern} if pattern else {})}, draw)


def one_of(pool: Sequence[str]) -> Field:
    """Texts of a pool that the schema does not know."""
    return text(lambda rng: rng.choice(pool))


def enum(*values: Any) -> Field:
    """One of the values that the schema lists."""
    return Field({"enum": list(values)}, lambda rng: rng.choice(values))


def integer(low: int, high: int) -> Field:
    return Field({"type": "integer"}, lambda rng: rng.randint(low, high))


def number(low: float, high: float, digits: int = 2) -> Field:
    return Field({"type": "number"}, lambda rng: round(rng.uniform(low, high), digits))


def nullable(field: Field) -> Field:
    return Field(
        {"anyOf": [field.schema, {"type": "null"}]},
        lambda rng: None if rng.random() < 0.3 else field.draw(rng),
    )


def either(*fields: Field) -> Field:
    return Field(
        {"anyOf": [field.schema for field in fields]}, lambda rng: rng.choice(fields).draw(rng)
    )


def opt(field: Field) -> Field:
    """A field of a record that may be missing."""
    return field._replace(optional=True)


def many(item: Field, low: int = 1, high: int = 4) -> Field:
    """A list; larger documents have longer ones."""

    def draw(rng: Draw) -> list[Any]:
        count = rng.randint(low, high)
        return [item.draw(rng) for _ in range(max(low, round(count * rng.scale)))]

    return Field({"type": "array", "items": item.schema}, draw)


def fixed(*items: Field) -> Field:
    """A list of as many items as fields."""
    kinds = [field.schema for field in items]
    items_schema = kinds[0] if all(kind == kinds[0] for kind in kinds) else {"anyOf": kinds}
    size = len(items)
    schema = {"type": "array", "items": items_schema, "minItems": size, "maxItems": size}
    return Field(schema, lambda rng: [item.draw(rng) for item in items])


def table(key: Field, value: Field, low: int = 1, high: int = 4) -> Field:
    """An object with free keys."""

    def draw(rng: Draw) -> dict[str, Any]:
        count = max(low, round(rng.randint(low, high) * rng.scale))
        return {key.draw(rng): value.draw(rng) for _ in range(count)}

    return Field({"type": "object", "additionalProperties": value.schema}, draw)


def rec(named: dict[str, Field] | None = None, *, closed: bool = True, **more: Field) -> Field:
    """An object; fields under ``opt`` may be missing, others of a closed one are an error."""
    fields = {**more, **(named or {})}
    schema: Schema = {
        "type": "object",
        "properties": {name: field.schema for name, field in fields.items()},
        "required": [name for name, field in fields.items() if not field.optional],
        **({"additionalProperties": False} if closed else {}),
    }

    def draw(rng: Draw) -> dict[str, Any]:
        return {
            name: field.draw(rng)
            for name, field in fields.items()
            if not field.optional or rng.random() < 0.6
        }

    return Field(schema, draw)


def tree(build: Callable[[Field], Field], leaf: Field, depth: int = 2) -> Field:
    """A record that holds records of its kind."""
    made = leaf
    for _ in range(depth):
        made = build(made)
    return made


def _paragraph(rng: Draw) -> str:
    return " ".join(rng.choices(words.SENTENCES, k=max(1, round(rng.uniform(1, 3) * rng.scale))))


def _digits(rng: Draw, form: str) -> str:
    """``#`` a digit, ``x`` a hexadecimal one, ``A`` a capital."""
    pools = {"#": string.digits, "x": "0123456789abcdef", "A": string.ascii_uppercase}
    return "".join(rng.choice(pools[each]) if each in pools else each for each in form)


def coded(form: str, *, checked: bool = True) -> Field:
    """Codes of a form such as ``AA-####``, of which the schema knows the pattern if ``checked``."""
    kinds = {"#": "[0-9]", "x": "[0-9a-f]", "A": "[A-Z]", ".": r"\.", "+": r"\+"}
    pattern = "".join(kinds.get(each, each) for each in form)
    return text(lambda rng: _digits(rng, form), f"^{pattern}$" if checked else "")


def _date(rng: Draw) -> str:
    return f"{rng.randint(1970, 2030)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def _moment(rng: Draw) -> str:
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return f"{_date(rng)}T{clock}" + rng.choice(["Z", "+02:00", ".123Z"])


def _email(rng: Draw) -> str:
    return f"{rng.choice(['ann', 'j.doe', 'o_neill+spam', 'info'])}@{_host(rng)}"


def _host(rng: Draw) -> str:
    return rng.choice(["example.com", "api.example.org", "shop.example.co.uk", "münchen.example"])


def _url(rng: Draw) -> str:
    tail = rng.choice(
        ["", "/", "/items/17", "/search?q=a%20b&page=2", "/wiki/C_(lang)", "/a,b;c#x"]
    )
    return f"https://{_host(rng)}{tail}"


NAME, CITY, COMPANY = one_of(words.NAMES), one_of(words.CITIES), one_of(words.COMPANIES)
WORD, TITLE, SENTENCE = one_of(words.WORDS), one_of(words.TITLES), one_of(words.SENTENCES)
CODE, PATH = one_of(words.CODE), one_of(words.PATHS)
PARAGRAPH = text(_paragraph)
DATE = text(_date, r"^\d{4}-\d{2}-\d{2}$")
MOMENT = text(_moment, r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")
CLOCK = coded("1#:##")
UUID = coded("xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx")
SHA, VERSION = coded("x" * 40), coded("#.#.#")
EMAIL, URL = text(_email), text(_url)
PHONE = coded("+49 ### #######", checked=False)
FLAG = Field({"type": "boolean"}, lambda rng: rng.random() < 0.5)
NULL = Field({"type": "null"}, lambda _: None)
COUNT, ID, PRICE = integer(0, 120), integer(1, 99_999_999), number(0.5, 4000)
LATITUDE, LONGITUDE = number(-90, 90, 6), number(-180, 180, 6)
SHARE = number(0, 1, 4)
SCALAR = either(WORD, COUNT, PRICE, FLAG, NULL)
KEY = one_of(
    ("id", "user-agent", "Content-Type", "x.y.z", "größe", "Item No.", "type", "a b", "名前")
)


def size(value: Any) -> int:
    """The bytes of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
