import os
import re
from functools import reduce
from operator import itemgetter

import httpx

BASE = os.environ["OPENAI_BASE_URL"].rstrip("/")

compose = lambda *fs: reduce(lambda f, g: lambda x: g(f(x)), fs)

post = lambda messages: httpx.post(
    f"{BASE}/chat/completions",
    headers={"authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    json={"model": "qwen2.5-7b-instruct", "messages": messages, "temperature": 0},
    timeout=120,
).raise_for_status().json()

content = lambda j: j["choices"][0]["message"]["content"]

messages = lambda talk: [
    {"role": "system", "content": "You write set lists for a band. Numbered list, one song a line, in the order "
                                  "they will be played, with the length in brackets, like\n1. Blue in Green (5:37)\nNothing else."},
    {"role": "user", "content": talk},
]

LINE = re.compile(r"^\d+\. (?P<title>.+) \((?P<m>\d+):(?P<s>\d\d)\)$", re.M)

seconds = lambda m: int(m["m"]) * 60 + int(m["s"])
songs = lambda text: [(m["title"], seconds(m)) for m in LINE.finditer(text)]


def check(pairs):
    if not pairs:
        raise ValueError("nothing to play")
    return pairs


clock = lambda s: "%d:%02d" % divmod(s, 60)
result = lambda pairs: {
    "songs": [list(p) for p in pairs],
    "opener": pairs[0][0],
    "closer": pairs[-1][0],
    "total": clock(sum(map(itemgetter(1), pairs))),
}

run_pipeline = compose(messages, post, content, songs, check, result)


def run(request: str):
    return run_pipeline(request)
