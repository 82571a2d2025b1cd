"""Every task that is listed is on the board, once, under numbers from 1."""

import re

from knitbone_evals.adapt.oracles import distinct, plain

LINE = re.compile(r"^\W*task\W*\d+\W*(.*)$", re.IGNORECASE)


def passes(result, answer):
    matches = (LINE.match(line) for line in answer.splitlines())
    said = {plain(match.group(1)) for match in matches if match}
    return (
        bool(result)
        and [number for number, _ in result] == list(range(1, len(result) + 1))
        and distinct(text for _, text in result)
        and {plain(text) for _, text in result} == said
    )


def slots(result):
    return [text for _, text in result]
