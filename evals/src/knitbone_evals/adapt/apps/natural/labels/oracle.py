"""One of the three labels, and a confidence that the answer names."""

import re


def passes(result, answer):
    return (
        result["label"] in ("positive", "negative", "neutral")
        and 0 <= result["confidence"] <= 100
        and str(result["confidence"]) in re.findall(r"\d+", answer)
    )


def slots(result):
    return [result["label"], str(result["confidence"])]
