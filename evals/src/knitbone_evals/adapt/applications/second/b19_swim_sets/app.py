import json
import os

import litellm

# ported from trainingPlan.js, keep the names so that the web client does not change

PROMPT_LINES = [
    "You convert a swimming coach's message to JSON for the pool display.",
    "Return an array with one object per set:",
    '[{"reps": 4, "distance": 100, "stroke": "freestyle", "rest": "0:30", "effort": "85%", "fins": false}]',
    "stroke: freestyle | backstroke | breaststroke | butterfly",
    "distance in metres, rest as m:ss, effort in percent. JSON only!!!",
]


class Promiseish:
    """then(), then(), catch() - enough of it."""

    def __init__(self, fn):
        self._fn = fn

    def then(self, nextFn):
        return Promiseish(lambda: nextFn(self._fn()))

    def wait(self):
        return self._fn()


def fetchCompletion(message):
    return Promiseish(lambda: litellm.completion(
        model="openai/gpt-4o-mini",
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        messages=[
            {"role": "system", "content": "\n".join(PROMPT_LINES)},
            {"role": "user", "content": message},
        ],
        num_retries=0,
    ))


def toSeconds(mss):
    m, s = mss.split(":")
    return int(m) * 60 + int(s)


def mapSet(s):
    return {
        "reps": int(s["reps"]),
        "distance": int(s["distance"]),
        "stroke": {"freestyle": "FR", "backstroke": "BK", "breaststroke": "BR", "butterfly": "FL"}[s["stroke"]],
        "restSec": toSeconds(s["rest"]),
        "effort": int(s["effort"].rstrip("%")) / 100,
        "fins": bool(s["fins"]),
    }


def withTotals(sets):
    return {"sets": sets, "totalMetres": sum(s["reps"] * s["distance"] for s in sets)}


def run(request: str):
    return (
        fetchCompletion(request)
        .then(lambda res: res["choices"][0]["message"]["content"])
        .then(json.loads)
        .then(lambda arr: [mapSet(s) for s in arr])
        .then(withTotals)
        .wait()
    )
