"""Settings files: INI, variables, JSON, sizes."""

from __future__ import annotations

import configparser
import json
import re

_REFERENCE = re.compile(r"\$\{(\w+)\}")
_UNITS = {"": 1, "B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "KIB": 1024, "MIB": 1024**2}


def ini_value(ini_text: str, section: str, key: str, default: str = "") -> str:
    """Read one value from the text of an INI file.

    Args:
        ini_text: Text of the file, sections in square brackets, `key = value` below them.
        section: Name of the section.
        key: Name of the key.
        default: What to answer if section or key are not there.

    Returns:
        The value.

    Raises:
        ValueError: If the text is not an INI file.
    """
    parser = configparser.ConfigParser()
    try:
        parser.read_string(ini_text)
    except configparser.Error as problem:
        raise ValueError(f"not an INI file: {type(problem).__name__}") from None
    return parser.get(section, key, fallback=default)


def _expand(values: dict[str, str], name: str) -> str:
    text = values.get(name, "")
    for other in dict.fromkeys(_REFERENCE.findall(text)):
        text = text.replace("${" + other + "}", _expand(values, other))
    return text


def expand_variable(values: dict[str, str], name: str) -> str:
    """Work out the value of a variable of an environment file.

    Args:
        values: The variables as they are written, e.g. {"HOME": "/srv", "LOGS": "${HOME}/logs"}.
        name: Name of the variable that is wanted.

    Returns:
        Its value, with the values of other variables put in; variables that are not defined
        count as empty.
    """
    return _expand(values, name)


def check_json(text: str) -> str:
    """Check whether a settings file is valid JSON.

    Args:
        text: Content of the file.

    Returns:
        "valid", or the parser's message with line and column, e.g. "JSONDecodeError: Expecting
        value: line 1 column 1 (char 0)".
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return "valid"


def parse_size(text: str) -> int:
    """Read a size such as "10 MB" and return it in bytes.

    :param text: A number with B, KB, MB, GB, KiB or MiB; bytes if there is no unit.
    :returns: The number of bytes.
    :raises ValueError: if the text is not a size or the unit is not known
    """
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([A-Za-z]*)", text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a size, write something like 10 MB")
    unit = match[2].upper()
    if unit not in _UNITS:
        raise ValueError(f"unknown unit {match[2]}, use B, KB, MB, GB, KiB or MiB")
    return round(float(match[1]) * _UNITS[unit])
