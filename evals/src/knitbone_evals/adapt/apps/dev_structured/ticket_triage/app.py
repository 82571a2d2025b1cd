"""Sorts incoming support mail: queue, urgency, and what to tell the on-call engineer."""

import json

import openai

QUEUES = {
    "billing": lambda _text: {"queue": "finance", "sla": 48},
    "outage": lambda text: {"queue": "oncall", "sla": 1 if text["severity"] == "critical" else 4},
    "how_to": lambda _text: {"queue": "docs", "sla": 72},
    "account": lambda _text: {"queue": "identity", "sla": 24},
}

INSTRUCTIONS = """Classify the support mail. Reply with a JSON object:
{
  "category": one of "billing", "outage", "how_to", "account",
  "severity": one of "low", "medium", "high", "critical",
  "minutes": estimated handling time as an integer,
  "needs_human": true or false,
  "products": list of product names mentioned,
  "summary": one sentence
}"""


def extract_json(reply: str) -> dict:
    """Models like to talk; take what is between the outermost braces."""
    start, end = reply.find("{"), reply.rfind("}")
    if start < 0 or end < start:
        raise ValueError("no JSON in reply")
    return json.loads(reply[start : end + 1])


def classify(mail: str) -> dict:
    resp = openai.OpenAI().chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": mail},
        ],
        response_format={"type": "json_object"},
    )
    return extract_json(resp.choices[0].message.content or "")


def triage(mail: str) -> dict:
    ticket = classify(mail)
    routed = QUEUES[ticket["category"]](ticket)
    level = ["low", "medium", "high", "critical"].index(ticket["severity"])
    if ticket.get("needs_human") is True:
        routed["page"] = level >= 2
    return {
        **routed,
        "level": level,
        "slots": int(ticket["minutes"]) // 15 + 1,
        "tags": sorted(product.lower() for product in ticket.get("products", [])),
        "note": ticket["summary"].strip(),
    }
