"""Release notes as JSON, for the in-app dialog."""

import asyncio
import json

from openai import AsyncOpenAI

PROMPT = """Summarise the commits for users.

Return JSON: {{"title": string, "highlights": [string], "fixes": [string]}}

Commits:
{commits}"""


async def draft(commits):
    async with AsyncOpenAI() as client:
        response = await client.chat.completions.create(
            model="gpt-4o-mini",
            response_format={"type": "json_object"},
            messages=[{"role": "user", "content": PROMPT.format(commits=commits)}],
        )
    return json.loads(response.choices[0].message.content)


def dialog(commits):
    notes = asyncio.run(draft(commits))
    return {
        "title": notes["title"],
        "highlights": notes.get("highlights", []),
        "fixes": ["• " + fix for fix in notes.get("fixes", [])],
    }
