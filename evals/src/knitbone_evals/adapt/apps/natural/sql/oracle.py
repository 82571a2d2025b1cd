"""The query ran: the rows come from the database, not from the answer."""


def passes(result, answer):
    return result is not None and answer.rstrip().rstrip(";").count(";") == 0


def slots(_result):
    return []
