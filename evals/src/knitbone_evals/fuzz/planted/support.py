"""Tools of a support team: members, messages, outages, comparisons."""

from typing import Literal

_MEMBERS = {"ada": "Ada Moser, room 12", "ben": "Ben Novak, room 7"}
_MESSAGES = {
    "File not found": {
        "de": "Fehler: Datei nicht gefunden",
        "fr": "Erreur : fichier introuvable",
        "en": "Error: file not found",
    },
    "Access denied": {
        "de": "Fehler: Zugriff verweigert",
        "fr": "Erreur : accès refusé",
        "en": "Error: access denied",
    },
    "Timeout": {
        "de": "Ausnahme: Zeit abgelaufen",
        "fr": "Exception : délai dépassé",
        "en": "Exception: timed out",
    },
}
_OUTAGES = {
    "mail": "Traceback (most recent call last):\n"
    '  File "deliver.py", line 88, in deliver\n'
    "    queue = queues[address]\n"
    "KeyError: 'postmaster'",
    "web": "RuntimeError: disk full (resolved)",
    "backup": "None",
}


def find_member(name: str) -> str:
    """Tell where a member of the team sits.

    Args:
        name: First name.

    Returns:
        Name and room, or "Error: member not found".
    """
    return _MEMBERS.get(name.strip().lower(), "Error: member not found")


def translate_message(
    message: Literal["File not found", "Access denied", "Timeout"],
    language: Literal["de", "en", "fr"],
) -> str:
    """Translate an error message of the program for a customer.

    Args:
        message: The message.
        language: Code of the language.
    """
    return _MESSAGES[message][language]


def last_outage(service: Literal["mail", "web", "backup"]) -> str:
    """Quote what a service last wrote when it went down, or "None" if it never did.

    Args:
        service: The service.
    """
    return _OUTAGES[service]


def compare_outputs(expected: str, actual: str) -> str:
    """Compare what a program printed with what it should have printed.

    Args:
        expected: What it should have printed.
        actual: What it printed. White space at the ends of lines does not matter.

    Returns:
        "passed", or the first line that differs, as test runners report it.
    """
    wanted = [line.rstrip() for line in expected.rstrip().split("\n")]
    found = [line.rstrip() for line in actual.rstrip().split("\n")]
    for number, (left, right) in enumerate(zip(wanted, found, strict=False), 1):
        if left != right:
            return f"FAILED line {number}: AssertionError: {left[:80]!a} != {right[:80]!a}"
    if len(wanted) != len(found):
        return f"FAILED: AssertionError: {len(wanted)} lines expected, {len(found)} found"
    return "passed"
