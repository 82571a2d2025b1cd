"""Sunday league: reads the referees' reports (one per line) and updates the standings.

    Rovers v Albion: <what the referee wrote>
"""
import functools
import os
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from openai import APIConnectionError, OpenAI

WORKERS = int(os.environ.get("SCORE_WORKERS", "1"))


def retry(times=3, wait=0.2):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except APIConnectionError:
                    if attempt == times - 1:
                        raise
                    time.sleep(wait)
        return inner
    return deco


@functools.lru_cache(maxsize=1)
def client():
    return OpenAI(
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "sk-none"),
        max_retries=0,
    )


@retry()
def final_score(fixture):
    home, away, report = fixture
    answer = client().chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "You read football referees' reports."},
            {"role": "user", "content": f"{home} (home) played {away} (away). Report: {report}\n\n"
                                        f"What was the final score? Answer as HOME-AWAY, for example 2-0."},
        ],
    ).choices[0].message.content
    h, a = (int(x) for x in answer.split("-"))
    return h, a


def fixtures(text):
    for line in text.splitlines():
        if not line.strip():
            continue
        names, report = line.split(":", 1)
        home, away = names.split(" v ")
        yield home.strip(), away.strip(), report.strip()


def run(request: str):
    games = list(fixtures(request))
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        scores = list(pool.map(final_score, games))

    points, diff = defaultdict(int), defaultdict(int)
    for (home, away, _), (h, a) in zip(games, scores):
        points[home] += 3 if h > a else 1 if h == a else 0
        points[away] += 3 if a > h else 1 if h == a else 0
        diff[home] += h - a
        diff[away] += a - h
    return {
        "scores": [list(s) for s in scores],
        "points": dict(points),
        "diff": dict(diff),
    }
