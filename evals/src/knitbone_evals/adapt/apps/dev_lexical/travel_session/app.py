"""Trip planner behind a chat widget."""

import os

from openai import OpenAI


def make_client():
    return OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])


class Planner:
    system = "You plan trips. Use Markdown: short headings and lists."

    def __init__(self, client):
        self._client = client
        self._log = []

    def _complete(self, text):
        self._log.append({"role": "user", "content": text})
        out = self._client.chat.completions.create(
            model="llama-3.1-70b-instruct",
            messages=[{"role": "system", "content": self.system}, *self._log],
        )
        return out.choices[0].message.content

    def reply(self, text):
        said = self._complete(text)
        self._log.append({"role": "assistant", "content": said})
        return {"role": "assistant", "markdown": said, "lines": said.count("\n") + 1}


def conversation(turns):
    planner = Planner(make_client())
    return [planner.reply(text) for text in turns]
