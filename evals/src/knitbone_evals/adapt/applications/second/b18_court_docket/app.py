"""Docket service of a small law firm (the handlers used to hang on a Flask app)."""
import os
from datetime import date

import anthropic

ROUTES = {}
PROVIDERS = {}


def route(path):
    def register(view):
        ROUTES[path] = view
        return view
    return register


def provider(name):
    def register(cls):
        PROVIDERS[name] = cls()
        return cls
    return register


@provider("claude")
class Claude:
    model = "claude-3-5-sonnet-latest"

    def complete(self, system, user):
        client = anthropic.Anthropic(
            base_url=os.environ.get("ANTHROPIC_BASE_URL"),
            api_key=os.environ.get("ANTHROPIC_API_KEY", "x"),
            max_retries=0,
        )
        with client.messages.stream(
            model=self.model,
            max_tokens=600,
            system=system,
            messages=[{"role": "user", "content": user}],
        ) as stream:
            return stream.get_final_text()


@provider("echo")
class Echo:
    def complete(self, system, user):
        return user


TABLE_PROMPT = """List the hearings in the e-mail as a markdown table with these columns and this header:

| case | date | room | hours |
|---|---|---|---|

case = case number; date = YYYY-MM-DD; room = number of the court room; hours = expected length in hours, a decimal number.
No text around the table."""


def parse_table(md):
    lines = md.strip().split("\n")
    header = [c.strip() for c in lines[0].split("|")[1:-1]]
    for line in lines[2:]:
        cells = [c.strip() for c in line.split("|")[1:-1]]
        yield dict(zip(header, cells))


@route("/hearings")
def hearings(mail, using="claude"):
    md = PROVIDERS[using].complete(TABLE_PROMPT, mail)
    out = []
    for row in parse_table(md):
        day = date.fromisoformat(row["date"])
        out.append({
            "case": row["case"],
            "date": day.isoformat(),
            "weekday": day.strftime("%a"),
            "room": int(row["room"]),
            "hours": float(row["hours"]),
        })
    if not out:
        return {"error": "no hearings"}, 422
    return {"hearings": out, "total_hours": sum(h["hours"] for h in out)}, 200


def run(request: str):
    body, status = ROUTES["/hearings"](request)
    return {"status": status, "body": body}
