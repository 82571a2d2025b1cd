"""Newsletter of a London gallery: the model returns JSON, the template engine does the rest."""

import json
import os
import urllib.request

PROMPT = """You write the newsletter of a gallery in London, in British spelling.
Return a JSON object with the keys "subject", "body", "color" (hex), "status" \
("draft" or "canceled").

Topic: {topic}"""


class Llm:
    def __init__(self, model):
        self.model = model
        self.url = os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions"
        self.headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}",
        }

    def complete(self, prompt):
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "response_format": {"type": "json_object"},
        }
        request = urllib.request.Request(self.url, json.dumps(body).encode(), self.headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]


def newsletter(topic):
    data = json.loads(Llm("mistral-large").complete(PROMPT.format(topic=topic)))
    if data["status"] == "canceled":
        return None
    return {
        "subject": data["subject"],
        "body": data["body"],
        "style": {"color": data.get("color", "#000")},
    }
