"""Carriers: the values in which a passage of text may stand when it comes to be stored."""

from __future__ import annotations

import base64
import dataclasses
import json
import random
import re
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote, urlencode

from readings import survives


@dataclasses.dataclass(frozen=True)
class Carrier:
    """A way to put a passage into a value, and to see whether a secret can still be read there."""

    name: str
    wrap: Callable[[str], Any]
    reveals: Callable[[Any, str], bool] = survives


HEADER = re.compile(r"([A-Za-z][\w-]*): (\S[^\n]*)")
ASSIGNMENT = re.compile(r"(?:export )?([A-Za-z_][\w.-]*)(?: = |=|: | : )([^;&\n]+)")
PARAGRAPH = (
    "We looked at the job that stopped last night. The first two steps went through without any "
    "warning, and the third one wrote its results to the usual place. After that the worker lost "
    "its connection, tried again five times and gave up. This is what stood in its notes:",
    "Nobody has touched the machine since then. The queue holds 1,204 messages, which is more than "
    "usual but no reason to worry, and the next run starts at six in the morning.",
)


def paragraph(text: str) -> str:
    """A passage within a long paragraph; one of several lines stands between blank lines."""
    gap = "\n\n" if "\n" in text else " "
    return gap.join((PARAGRAPH[0], text, PARAGRAPH[1]))


def nested_json(text: str) -> str:
    """A passage three levels deep in JSON within JSON within JSON."""
    inner = json.dumps({"stdout": text, "code": 0})
    return json.dumps({"event": "result", "payload": json.dumps({"id": 7, "body": inner})})


def tool_call(text: str) -> dict[str, Any]:
    """A call of a tool as models write it, its arguments being JSON as text."""
    arguments = json.dumps({"command": text, "timeout": 30}, ensure_ascii=False)
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": "run_command", "arguments": arguments},
    }


def parsed(text: str) -> dict[str, Any]:
    """A passage as a program would have parsed it: a JSON object, or a name with its value."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return {"request": value, "attempt": 1}
    match = ASSIGNMENT.fullmatch(text)
    if match is None:
        return {"attempt": 1, "detail": text}
    name, content = match.groups()
    if len(content) > 2 and content[0] == content[-1] and content[0] in "\"'":
        content = content[1:-1]
    return {"attempt": 1, name: content}


def headers(text: str) -> dict[str, str]:
    """Headers of HTTP: the passage itself if it is a header, else the value of some header."""
    match = HEADER.fullmatch(text)
    name, value = match.groups() if match else ("X-Debug-Note", text)
    return {"Accept": "application/json", name: value, "Content-Length": "348"}


def records(text: str) -> list[Any]:
    """Nested records such as the messages of a conversation."""
    content = [{"type": "text", "text": text}, {"type": "image", "width": 640}]
    return [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": content},
        {"role": "assistant", "content": None, "children": [{"depth": 2, "notes": ["ok", text]}]},
    ]


def traceback(text: str) -> str:
    """The printed traceback of an exception whose message is the passage."""
    return (
        "Traceback (most recent call last):\n"
        '  File "/app/worker.py", line 88, in run\n    result = self.client.send(job)\n'
        '  File "/app/client.py", line 31, in send\n    raise ConnectionError(message)\n'
        f"ConnectionError: {text}\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "Traceback (most recent call last):\n"
        '  File "/app/main.py", line 12, in <module>\n    worker.run()\n'
        "RuntimeError: job 42 failed"
    )


def query(text: str) -> str:
    """A passage percent-encoded in the query of a URL."""
    return f"https://logs.example.com/collect?level=error&message={quote(text, safe='')}&v=2"


def form(text: str) -> str:
    """A passage in the body of a form."""
    return urlencode({"channel": "ops", "text": text, "parse": "full"})


def yaml_block(text: str) -> str:
    """A passage as a block of YAML."""
    block = "\n".join(f"      {line}" for line in text.splitlines())
    return f"steps:\n  - name: deploy\n    run: |\n{block}\n  - name: done\n"


def diff(text: str) -> str:
    """A passage as the added lines of a diff."""
    added = "\n".join(f"+{line}" for line in text.splitlines())
    return (
        "diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,3 @@\n"
        f" # notes\n-nothing yet\n{added}\n"
    )


def log(text: str) -> str:
    """A line of a log with its time and with colours for terminals."""
    head = "\x1b[2m2024-05-01T12:00:07.113Z\x1b[0m [\x1b[31m\x1b[1merror\x1b[0m    ]"
    return f"{head} \x1b[1mjob failed\x1b[0m attempt=3 \x1b[33m{text}\x1b[0m\n"


def history(text: str) -> str:
    """Lines of a shell's history between others."""
    commands = ["cd /srv/app", *text.splitlines(), "git status"]
    return "\n".join(f"  {number}  {line}" for number, line in enumerate(commands, start=497))


def spreadsheet(text: str) -> str:
    """A row of comma-separated values."""
    cell = text.replace('"', '""')
    return f'id,when,note\r\n17,2024-05-01,"{cell}"\r\n18,2024-05-02,none\r\n'


def chunks(text: str) -> list[str]:
    """A stream of short chunks that are cut anywhere, as models send their answers."""
    rng = random.Random(text)
    whole = f"Sure, here is what I found:\n{text}\nAnything else?"
    cut: list[str] = []
    while whole:
        length = rng.choice((1, 2, 3, 4, 5, 8, 13))
        cut.append(whole[:length])
        whole = whole[length:]
    return cut


CARRIERS: tuple[Carrier, ...] = (
    Carrier("plain text", lambda text: text),
    Carrier("paragraph", paragraph),
    Carrier("json text", lambda text: json.dumps({"ok": True, "output": text, "n": 3}, indent=2)),
    Carrier("json in json in json", nested_json),
    Carrier("json lines", lambda text: f'{{"n": 1}}\n{json.dumps({"n": 2, "line": text})}\n'),
    Carrier("tool call", tool_call),
    Carrier("dictionary value", lambda text: {"step": 4, "note": text}),
    Carrier("parsed dictionary", parsed),
    Carrier("nested records", records),
    Carrier("headers", headers),
    Carrier("exception message", lambda text: f"RuntimeError: the request failed: {text}"),
    Carrier("traceback", traceback),
    Carrier("url query", query),
    Carrier("form body", form),
    Carrier("base64", lambda text: base64.b64encode(text.encode()).decode()),
    Carrier("yaml block", yaml_block),
    Carrier("markdown fence", lambda text: f"Run this:\n\n```bash\n{text}\n```\n\nThen wait."),
    Carrier("markup", lambda text: f"<entry><p>{escape(text)}</p></entry>"),
    Carrier("python repr", lambda text: repr({"ok": False, "stderr": text, "code": 1})),
    Carrier("diff", diff),
    Carrier("log line", log),
    Carrier("shell history", history),
    Carrier("spreadsheet", spreadsheet),
    Carrier("chunks", chunks),
    Carrier("single characters", lambda text: list(f"Note: {text}\n")),
)
