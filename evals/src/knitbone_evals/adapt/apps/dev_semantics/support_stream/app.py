"""Help desk of a router maker; the answer is streamed to the widget."""

import os

import openai

api = openai.OpenAI(api_key=os.environ["OPENAI_API_KEY"], base_url=os.environ["OPENAI_BASE_URL"])


def tokens(question):
    stream = api.chat.completions.create(
        model="llama-3.1-8b-instruct",
        stream=True,
        messages=[
            {
                "role": "system",
                "content": "You are the support assistant of Halden Routers. Be brief.",
            },
            {"role": "user", "content": question},
        ],
    )
    for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


def answer(question):
    shown = ""
    for token in tokens(question):
        shown += token
    return {"question": question, "html": shown.strip()}
