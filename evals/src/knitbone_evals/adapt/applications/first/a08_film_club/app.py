"""Film club: members write notes, we keep score and verdict. Streams so that the terminal shows progress."""
import os
import re
import sys
from collections.abc import Iterator

from openai import OpenAI

VERDICTS = ("watch", "skip", "maybe")

TEMPLATE = """A club member wrote a note about a film. Report it in two lines, nothing more:
Score: <n>/10
Verdict: <watch, skip or maybe>

Note: {note}"""

score_line = re.compile(r"^Score: (\d{1,2})/10$")
verdict_line = re.compile(r"^Verdict: (\w+)$")


def tokens(note: str) -> Iterator[str]:
    client = OpenAI(base_url=os.environ.get("OPENAI_BASE_URL"), api_key=os.environ.get("OPENAI_API_KEY"))
    stream = client.chat.completions.create(
        model="gpt-4o-mini",
        stream=True,
        messages=[{"role": "user", "content": TEMPLATE.format(note=note)}],
    )
    for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


def lines(pieces: Iterator[str]) -> Iterator[str]:
    buffer = ""
    for piece in pieces:
        buffer += piece
        while "\n" in buffer:
            line, buffer = buffer.split("\n", 1)
            yield line.strip()
    if buffer.strip():
        yield buffer.strip()


def echo(pieces: Iterator[str]) -> Iterator[str]:
    for piece in pieces:
        if sys.stderr.isatty():
            print(piece, end="", file=sys.stderr, flush=True)
        yield piece


def run(request: str):
    result = {}
    for line in lines(echo(tokens(request))):
        if m := score_line.match(line):
            result["stars"] = int(m.group(1)) / 2
        elif m := verdict_line.match(line):
            verdict = m.group(1).lower()
            if verdict not in VERDICTS:
                raise ValueError(verdict)
            result["verdict"] = verdict
    if len(result) != 2:
        raise ValueError("incomplete report")
    return result


if __name__ == "__main__":
    for note in sys.stdin:
        report = run(note)
        print(report["stars"], report["verdict"], note.strip(), sep="\t")
