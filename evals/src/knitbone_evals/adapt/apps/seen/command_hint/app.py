"""Suggests one shell command and shows what it would do; nothing is run here."""

import shlex

from anthropic import Anthropic

client = Anthropic()
KNOWN = {"tar", "grep", "find", "cp", "sort", "du"}


def suggest(task):
    message = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=200,
        system="Answer with one command line for a POSIX shell. Only the command.",
        messages=[{"role": "user", "content": task}],
    )
    return message.content[0].text


def preview(task):
    words = shlex.split(suggest(task))
    return {
        "program": words[0],
        "known": words[0] in KNOWN,
        "options": [word for word in words[1:] if word.startswith("-")],
        "arguments": [word for word in words[1:] if not word.startswith("-")],
    }
