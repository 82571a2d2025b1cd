"""Word problems: the model writes the expression, a parser of our own works it out."""

import anthropic

client = anthropic.Anthropic()


class Calc:
    """Recursive descent.

    expr := term (('+'|'-') term)*
    term := factor (('*'|'/') factor)*
    factor := num | '(' expr ')' | '-' factor
    """

    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else ""

    def eat(self, char):
        if self.peek() != char:
            raise SyntaxError(f"expected {char!r} at {self.at}")
        self.at += 1

    def expr(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            op = self.peek()
            self.at += 1
            right = self.term()
            value = value + right if op == "+" else value - right
        return value

    def term(self):
        value = self.factor()
        while self.peek() in ("*", "/"):
            op = self.peek()
            self.at += 1
            right = self.factor()
            value = value * right if op == "*" else value / right
        return value

    def factor(self):
        char = self.peek()
        if char == "(":
            self.at += 1
            value = self.expr()
            self.eat(")")
            return value
        if char == "-":
            self.at += 1
            return -self.factor()
        start = self.at
        while self.at < len(self.text) and (
            self.text[self.at].isdigit() or self.text[self.at] == "."
        ):
            self.at += 1
        if start == self.at:
            raise SyntaxError(f"number expected at {self.at}")
        return float(self.text[start : self.at])

    def whole(self):
        value = self.expr()
        if self.peek():
            raise SyntaxError(f"unexpected {self.peek()!r}")
        return value


def word_problem(problem):
    stream = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=100,
        stream=True,
        messages=[
            {
                "role": "user",
                "content": (
                    f"{problem}\nGive me only the arithmetic expression to calculate, "
                    "like 2 * (3 + 4). Do not solve it."
                ),
            }
        ],
    )
    text = ""
    for event in stream:
        if event.type == "content_block_delta":
            text += event.delta.text
    return round(Calc(text.strip()).whole(), 6)
