"""A row for each line of the answer, none twice, none half empty."""


def passes(result, answer):
    lines = {line.strip() for line in answer.splitlines() if line.strip()}
    rows = {tuple(row) for row in result}
    return (
        bool(result)
        and len(result) == len(rows) == len(lines)
        and all(name.strip() and category.strip() for name, category, _ in result)
    )


def slots(result):
    return [text for name, category, _ in result for text in (name, category)]
