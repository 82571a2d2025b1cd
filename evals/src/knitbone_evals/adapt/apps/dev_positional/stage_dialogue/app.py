"""Short scenes for a text adventure."""

from collections import Counter

from openai import OpenAI

CAST = ("Mira", "Tobin", "Narrator")


def complete(client, scene):
    prompt = (
        "Write a short scene with these characters: " + ", ".join(CAST) + ".\n"
        "Every line has the form 'Character: what is said', for example\n"
        "Mira: Where are we?\n\nScene: " + scene
    )
    chunks = client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": prompt}], stream=True
    )
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def play(scene):
    script = []
    for line in iter(complete(OpenAI(), scene).splitlines()):
        speaker, colon, said = line.partition(":")
        if not colon or speaker not in CAST:
            continue
        script.append((speaker, said.strip()))
    spoken = Counter(speaker for speaker, _ in script)
    return {"script": script, "lines": dict(sorted(spoken.items()))}
