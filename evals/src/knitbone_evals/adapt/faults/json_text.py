"""Broken JSON, and JSON that does not have the shape that the code reads."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from knitbone_evals.adapt.faults.base import CONTENT, THINKING, WRAPPER, Fault, on_text

__all__ = ["JSON", "json_faults"]

_KEY = re.compile(r'"(\w+)":')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def _loads(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _fence(text: str, _rng: random.Random) -> str | None:
    return f"```json\n{text}\n```"


def _plain_fence(text: str, _rng: random.Random) -> str | None:
    return f"```\n{text}\n```"


def _prose_before(text: str, rng: random.Random) -> str | None:
    said = rng.choice(
        ("Here is the JSON you asked for:", "Sure! This is the result:", "Certainly, see below.")
    )
    return f"{said}\n\n{text}"


def _prose_after(text: str, rng: random.Random) -> str | None:
    said = rng.choice(
        ("Let me know if you need anything else!", "I left out nothing.", "Hope this helps.")
    )
    return f"{text}\n\n{said}"


def _prose_and_fence(text: str, rng: random.Random) -> str | None:
    fenced = _fence(text, rng)
    return f"Here is the object:\n\n{fenced}\n\nAll fields are filled in as you described."


def _two_fences(text: str, _rng: random.Random) -> str | None:
    value = _loads(text)
    if value is None:
        return None
    form = json.dumps(dict.fromkeys(value, "..."))
    return f"The form is:\n```json\n{form}\n```\nFilled in:\n```json\n{text}\n```"


def _trailing_comma(text: str, rng: random.Random) -> str | None:
    places = [match.start() for match in re.finditer(r'(?<=["\w\]}])\s*[\]}]', text)]
    if not places or _loads(text) is None:
        return None
    place = rng.choice(places)
    return text[:place] + "," + text[place:]


def _single_quotes(text: str, _rng: random.Random) -> str | None:
    if "'" in text or "\\" in text:
        return None
    return text.replace('"', "'")


def _python_literals(text: str, _rng: random.Random) -> str | None:
    value = _loads(text)
    if value is None or not re.search(r": (?:true|false|null)\b", text):
        return None
    return repr(value)


def _bare_keys(text: str, _rng: random.Random) -> str | None:
    return _KEY.sub(r"\1:", text)


def _comment(text: str, rng: random.Random) -> str | None:
    lines = text.split("\n")
    if len(lines) < 3:
        return None
    place = rng.randrange(1, len(lines) - 1)
    lines[place] += rng.choice(("  // as told in the message", "  # taken from the text"))
    return "\n".join(lines)


def _closers_lost(text: str, rng: random.Random) -> str | None:
    end = re.search(r"[\s\]}]*\Z", text)
    closers = [] if end is None else [i for i in range(end.start(), len(text)) if text[i] in "]}"]
    if not closers:
        return None
    rest = text[: closers[-rng.randint(1, min(2, len(closers)))]].rstrip()
    # A number at the very end may be half a number: then the answer does not tell.
    return None if rest[-1].isdigit() else rest


def _closer_too_many(text: str, _rng: random.Random) -> str | None:
    return text + "}"


def _comma_lost(text: str, rng: random.Random) -> str | None:
    places = [match.start() for match in re.finditer(r',(?=\s*"\w+":)', text)]
    if not places:
        return None
    place = rng.choice(places)
    return text[:place] + text[place + 1 :]


def _smart_quotes(text: str, _rng: random.Random) -> str | None:
    if "\\" in text:
        return None
    return _QUOTED.sub(lambda match: "“" + match.group()[1:-1] + "”", text)


def _raw_line_break(text: str, _rng: random.Random) -> str | None:
    return text.replace("\\n", "\n")


def _needless_backslash(text: str, _rng: random.Random) -> str | None:
    return text.replace("'", "\\'")


def _encoded_twice(text: str, _rng: random.Random) -> str | None:
    return json.dumps(text, ensure_ascii=False)


def _number_as_text(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    numbers = [] if value is None else [k for k, v in value.items() if type(v) in (int, float)]
    if value is None or not numbers:
        return None
    key = rng.choice(numbers)
    return _dump({**value, key: str(value[key])}, text)


def _flag_as_text(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    flags = [] if value is None else [key for key, each in value.items() if each is True]
    if value is None or not flags:
        return None
    return _dump({**value, rng.choice(flags): "true"}, text)


def _in_a_list(text: str, _rng: random.Random) -> str | None:
    value = _loads(text)
    return None if value is None else _dump([value], text)


def _in_an_object(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    return None if value is None else _dump({rng.choice(("result", "data", "output")): value}, text)


def _key_in_other_case(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    if value is None:
        return None
    key = rng.choice([key for key, each in value.items() if each is not None])
    return _dump({(k.capitalize() if k == key else k): v for k, v in value.items()}, text)


def _key_misspelt(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    if value is None:
        return None
    long = [key for key, each in value.items() if len(key) > 5 and each is not None]
    if not long:
        return None
    key = rng.choice(long)
    place = rng.randrange(2, len(key) - 2)
    swapped = key[:place] + key[place + 1] + key[place] + key[place + 2 :]
    if swapped == key:
        swapped = key[:place] + key[place + 1 :]
    return _dump({(swapped if k == key else k): v for k, v in value.items()}, text)


def _list_as_text(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    lists = (
        []
        if value is None
        else [
            key
            for key, each in value.items()
            if isinstance(each, list) and each and all(isinstance(one, str) for one in each)
        ]
    )
    if value is None or not lists:
        return None
    key = rng.choice(lists)
    return _dump({**value, key: ", ".join(value[key])}, text)


def _said_twice(text: str, _rng: random.Random) -> str | None:
    return f"{text}\n{text}"


def _cut_off(text: str, rng: random.Random) -> str | None:
    values = list(re.finditer(r': (?:"[^"]{6,}"|\d{2,})', text))
    if not values:
        return None
    value = rng.choice(values)
    return text[: value.end() - (3 if value.group().endswith('"') else 1)]


def _key_twice(text: str, _rng: random.Random) -> str | None:
    value = _loads(text)
    numbers = [] if value is None else [k for k, v in value.items() if type(v) in (int, float)]
    if not numbers or value is None:
        return None
    key = numbers[0]
    return text[: text.rindex("}")].rstrip() + f', "{key}": {value[key] + 1}' + "}"


def _key_missing(text: str, rng: random.Random) -> str | None:
    value = _loads(text)
    if value is None:
        return None
    key = rng.choice([key for key, each in value.items() if each is not None])
    return _dump({k: v for k, v in value.items() if k != key}, text)


def _two_objects(text: str, _rng: random.Random) -> str | None:
    value = _loads(text)
    if value is None:
        return None
    other = {key: each + 1 if type(each) is int else each for key, each in value.items()}
    return None if other == value else f"{text}\n{_dump(other, text)}"


def _dump(value: Any, like: str) -> str:
    return json.dumps(value, indent=2 if "\n" in like else None, ensure_ascii=False)


JSON: tuple[Fault, ...] = (
    THINKING,
    on_text("json fence", "template", _fence, layer=WRAPPER),
    on_text("plain fence", "template", _plain_fence, layer=WRAPPER),
    on_text("prose before", "template", _prose_before, layer=WRAPPER),
    on_text("prose after", "template", _prose_after, layer=WRAPPER),
    on_text("prose and fence", "template", _prose_and_fence, layer=WRAPPER),
    on_text("two fences", "template", _two_fences, layer=WRAPPER),
    on_text("trailing comma", "syntax", _trailing_comma),
    on_text("single quotes", "syntax", _single_quotes),
    on_text("python literals", "syntax", _python_literals),
    on_text("bare keys", "syntax", _bare_keys),
    on_text("comment", "syntax", _comment),
    on_text("closing brackets lost", "syntax", _closers_lost),
    on_text("one closing bracket too many", "syntax", _closer_too_many),
    on_text("comma lost", "syntax", _comma_lost),
    on_text("typographic quotes", "syntax", _smart_quotes),
    on_text("raw line break in a text", "syntax", _raw_line_break),
    on_text("needless backslash", "syntax", _needless_backslash),
    on_text("encoded twice", "syntax", _encoded_twice),
    on_text("byte order mark", "syntax", lambda text, _: "\ufeff" + text, layer=WRAPPER),
    on_text("number as text", "template", _number_as_text, layer=CONTENT),
    on_text("flag as text", "template", _flag_as_text, layer=CONTENT),
    on_text("inside of a list", "template", _in_a_list),
    on_text("inside of an object", "template", _in_an_object),
    on_text("key in other case", "template", _key_in_other_case, layer=CONTENT),
    on_text("key misspelt", "template", _key_misspelt, layer=CONTENT),
    on_text("said twice", "template", _said_twice, layer=WRAPPER),
    on_text("cut off in a value", "syntax", _cut_off, determined=False),
    on_text("key twice with different values", "template", _key_twice, determined=False),
    on_text("key missing", "template", _key_missing, determined=False),
    on_text("two objects", "template", _two_objects, determined=False),
    on_text("list as text", "template", _list_as_text, determined=False, tolerated=True),
)


def json_faults(*left_out: str) -> tuple[Fault, ...]:
    """All but those that an application lives with."""
    unknown = set(left_out) - {each.name for each in JSON}
    if unknown:
        raise ValueError(f"No such faults: {sorted(unknown)}.")
    return tuple(each for each in JSON if each.name not in left_out)
