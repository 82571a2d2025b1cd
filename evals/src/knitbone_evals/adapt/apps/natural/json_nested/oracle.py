"""Every step of the answer is a step of the plan, with all that it needs."""

import re

from knitbone_evals.adapt.oracles import leaves


def passes(result, answer):
    names = re.findall(r'"name"\s*:\s*"([^"]*)"', answer)
    minutes = re.findall(r'"min(?:utes)?"\s*:\s*"?(\d+)', answer)
    needs = {
        text
        for inner in re.findall(r'"needs"\s*:\s*\[([^\]]*)\]', answer)
        for text in re.findall(r'"([^"]*)"', inner)
    }
    return (
        [name for name, _, _ in result["steps"]] == names
        and [str(time) for _, time, _ in result["steps"]] == minutes
        and {text for _, _, each in result["steps"] for text in each} == needs
    )


def slots(result):
    return list(leaves(result))
