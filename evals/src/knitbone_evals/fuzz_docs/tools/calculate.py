import re


def calculate(expression: str) -> float:
    """Evaluate an arithmetic expression with +, -, * and /.

    Args:
        expression: e.g. "12.5 * 4"; spaces are ignored, numbers may have a
            decimal point, no parentheses

    Returns:
        the value of the expression

    Raises:
        ValueError: the expression cannot be read
    """
    text = expression.replace(" ", "")
    if not re.fullmatch(r"\d+(\.\d+)?([-+*/]\d+(\.\d+)?)*", text):
        raise ValueError("cannot read expression")
    tokens = re.findall(r"\d+(?:\.\d+)?|[-+*/]", text)
    # works like a desk calculator, one operation after the other
    value = float(tokens[0])
    for op, operand in zip(tokens[1::2], map(float, tokens[2::2])):
        if op == "+":
            value += operand
        elif op == "-":
            value -= operand
        elif op == "*":
            value *= operand
        else:
            value /= operand
    return value
