"""Tools that fail and refuse, as authors write them; ``test_standing`` says which is which."""

from __future__ import annotations

import datetime as dt
import json
import os
import socket
import urllib.request
import zoneinfo
from pathlib import Path
from typing import Any

import msgspec


class Order(msgspec.Struct):
    """What a library validates."""

    item: str


class TidyError(Exception):
    """A type of the tool's own."""


def converts(text: str) -> int:
    return int(text)


def looks_up(text: str) -> int:
    return {"one": 1}[text]


def parses_a_day(text: str) -> str:
    return str(dt.datetime.strptime(text, "%d.%m.%Y"))  # noqa: DTZ007


def names_a_zone(text: str) -> str:
    return str(zoneinfo.ZoneInfo(text))


def raises_again(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise


def asserts_silently(text: str) -> str:
    assert len(text) > 99
    return text


def raises_nothing_to_say(text: str) -> str:
    raise ValueError


def passes_all_on(text: str) -> str:
    try:
        return text.split(";")[7]
    except Exception as error:
        raise TidyError(f"could not be done: {error}") from error


def passes_all_on_twice(text: str) -> str:
    try:
        return passes_all_on(text)
    except Exception as error:
        raise TidyError(f"failed: {error}") from error


def tells_an_interpreters_words(text: str) -> str:
    try:
        return text.split(";")[7]
    except Exception as error:
        return f"Error: {error}"


def reads_a_file_of_its_own(text: str) -> str:
    return Path("no-such-table.csv").read_text() + text


def refuses(text: str) -> str:
    raise ValueError(f"{text!r} is no day")


def refuses_by_a_type(text: str) -> str:
    raise TidyError


def refuses_behind_a_handler(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise RuntimeError(f"not JSON: {error}") from error


def refuses_for_everything(text: str) -> Any:
    try:
        return json.loads(text)
    except Exception as error:
        raise RuntimeError(f"not JSON: {error}") from error


def refuses_what_is_not_there(text: str) -> int:
    try:
        return {"one": 1}[text]
    except Exception as error:
        raise RuntimeError(f"unknown number: {error}") from None


def asserts_in_words(text: str) -> str:
    assert len(text) > 99, "text is too short"
    return text


def lets_a_library_refuse(text: str) -> Any:
    return msgspec.json.decode(text or "{}", type=Order)


def reads_the_named_file(text: str) -> str:
    return Path(text, "a").read_text()


def says_so(text: str) -> str:
    return f"Error: {text!r} is no day"


_KNOWN = {
    "E1": "TypeError: 'NoneType' object is not subscriptable. Seen when the session has run out.",
    "E2": "Error: list index out of range, mended in 4.2",
}


def tells_known_errors(text: str) -> str:
    """Looks an error code up, such as "E1" or "E2"."""
    return _KNOWN.get(text, "nothing is known of it")


def evaluates(text: str) -> Any:
    try:
        return eval(text)
    except Exception as error:
        raise TidyError(f"cannot be computed: {error}") from error


def needs_a_key(text: str) -> str:
    return os.environ["NO_SUCH_KEY"] + text


def needs_a_library(text: str) -> str:
    import no_such_library

    return no_such_library.of(text)


def needs_the_network(text: str) -> str:
    return urllib.request.urlopen("http://api.example.org/").read().decode() + text


def needs_a_host(text: str) -> str:
    try:
        return socket.gethostbyname("api.example.org")
    except OSError as error:
        raise RuntimeError(f"cannot reach the service: {error}") from error


def says_that_it_has_no_network(text: str) -> str:
    return "Error: [Errno -3] Temporary failure in name resolution"
