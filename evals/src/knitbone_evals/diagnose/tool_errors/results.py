"""Results of tools, drawn: failed ones with the words to be quoted of each, and good ones.

An envelope (how the tool says that it failed, or that it did not) x what wraps it x how it is
written down. The words are not those of the detector's table: they are what the documentation of
other APIs shows. What is *about* errors (logs, pages, files, records of what failed) is good.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

__all__ = ["Drawn", "failed", "good"]


class Drawn(NamedTuple):
    """One result, of which kind, and what should be quoted of it."""

    result: Any
    kind: str
    words: str = ""


_WORDS = (
    "No parcel carries the number QX-88",
    "the seat map is locked by another clerk",
    "quota of 40 lookups spent",
    "upstream ledger did not answer within 9 s",
    "passport field must have nine characters",
    "user has no right to close tickets",
    "column gross_weight is unknown",
    "card ending 4417 was declined",
    "stale version tag, reload first",
    "cannot open /srv/maps/eu.tif",
    "warehouse 12 is closed on Sunday",
)
_PAYLOAD = (
    {"parcel": "QX-88", "weight_kg": 3.2, "route": ["Oslo", "Bergen"]},
    {"rows": [{"sku": "B-1", "qty": 4}, {"sku": "C-7", "qty": 0}], "count": 2},
    {"city": "Turin", "sunny": False, "wind": 14},
    {"ticket": 771, "subject": "error in invoice", "lines": 3},
)


def _spelled(rng: Random, *words: str) -> str:
    """A name of several words as APIs write it."""
    style = rng.choice(("snake", "camel", "pascal", "kebab", "upper"))
    match style:
        case "camel":
            return words[0] + "".join(word.title() for word in words[1:])
        case "pascal":
            return "".join(word.title() for word in words)
        case "kebab":
            return "-".join(words)
        case "upper":
            return "_".join(words).upper() if len(words) > 1 else words[0]
        case _:
            return "_".join(words)


def _note(rng: Random) -> str:
    return rng.choice(("message", "msg", "detail", "reason", "description", "error_message"))


def _flag(rng: Random, words: str) -> dict[str, Any]:
    name, value = rng.choice(
        (
            (_spelled(rng, "is", "error"), True),
            (_spelled(rng, "has", "error"), True),
            ("failed", True),
            ("success", False),
            ("ok", False),
            (_spelled(rng, "is", "success"), False),
            ("successful", False),
            ("succeeded", False),
            ("error", True),
        )
    )
    return {name: value, _note(rng): words}


def _status(rng: Random, words: str) -> dict[str, Any]:
    name = rng.choice(
        (
            "status",
            _spelled(rng, "response", "status"),
            _spelled(rng, "call", "status"),
            "outcome",
            _spelled(rng, "execution", "status"),
            "state",
            "result",
            "type",
        )
    )
    value = rng.choice(("error", "Error", "ERROR", "failed", "FAILURE", "failure", "Failed"))
    return {name: value, _note(rng): words}


def _named(rng: Random, words: str) -> dict[str, Any]:
    name = rng.choice(("error", "exception", _spelled(rng, "error", "message"), "err"))
    body: Any = words
    if name == "error" and rng.random() < 0.6:
        code = rng.choice(({"code": 1042}, {"code": "E_LOCKED"}, {"type": "Conflict"}, {}))
        body = {**code, "message": words}
    further = rng.choice(
        ({}, {"data": None}, {"request_id": "7f1c"}, {"results": []}, {"result": None})
    )
    return {name: body, **further}


def _listed(rng: Random, words: str) -> dict[str, Any]:
    entry: Any = rng.choice((words, {"message": words}, {"message": words, "path": ["parcel"]}))
    return {"errors": [entry], **rng.choice(({}, {"data": None}))}


def _exit(rng: Random, words: str) -> dict[str, Any]:
    name = rng.choice(
        (
            _spelled(rng, "exit", "code"),
            "returncode",
            _spelled(rng, "return", "code"),
            _spelled(rng, "exit", "status"),
        )
    )
    return {name: rng.choice((1, 2, 127, -9, 255)), "stdout": "", "stderr": words}


def _http(rng: Random, words: str) -> dict[str, Any]:
    name = rng.choice(
        (_spelled(rng, "status", "code"), _spelled(rng, "http", "status"), "status", "code")
    )
    return {name: rng.choice((400, 401, 403, 404, 409, 422, 429, 500, 502, 503)), _note(rng): words}


def _problem(rng: Random, words: str) -> dict[str, Any]:
    """RFC 9457."""
    status = rng.choice((403, 404, 409, 503))
    return {
        "type": "https://api.example/problems/conflict",
        "title": "Conflict",
        "status": status,
        "detail": words,
    }


def _coded(rng: Random, words: str) -> dict[str, Any]:
    code = rng.choice(("NOT_FOUND", "LOCKED", 1042, "E-17"))
    return {_spelled(rng, "error", "code"): code, _note(rng): words}


def _blocks(rng: Random, words: str) -> dict[str, Any]:
    """What an MCP server answers."""
    return {"content": [{"type": "text", "text": words}], _spelled(rng, "is", "error"): True}


_ENVELOPES: tuple[Callable[[Random, str], dict[str, Any]], ...] = (
    _flag,
    _status,
    _named,
    _listed,
    _exit,
    _http,
    _problem,
    _coded,
    _blocks,
)


def _wrapped(rng: Random, value: Any) -> tuple[Any, str]:
    match rng.choice(("bare", "bare", "named", "list", "call", "text", "json-rpc")):
        case "named":
            return {rng.choice(("result", "response", "output", "body")): value}, "named"
        case "list":
            return [value], "list"
        case "call":
            return {rng.choice(("get_parcel", "lookupSeat")) + "_response": value}, "call"
        case "text":
            return [{"type": "text", "text": json.dumps(value)}], "text"
        case "json-rpc":
            return {"jsonrpc": "2.0", "id": 7, "result": value}, "json-rpc"
        case _:
            return value, "bare"


def _written(rng: Random, value: Any) -> tuple[Any, str]:
    match rng.choice(("value", "json", "json", "indented", "repr", "fenced", "twice")):
        case "json":
            return json.dumps(value), "json"
        case "indented":
            return json.dumps(value, indent=2), "indented"
        case "repr":
            return repr(value), "repr"
        case "fenced":
            return f"```json\n{json.dumps(value, indent=1)}\n```", "fenced"
        case "twice":
            return json.dumps(json.dumps(value)), "twice"
        case _:
            return value, "value"


_TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/srv/tools/parcels.py", line 41, in lookup\n'
    "    return SHELF[number]\n"
    "{kind}: {words}"
)


def _failed_text(rng: Random, words: str) -> Drawn:
    trace = _TRACEBACK.format(
        kind=rng.choice(("KeyError", "ValueError", "acme.LedgerError")), words=words
    )
    name = rng.choice(("returncode", "exit_code", "exitcode"))
    code = rng.choice((1, 2, 127, 139))
    tag = rng.choice(("error", "tool_error", "tool_use_error", "exception", "failure"))
    shapes = (
        ("traceback", trace),
        ("traceback after output", f"loading 3 shelves\n{trace}\n"),
        ("tag", f"<{tag}>{words}</{tag}>"),
        ("tag", f"<{tag}>\n{words}\n</{tag}>\n"),
        ("tag code", f"<{name}>{code}</{name}>\n<output>\n{words}\n</output>"),
        ("tag status", f"<status>error</status><message>{words}</message>"),
        ("tag inside", f"<result><status>failed</status><message>{words}</message></result>"),
        ("line", f"Error: {words}"),
        ("line", f"ERROR - {words}"),
        ("line", f"[ERROR] {words}"),
        ("line", f"Error executing tool lookup: {words}"),
        ("line", f"Failed to load: {words}"),
        ("line", f"fatal: {words}"),
        ("line", f"ValueError: {words}"),
        ("line", f"An error occurred while calling lookup: {words}"),
        ("lines", f"status: error\nmessage: {words}"),
        ("lines", f"Exit code: {code}\nStderr: {words}"),
        ("lines", f"Exit code {code}\n{words}"),
        ("lines", f"{words}\n[exited with code {code}]"),
        ("lines", f"{words}\n\nProcess finished with exit code {code}"),
        ("lines", f"{words}\nThe command exited with status {code}."),
        ("http", f"HTTP 503 Service Unavailable: {words}"),
        ("http", f"404 Not Found\n{words}"),
        ("http", f"Request failed with status code 422: {words}"),
        ("http", f"HTTP/1.1 409 Conflict\n\n{words}"),
        ("call", f"CommandResult(exit_code={code}, stdout='', stderr={words!r})"),
    )
    kind, text = rng.choice(shapes)
    return Drawn(text, f"text, {kind}", words)


def failed(rng: Random) -> Drawn:
    """A result that says that the call failed."""
    words = rng.choice(_WORDS)
    if rng.random() < 0.35:
        return _failed_text(rng, words)
    envelope = rng.choice(_ENVELOPES)
    value, wrap = _wrapped(rng, envelope(rng, words))
    result, form = _written(rng, value)
    return Drawn(result, f"{envelope.__name__[1:]}, {wrap}, {form}", words)


def _passing(rng: Random) -> dict[str, Any]:
    """An answer that says that all went well, with the very fields that could say otherwise."""
    payload = rng.choice(_PAYLOAD)
    fields = [
        ("error", None),
        ("errors", []),
        ("error", ""),
        ("error", False),
        ("success", True),
        ("ok", True),
        (_spelled(rng, "exit", "code"), 0),
        ("returncode", 0),
        (_spelled(rng, "is", "error"), False),
        ("failed", 0),
        ("failures", []),
        (_spelled(rng, "status", "code"), rng.choice((200, 201, 204, 302, 304))),
        ("status", rng.choice(("ok", "success", "completed", 200, "error_rate ok", "queued"))),
        (_spelled(rng, "error", "code"), rng.choice((0, None, "", "0", "NONE", "OK"))),
        (
            "message",
            rng.choice(
                ("done", "0 errors", "no error found", "failed over to replica 2, all good")
            ),
        ),
        ("stderr", rng.choice(("", "warning: 2 deprecated options"))),
        ("exception", None),
    ]
    return {**payload, **dict(rng.sample(fields, rng.randint(1, 4)))}


def _statistics(rng: Random) -> Any:
    return rng.choice(
        (
            {"error_rate": 0.02, "errors_last_hour": 14, "failed_jobs": 3, "service": "billing"},
            {"mean_squared_error": 1.7, "standard_error": 0.4},
            {"fit": {"error": 0.013, "r2": 0.98}},
            {"passed": 40, "failed": 2, "skipped": 1},
            {"total": 90, "success": 88, "failed": 2},
            {"score": 404, "rank": 3},
            {"room": "B", "code": 503, "seats": 12},
            {"margin_of_error": "3 points", "error_codes": ["E1", "E2"], "has_errors_tab": True},
        )
    )


def _records(rng: Random) -> Any:
    """Things that failed, listed or looked up."""
    rows: list[dict[str, Any]] = [
        {"job": 4, "status": "failed", "finished": "2026-02-03"},
        {"level": "ERROR", "message": "disk full", "host": "n3"},
        {"payment": "P-9", "state": "declined", "error": "insufficient funds"},
        {"build": 17, "result": "failure", "exit_code": 2},
        {"url": "https://a.example/x", "status_code": 404},
    ]
    some = rng.sample(rows, rng.randint(2, 4))
    return rng.choice(
        (
            some,
            {"jobs": some, "count": len(some)},
            {"payment": "P-9", "amount": 12.5, "status": "failed"},
            {"order": {"id": 7, "status": "rejected"}, "customer": "Ada"},
            {"hits": some, "query": "status:error"},
            {"success": True, "data": {"deploys": some}},
            {"invoice": 31, "lines": some, "state": "open"},
        )
    )


_LOG = (
    "2026-02-03 10:00:01 INFO start\n2026-02-03 10:00:02 ERROR disk full on n3\n"
    "2026-02-03 10:00:03 INFO retry went well\n"
)
_PAGE = (
    "Exceptions in Python\n\nErrors detected during execution are called exceptions. Example:\n\n"
    '>>> 10 * (1/0)\nTraceback (most recent call last):\n  File "<stdin>", line 1, in <module>\n'
    "ZeroDivisionError: division by zero\n\nThe last line indicates what happened. Programs"
    " may name their own exceptions by creating a new exception class.\n"
)
_SOURCE = (
    "import sys\n\ndef main():\n    try:\n        run()\n    except ValueError as error:\n"
    "        print(f\"Error: {error}\")\n        sys.exit(1)\n\nraise RuntimeError('failed')\n"
)


def _texts(rng: Random) -> str:
    return rng.choice(
        (
            _LOG,
            _PAGE,
            _SOURCE,
            "".join(f"{n:6}\t{line}\n" for n, line in enumerate(_SOURCE.splitlines(), 1)),
            "app.log:14:ERROR: disk full\napp.log:90:ERROR: disk full\n",
            "ERROR: disk full\nINFO: retry\nERROR: disk full\nINFO: done\n",
            "No errors were found in 14 files.",
            "Build finished: 0 errors, 2 warnings",
            "exit code: 0\nall good",
            "Error handling: a guide\n\nThis page explains how to catch what goes wrong.",
            "Failed states of the 19th century\n\nA list by year.",
            "Invalid traffic is what advertisers call bots.\n"
            "It is 14 % of all visits.\n\nMore below.",
            "404 results, page 1 of 9\n- chair\n- table",
            "The order 500 of 2026 was shipped.",
            "HTTP status 200: ready",
            "Process finished with exit code 0",
            "<returncode>0</returncode>\n<output>\nERROR tests are in tests/errors\n</output>",
            "<page><title>Errors and failures</title><p>An error is ...</p></page>",
            "Forbidden City\n\nOpening hours: 8:30 to 17:00",
            "3 tests failed before the fix and 0 after it.",
            "def fail():\n    raise KeyError('x')\n",
            "| code | meaning |\n| 404 | Not Found |\n| 500 | Error |\n",
            "HTTP status codes\n\n404 Not Found: not there.\n500 Internal Server Error: a bug.\n",
            "## Changelog\n- Error: messages now name the file\n- Fatal: no longer printed twice\n",
            "$ pytest\n41 passed, 1 xfailed in 3.1s\n",
            "Exit codes: 0 means done, 1 means failed, 2 means misuse.",
            "Your export has 14 rows. The column last_error is empty.",
        )
    )


def good(rng: Random) -> Drawn:
    """A result of a call that went well, whatever it is about."""
    kind = rng.choice((_passing, _passing, _statistics, _records, _texts, _texts))
    value = kind(rng)
    if kind is _texts:
        form = rng.choice(("text", "text", "file", "shell", "block"))
        if form == "file":
            return Drawn({"path": "notes/x.txt", "content": value}, "about errors, file")
        if form == "shell":
            shown = {"exit_code": 0, "stdout": value, "stderr": ""}
            return Drawn(rng.choice((shown, json.dumps(shown))), "about errors, shell")
        if form == "block":
            shown = {"content": [{"type": "text", "text": value}], "isError": False}
            return Drawn(rng.choice((shown, json.dumps(shown))), "about errors, block")
        return Drawn(value, "about errors, text")
    wrapped, wrap = _wrapped(rng, value) if kind is not _records else (value, "bare")
    result, form = _written(rng, wrapped)
    return Drawn(result, f"{kind.__name__[1:]}, {wrap}, {form}")
