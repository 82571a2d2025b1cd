"""One heading; every point of the answer once."""

import re

from knitbone_evals.adapt.oracles import distinct, plain, singular


def passes(result, answer):
    headings = {plain(each) for each in re.findall(r"^#+\s*(.*)$", answer, re.MULTILINE)}
    said = {singular(each) for each in re.findall(r"^\W*[-*]\s+(.+)$", answer, re.MULTILINE)}
    return (
        headings == {plain(result["heading"])}
        and bool(result["points"])
        and distinct(result["points"])
        and {singular(point) for point in result["points"]} == said
    )


def slots(result):
    return [result["heading"], *result["points"]]
