"""Grades a folder of essays, many at once."""

import ast
import asyncio
import json
import re
from pathlib import Path

import litellm
import yaml

MODEL = "anthropic/claude-sonnet-4-5"


async def ask(prompt):
    response = await litellm.acompletion(
        model=MODEL, messages=[{"role": "user", "content": prompt}], num_retries=2
    )
    return response.choices[0].message.content


async def grade(essay):
    text = await ask(f"Grade the essay from 1 to 10. End with 'Score: <number>'.\n\n{essay}")
    match = re.search(r"Score:\s*(\d+)", text)
    if match is None:
        raise ValueError("no score in " + text)
    return int(match.group(1))


async def rubric(topic):
    text = await ask(
        f"Write a rubric for essays on {topic} as YAML: a list 'criteria' of name and weight, "
        "and a 'language'."
    )
    sheet = yaml.safe_load(text)
    weights = {entry["name"]: float(entry["weight"]) for entry in sheet["criteria"]}
    return weights, sheet.get("language", "en")


def loads(text):
    """Models like to answer in one of these."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return ast.literal_eval(text)


async def feedback(essay):
    text = await ask(f"List strengths and weaknesses of the essay as JSON.\n\n{essay}")
    data = loads(text)
    lines = [f"+ {point}" for point in data["strengths"]]
    lines += [f"- {point}" for point in data.get("weaknesses", [])]
    return "\n".join(lines)


def summary(grades):
    """One paragraph on the class, shown while it is written."""
    parts = []
    for chunk in litellm.completion(
        model=MODEL,
        messages=[{"role": "user", "content": f"Think, then write FINAL: and a summary. {grades}"}],
        stream=True,
    ):
        parts.append(chunk.choices[0].delta.content or "")
    text = "".join(parts)
    return text.rpartition("FINAL:")[2].strip()


async def main(folder):
    essays = [path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.txt"))]
    grades = await asyncio.gather(*(grade(essay) for essay in essays))
    notes = await asyncio.gather(*[feedback(essay) for essay in essays])
    for number, note in zip(grades, notes, strict=True):
        print(number, note, sep="\n")
    weights, language = await rubric("friendship")
    print(sum(weights.values()), language)
    print(summary(grades))


if __name__ == "__main__":
    asyncio.run(main("essays"))
