"""Chats with visitors of a town; every reply goes straight to the screen."""

import html

from openai import OpenAI

client = OpenAI()
SYSTEM = "You are the town's tourist office. Answer in the visitor's language, in plain text."


class Conversation:
    def __init__(self):
        self.messages = [{"role": "system", "content": SYSTEM}]

    def say(self, text):
        self.messages.append({"role": "user", "content": text})
        response = client.chat.completions.create(model="gpt-4o-mini", messages=self.messages)
        reply = response.choices[0].message.content
        self.messages.append({"role": "assistant", "content": reply})
        return reply


def show(message):
    reply = Conversation().say(message)
    return "<p>" + html.escape(reply, quote=False).replace("\n", "<br>") + "</p>"
