"""Trainer dictates a circuit, the gym's wall clock needs work and rest times."""
import os
import re
from functools import partial, reduce
from operator import add

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from litellm import completion  # noqa: E402

ask_model = partial(
    completion,
    model="openai/gpt-4o-mini",
    api_base=os.environ.get("OPENAI_BASE_URL"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
    temperature=0,
    max_tokens=400,
)

ORDER = """List the exercises of this circuit as a numbered list, one per line and in the order given, like this:
1. Plank: 3 sets of 40s, rest 20s

Circuit: {}"""

SECONDS_PER_CHANGE = 15

pattern = re.compile(r"(\d+)\. ([A-Za-z -]+): (\d+) sets of (\d+)s, rest (\d+)s")


def compose(*functions):
    return lambda x: reduce(lambda value, function: function(value), functions, x)


def exercise(match):
    _, name, sets, work, rest = match.groups()
    sets, work, rest = int(sets), int(work), int(rest)
    return {"name": name.lower(), "work": sets * work, "rest": (sets - 1) * rest}


def require(matches):
    matches = list(matches)
    if None in matches or not matches:
        raise ValueError("the list has another form")
    return matches


def summary(exercises):
    seconds = reduce(add, (e["work"] + e["rest"] for e in exercises)) + SECONDS_PER_CHANGE * (len(exercises) - 1)
    return {"exercises": exercises, "clock": "{:02d}:{:02d}".format(*divmod(seconds, 60))}


run_pipeline = compose(
    ORDER.format,
    lambda text: [{"role": "user", "content": text}],
    lambda messages: ask_model(messages=messages),
    lambda reply: reply["choices"][0]["message"]["content"],
    str.strip,
    str.splitlines,
    partial(map, pattern.fullmatch),
    require,
    partial(map, exercise),
    list,
    summary,
)


def run(request: str):
    return run_pipeline(request)
