"""One verdict and one reason."""

import re


def passes(result, answer):
    reasons = re.findall(r"<reason>\s*([^<\s][^<]*)", answer)
    verdicts = re.findall(r"<verdict>\s*([^<\s][^<]*)", answer)
    return (
        len(reasons) == len(verdicts) == 1
        and bool(result["verdict"])
        and bool(result["reason"])
        and "<" not in result["verdict"] + result["reason"]
    )


def slots(result):
    return [result["verdict"], result["reason"]]
