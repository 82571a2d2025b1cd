"""Builds a form: the markup is parsed, its labels and fields are read."""

import asyncio
from xml.etree import ElementTree as ET

from anthropic import AsyncAnthropic


class FormBuilder:
    def __init__(self):
        self.api = AsyncAnthropic()

    async def close(self):
        await self.api.close()

    async def markup(self, purpose):
        answer = await self.api.messages.create(
            model="claude-haiku-4-5",
            max_tokens=1000,
            system="Reply with a well-formed XHTML <form> element only.",
            messages=[{"role": "user", "content": purpose}],
        )
        return answer.content[0].text

    async def fields(self, purpose):
        text = await self.markup(purpose)
        await self.close()
        root = ET.fromstring(text)
        if root.tag != "form":
            raise ValueError(root.tag)
        labels = [" ".join("".join(label.itertext()).split()) for label in root.iter("label")]
        inputs = {field.get("name"): field.get("type", "text") for field in root.iter("input")}
        return {"labels": labels, "inputs": inputs, "action": root.attrib.get("action")}


def build(purpose):
    return asyncio.run(FormBuilder().fields(purpose))
