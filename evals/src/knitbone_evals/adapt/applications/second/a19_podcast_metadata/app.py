"""Podcast editor: title, tags and running time from the producer's notes. Speaks to /v1/messages directly."""
import functools
import logging
import os
import re

import httpx

log = logging.getLogger("podcast")

TAGS = {"history", "science", "music", "sports", "food", "travel", "politics", "nature"}


def collapse(*names):
    """Rewrites the named arguments so that runs of white space become one blank."""

    def wrap(fn):
        @functools.wraps(fn)
        def inner(**kwargs):
            for name in names:
                kwargs[name] = re.sub(r"\s+", " ", kwargs[name]).strip()
            return fn(**kwargs)

        return inner

    return wrap


def logged(fn):
    @functools.wraps(fn)
    def inner(**kwargs):
        value = fn(**kwargs)
        log.info("%s(%s) -> %r", fn.__name__, ", ".join(kwargs), value)
        return value

    return inner


@logged
@collapse("notes")
def ask(question, notes):
    response = httpx.post(
        os.environ["ANTHROPIC_BASE_URL"].rstrip("/") + "/v1/messages",
        headers={"x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"},
        json={
            "model": "claude-3-5-haiku-20241022",
            "max_tokens": 150,
            "messages": [{"role": "user", "content": f"Producer's notes: {notes}\n\n{question}"}],
        },
        timeout=60,
    )
    response.raise_for_status()
    return response.json()["content"][0]["text"].strip()


def title(notes):
    return ask(question="What is the title of the episode? Reply with the title only, without quotes.", notes=notes)


def tags(notes):
    allowed = ", ".join(sorted(TAGS))
    answer = ask(question=f"Which tags do the notes name? Comma-separated, from this list: {allowed}", notes=notes)
    return sorted(tag for tag in answer.lower().split(", ") if tag in TAGS)


def seconds(notes):
    answer = ask(question="How long is the recording? Use the form HH:MM:SS.", notes=notes)
    hours, minutes, secs = answer.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(secs)


def run(request: str):
    ask_all = (("title", title), ("tags", tags), ("seconds", seconds))
    return {name: fn(request) for name, fn in ask_all}
