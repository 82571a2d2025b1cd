"""Minutes of a meeting, cut into sections."""

from collections import defaultdict

import anthropic

api = anthropic.Anthropic()
PROMPT = """Write minutes of this meeting in Markdown with exactly these sections:

## Summary
one or two sentences

## Decisions
- one bullet per decision

## Action Items
- one bullet per action, as "owner: task"

<transcript>
{transcript}
</transcript>"""


def write_minutes(transcript):
    parts = []
    with api.messages.stream(
        model="claude-sonnet-4-0",
        max_tokens=1000,
        messages=[{"role": "user", "content": PROMPT.format(transcript=transcript)}],
    ) as stream:
        for piece in stream.text_stream:
            parts.append(piece)
    return "".join(parts)


def split_sections(markdown):
    sections, current = defaultdict(list), None
    for line in markdown.splitlines():
        if line.startswith("## "):
            current = line[3:].strip()
        elif current and line.strip():
            sections[current].append(line.strip())
    return sections


def bullets(lines):
    return [line[2:] for line in lines if line.startswith("- ")]


def minutes(transcript):
    sections = split_sections(write_minutes(transcript))
    actions = []
    for item in bullets(sections["Action Items"]):
        owner, _, task = item.partition(": ")
        actions.append({"owner": owner, "task": task})
    return {
        "summary": " ".join(sections["Summary"]),
        "decisions": bullets(sections["Decisions"]),
        "actions": actions,
    }
