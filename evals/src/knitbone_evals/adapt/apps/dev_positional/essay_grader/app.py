"""Marks essays, asynchronously."""

import asyncio
import re

from openai import AsyncOpenAI

TEMPLATE = (
    "Grade the essay below on a scale from 1 to 10.\n"
    "Begin with the line 'Score: X/10', then write 'Feedback:' followed by your comments.\n\n"
    "Essay:\n{essay}"
)


async def complete(prompt: str) -> str:
    async with AsyncOpenAI() as aclient:
        resp = await aclient.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": prompt}], temperature=0
        )
    return resp.choices[0].message.content or ""


def extract_score(answer: str) -> int | None:
    found = re.search(r"Score:\s*(\d+)/10", answer)
    return int(found.group(1)) if found else None


def extract_feedback(answer: str) -> str:
    _, _, feedback = answer.partition("Feedback:")
    return feedback.strip()


def grade(essay):
    async def run():
        answer = await complete(TEMPLATE.format(essay=essay))
        return extract_score(answer), extract_feedback(answer)

    score, feedback = asyncio.run(run())
    return {"score": score, "passed": bool(score and score >= 5), "feedback": feedback}
