"""Tools that explain what computers say."""

_STATUS = {
    200: ("OK", "the request succeeded"),
    301: ("Moved Permanently", "the page has another address now"),
    400: ("Bad Request", "the server could not understand the request"),
    401: ("Unauthorized", "log in first"),
    403: ("Forbidden", "permission denied"),
    404: ("Not Found", "there is no such page"),
    418: ("I'm a teapot", "the server refuses to brew coffee"),
    500: ("Internal Server Error", "the server failed with an unexpected exception"),
    503: ("Service Unavailable", "the server is overloaded; try again later"),
}
_EXITS = {
    0: "success",
    1: "fatal: general error",
    2: "Error: invalid argument or misuse of the shell",
    126: "Permission denied: the command cannot be executed",
    127: "command not found",
    134: "Aborted (core dumped)",
    137: "Killed: out of memory, or by hand",
    139: "Segmentation fault (core dumped)",
}
_EXCEPTIONS = {
    "AttributeError": "AttributeError: 'NoneType' object has no attribute 'text' - mostly a search"
    " that found nothing.",
    "IndexError": "IndexError: list index out of range - a list is shorter than expected.",
    "KeyError": "KeyError: 'name' - a mapping lacks the key.",
    "RecursionError": "RecursionError: maximum recursion depth exceeded - a function that calls"
    " itself without end.",
    "ZeroDivisionError": "ZeroDivisionError: division by zero - often the mean of an empty list.",
}
_PAIRS = {")": "(", "]": "[", "}": "{"}


def search_log(log: str, word: str) -> str:
    """Search a log and return the lines that contain a word, or "Error: none found".

    Args:
        log: Text of the log.
        word: The word; capitals do not matter. An empty one is in every line.
    """
    lines = [line for line in log.splitlines() if word.casefold() in line.casefold()]
    text = "\n".join(lines[:100]) or "Error: none found"
    return text.encode("utf-8", "replace").decode("utf-8")


def check_brackets(source: str) -> str:
    """Check the brackets of a program, and report the first problem as compilers do.

    Args:
        source: Text of the program.

    Returns:
        A line such as "SyntaxError at line 3: '(' was never closed", or "No problems.".
    """
    opened: list[tuple[str, int]] = []
    for number, line in enumerate(source.split("\n"), 1):
        for sign in line:
            if sign in _PAIRS.values():
                opened.append((sign, number))
            elif sign in _PAIRS:
                if not opened or opened[-1][0] != _PAIRS[sign]:
                    return f"SyntaxError at line {number}: unmatched '{sign}'"
                opened.pop()
    if opened:
        sign, number = opened[-1]
        return f"SyntaxError at line {number}: '{sign}' was never closed"
    return "No problems."


def explain_status(code: int) -> str:
    """Explain a status code of HTTP, as in "404 Not Found: there is no such page".

    Args:
        code: The code. For unknown ones the answer is "Error: no such status code".
    """
    if code not in _STATUS:
        return "Error: no such status code"
    name, meaning = _STATUS[code]
    return f"{code:d} {name}: {meaning}"


def explain_exit(code: int) -> str:
    """Explain the code with which a program ended.

    Args:
        code: The code; negative ones stand for signals, as in Python.
    """
    if code < 0:
        code = 128 - code
    if code in _EXITS:
        return _EXITS[code]
    if 128 < code < 193:
        return f"Error: the program was ended by signal {code - 128}"
    return "Error: undefined exit code"


def explain_exception(name: str) -> str:
    """Explain an exception of Python by an example of its message.

    Args:
        name: Name of the exception, as in "KeyError". The answer is "not found" for one that the
            glossary does not have.
    """
    return _EXCEPTIONS.get(name.strip(), "not found")
