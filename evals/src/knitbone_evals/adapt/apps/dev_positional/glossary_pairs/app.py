"""A glossary for a text."""

from functools import reduce

from openai import OpenAI

client = OpenAI()


def define(text):
    return (
        client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[
                {
                    "role": "system",
                    "content": "Explain the hardest words. One per line, word and meaning "
                    "separated by '::', for example\n"
                    "osmosis :: movement of water through a membrane",
                },
                {"role": "user", "content": text},
            ],
        )
        .choices[0]
        .message.content
    )


def _collect(found, line):
    if "::" in line:
        word, meaning = map(str.strip, line.split("::", maxsplit=1))
        found[word] = meaning
    return found


def glossary(text):
    found = reduce(_collect, define(text).split("\n"), {})
    return dict(sorted(found.items()))
