"""Meeting notes by the company's own model gateway, which no SDK knows."""

import re
import socket
import struct
import sys
from pathlib import Path

import knitbone

ACTION = re.compile(r"^- \[ \] (?P<owner>\w+): (?P<what>.+)$", re.MULTILINE)
HOST, PORT = "models.internal", 7001


@knitbone.source(name="gateway")
def ask_gateway(prompt: str) -> str:
    """One question over the gateway's own wire format: a length, then the text."""
    with socket.create_connection((HOST, PORT), timeout=30) as connection:
        body = prompt.encode()
        connection.sendall(struct.pack(">I", len(body)) + body)
        (length,) = struct.unpack(">I", connection.recv(4))
        return connection.recv(length).decode()


def actions(minutes: str) -> list[tuple[str, str]]:
    text = ask_gateway("Actions as '- [ ] <owner>: <what>', one a line:\n" + minutes)
    return [(found["owner"], found["what"]) for found in ACTION.finditer(text)]


def mood(minutes: str) -> float:
    answer = ask_gateway("The mood of the meeting from 0 to 1, number only:\n" + minutes)
    return float(answer.strip().rstrip("."))


def attendees(header: str) -> list[str]:
    """Of the header, which a person wrote."""
    return [name.strip() for name in header.removeprefix("Present:").split(",")]


if __name__ == "__main__":
    header, _, body = Path(sys.argv[1]).read_text(encoding="utf-8").partition("\n\n")
    present = attendees(header)
    for owner, what in actions(body):
        print("*" if owner in present else "?", owner, what)
    print(f"mood {mood(body):.1f}")
