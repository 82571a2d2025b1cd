"""The code of a block of the answer, as it stands there; that it solves the task is not asked."""


def passes(result, answer):
    return result["name"] in result["code"] and result["code"].strip() in answer


def slots(result):
    return [result["name"], result["code"].strip()]
