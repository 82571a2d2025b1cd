"""Answers to the planning prompt as models give them, with the tasks a person reads in them.

``outcome`` is what adapt does with each: ``conforming`` ones reach the parser as the same object;
``repaired`` ones would lose tasks without a word; ``refused`` ones cannot be repaired from the
answer alone and are passed on as they are, with a record.
"""

# ruff: noqa: RUF001 - the full-width characters and dashes that models write

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["CASES", "TaskAnswer"]


class TaskAnswer(NamedTuple):
    """One answer of the model."""

    name: str
    answer: str
    tasks: tuple[str, ...]
    """What the application has to end up with; for ``refused``, what its parser finds."""
    outcome: Literal["conforming", "repaired", "refused"]


_CAFE = ("Find a place", "Buy a coffee machine", "Hire two people")

CASES = (
    TaskAnswer(
        "as asked",
        "1. Find a place\n2. Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "conforming",
    ),
    TaskAnswer(
        "with an introduction and a closing word",
        "Here is the plan:\n\n1. Find a place\n2. Buy a coffee machine\n3. Hire two people\n\n"
        "3 people may be better in summer.",
        _CAFE,
        "conforming",
    ),
    TaskAnswer(
        "indented, with blank lines",
        "  1. Find a place\n\n  2. Buy a coffee machine\n\n  3. Hire two people\n",
        _CAFE,
        "conforming",
    ),
    TaskAnswer(
        "notes below the tasks",
        "1. Find a place\n   - near the station\n2. Buy a coffee machine\n   - used\n"
        "3. Hire two people",
        _CAFE,
        "conforming",
    ),
    TaskAnswer(
        "numbers inside the tasks",
        "1. Rent for 12 months: 2) is the option\n2. Spend 5,000 or less\n3. Open at 7:30",
        ("Rent for 12 months: 2) is the option", "Spend 5,000 or less", "Open at 7:30"),
        "conforming",
    ),
    TaskAnswer(
        "bold titles",
        "1. **Find** a place\n2. **Buy** a coffee machine\n3. **Hire** two people",
        ("**Find** a place", "**Buy** a coffee machine", "**Hire** two people"),
        "conforming",
    ),
    TaskAnswer(
        "parentheses",
        "1) Find a place\n2) Buy a coffee machine\n3) Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "three delimiters",
        "1) Find a place\n2: Buy a coffee machine\n3 - Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "colons", "1: Find a place\n2: Buy a coffee machine\n3: Hire two people", _CAFE, "repaired"
    ),
    TaskAnswer(
        "dashes",
        "1 – Find a place\n2 – Buy a coffee machine\n3 – Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "no blank", "1.Find a place\n2.Buy a coffee machine\n3.Hire two people", _CAFE, "repaired"
    ),
    TaskAnswer(
        "one line drifts",
        "1. Find a place\n2) Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "bullets", "- Find a place\n- Buy a coffee machine\n- Hire two people", _CAFE, "repaired"
    ),
    TaskAnswer(
        "stars and a heading",
        "## Plan\n\n* Find a place\n* Buy a coffee machine\n* Hire two people\n",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "round bullets",
        "• Find a place\n• Buy a coffee machine\n• Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "check boxes",
        "- [ ] Find a place\n- [ ] Buy a coffee machine\n- [ ] Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "the word task",
        "Task 1: Find a place\nTask 2: Buy a coffee machine\nTask 3: Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "the word step",
        "Step 1. Find a place\nStep 2. Buy a coffee machine\nStep 3. Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "hash signs",
        "#1 Find a place\n#2 Buy a coffee machine\n#3 Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "in parentheses",
        "(1) Find a place\n(2) Buy a coffee machine\n(3) Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "bold numbers",
        "**1.** Find a place\n**2.** Buy a coffee machine\n**3.** Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "bold around number and title",
        "**1. Place**: find one\n**2. Machine**: buy one\n**3. People**: hire two",
        ("**Place**: find one", "**Machine**: buy one", "**People**: hire two"),
        "repaired",
    ),
    TaskAnswer(
        "headings",
        "### 1. Find a place\n### 2. Buy a coffee machine\n### 3. Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "full width",
        "１．Find a place\n２．Buy a coffee machine\n３．Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "Windows line ends",
        "1) Find a place\r\n2) Buy a coffee machine\r\n3) Hire two people\r\n",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "one line", "1. Find a place 2. Buy a coffee machine 3. Hire two people", _CAFE, "repaired"
    ),
    TaskAnswer(
        "a number left out",
        "1. Find a place\n- Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "no delimiter in the middle",
        "1. Find a place\n2 Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "repaired",
    ),
    TaskAnswer(
        "a sentence",
        "First find a place, then buy a coffee machine and hire two people.",
        (),
        "refused",
    ),
    TaskAnswer(
        "lines without any mark",
        "Find a place\nBuy a coffee machine\nHire two people",
        (),
        "refused",
    ),
    TaskAnswer("an apology", "I am sorry, but I cannot help with opening a cafe.", (), "refused"),
    TaskAnswer(
        "another template",
        "> **Task 1:** Find a place\n> **Task 2:** Buy a coffee machine",
        (),
        "refused",
    ),
)
