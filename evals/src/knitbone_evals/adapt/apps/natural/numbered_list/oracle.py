"""Every line of the answer is a task, and no task comes twice."""

import re

from knitbone_evals.adapt.oracles import distinct, plain

MARKER = re.compile(r"^\W*(?:task\b)?\W*\d*\W*", re.IGNORECASE)


def passes(result, answer):
    said = {plain(MARKER.sub("", line)) for line in answer.splitlines() if line.strip()}
    return bool(result) and distinct(result) and {plain(task) for task in result} == said


def slots(result):
    return list(result)
