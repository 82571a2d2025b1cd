"""An agent in the manner of AGiXT: a template-based text for the user, a structured command when a
tool is to be called."""

import json
import os
import re

from openai import OpenAI

client = OpenAI(base_url=os.environ.get("MODEL_URL"), api_key="none")


class Agent:
    def __init__(self):
        self.mode = "chat"
        self.readers = {}
        for name in dir(self):
            if name.startswith("read_"):
                self.readers[name.removeprefix("read_")] = getattr(self, name)

    def ask(self, prompt):
        answer = client.chat.completions.create(
            model="any", messages=[{"role": "user", "content": prompt}]
        )
        return answer.choices[0].message.content

    def step(self, prompt):
        return self.readers[self.mode](self.ask(prompt))

    def read_chat(self, text):
        said = re.search(r"^Response:\s*(.+)$", text, re.MULTILINE)
        return said.group(1)

    def read_tool(self, text):
        command = json.loads(text)
        return command["name"], int(command["arguments"]["count"])


def main():
    agent = Agent()
    for mode in ["chat", "tool", "chat", "tool", "tool"]:
        agent.mode = mode
        print(agent.step(f"{mode}, please"))


if __name__ == "__main__":
    main()
