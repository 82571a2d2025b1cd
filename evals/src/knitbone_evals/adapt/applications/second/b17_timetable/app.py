import os

import httpx
import yaml

pipe = lambda x, *fs: x if not fs else pipe(fs[0](x), *fs[1:])

TEMPLATE = '''Convert the notice of the bus company to YAML of this form:

line: "7"
days: weekdays
stops:
  - name: Market Square
    departs: "08:15"
  - name: Hospital
    departs: "08:27"

days is weekdays, weekends or daily. Times are quoted, HH:MM. Answer in YAML only, no code fence.

Notice: {}'''


def chat(prompt):
    with httpx.Client(base_url=os.environ["OPENAI_BASE_URL"], timeout=120) as http:
        r = http.post(
            "/chat/completions",
            headers={"Authorization": "Bearer %s" % os.environ.get("OPENAI_API_KEY", "")},
            json={"model": "mistral-nemo", "messages": [{"role": "user", "content": prompt}], "temperature": 0},
        )
        r.raise_for_status()
        return r.json()["choices"][0]["message"]["content"]


def minutes(hhmm):
    h, m = hhmm.split(":")
    return int(h) * 60 + int(m)


def feed(doc):
    stops = [(s["name"], minutes(s["departs"])) for s in doc["stops"]]
    if [t for _, t in stops] != sorted(t for _, t in stops):
        raise ValueError("the bus goes back in time")
    mask = {"weekdays": "1111100", "weekends": "0000011", "daily": "1111111"}[doc["days"]]
    return {
        "line": str(doc["line"]),
        "mask": mask,
        "stops": [[n, t] for n, t in stops],
        "ride": stops[-1][1] - stops[0][1],
    }


def run(request: str):
    return pipe(request, TEMPLATE.format, chat, yaml.safe_load, feed)
