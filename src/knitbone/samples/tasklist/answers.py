"""Answers to the planning prompt as models give them, with the tasks a person reads in them.

``outcome`` is what adapt does with each: ``conforming`` ones reach the parser as the same object;
``repaired`` ones would lose tasks without a word; ``refused`` ones cannot be repaired from the
answer alone and are passed on as they are, with a record.
"""

# ruff: noqa: RUF001 - the full-width characters and dashes that models write

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["CASES", "Case"]


class Case(NamedTuple):
    """One answer of the model."""

    name: str
    answer: str
    tasks: tuple[str, ...]
    """What the application has to end up with; for ``refused``, what its parser finds."""
    outcome: Literal["conforming", "repaired", "refused"]


_CAFE = ("Find a place", "Buy a coffee machine", "Hire two people")

CASES = (
    Case(
        "as asked",
        "1. Find a place\n2. Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "conforming",
    ),
    Case(
        "with an introduction and a closing word",
        "Here is the plan:\n\n1. Find a place\n2. Buy a coffee machine\n3. Hire two people\n\n"
        "3 people may be better in summer.",
        _CAFE,
        "conforming",
    ),
    Case(
        "indented, with blank lines",
        "  1. Find a place\n\n  2. Buy a coffee machine\n\n  3. Hire two people\n",
        _CAFE,
        "conforming",
    ),
    Case(
        "notes below the tasks",
        "1. Find a place\n   - near the station\n2. Buy a coffee machine\n   - used\n"
        "3. Hire two people",
        _CAFE,
        "conforming",
    ),
    Case(
        "numbers inside the tasks",
        "1. Rent for 12 months: 2) is the option\n2. Spend 5,000 or less\n3. Open at 7:30",
        ("Rent for 12 months: 2) is the option", "Spend 5,000 or less", "Open at 7:30"),
        "conforming",
    ),
    Case(
        "bold titles",
        "1. **Find** a place\n2. **Buy** a coffee machine\n3. **Hire** two people",
        ("**Find** a place", "**Buy** a coffee machine", "**Hire** two people"),
        "conforming",
    ),
    Case(
        "parentheses",
        "1) Find a place\n2) Buy a coffee machine\n3) Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "three delimiters",
        "1) Find a place\n2: Buy a coffee machine\n3 - Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "colons", "1: Find a place\n2: Buy a coffee machine\n3: Hire two people", _CAFE, "repaired"
    ),
    Case(
        "dashes",
        "1 – Find a place\n2 – Buy a coffee machine\n3 – Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "no blank", "1.Find a place\n2.Buy a coffee machine\n3.Hire two people", _CAFE, "repaired"
    ),
    Case(
        "one line drifts",
        "1. Find a place\n2) Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "repaired",
    ),
    Case("bullets", "- Find a place\n- Buy a coffee machine\n- Hire two people", _CAFE, "repaired"),
    Case(
        "stars and a heading",
        "## Plan\n\n* Find a place\n* Buy a coffee machine\n* Hire two people\n",
        _CAFE,
        "repaired",
    ),
    Case(
        "round bullets",
        "• Find a place\n• Buy a coffee machine\n• Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "check boxes",
        "- [ ] Find a place\n- [ ] Buy a coffee machine\n- [ ] Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "the word task",
        "Task 1: Find a place\nTask 2: Buy a coffee machine\nTask 3: Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "the word step",
        "Step 1. Find a place\nStep 2. Buy a coffee machine\nStep 3. Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "hash signs",
        "#1 Find a place\n#2 Buy a coffee machine\n#3 Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "in parentheses",
        "(1) Find a place\n(2) Buy a coffee machine\n(3) Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "bold numbers",
        "**1.** Find a place\n**2.** Buy a coffee machine\n**3.** Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "bold around number and title",
        "**1. Place**: find one\n**2. Machine**: buy one\n**3. People**: hire two",
        ("**Place**: find one", "**Machine**: buy one", "**People**: hire two"),
        "repaired",
    ),
    Case(
        "headings",
        "### 1. Find a place\n### 2. Buy a coffee machine\n### 3. Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "full width",
        "１．Find a place\n２．Buy a coffee machine\n３．Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "Windows line ends",
        "1) Find a place\r\n2) Buy a coffee machine\r\n3) Hire two people\r\n",
        _CAFE,
        "repaired",
    ),
    Case(
        "one line", "1. Find a place 2. Buy a coffee machine 3. Hire two people", _CAFE, "repaired"
    ),
    Case(
        "a number left out",
        "1. Find a place\n- Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "no delimiter in the middle",
        "1. Find a place\n2 Buy a coffee machine\n3. Hire two people",
        _CAFE,
        "repaired",
    ),
    Case(
        "a sentence",
        "First find a place, then buy a coffee machine and hire two people.",
        (),
        "refused",
    ),
    Case(
        "lines without any mark",
        "Find a place\nBuy a coffee machine\nHire two people",
        (),
        "refused",
    ),
    Case("an apology", "I am sorry, but I cannot help with opening a cafe.", (), "refused"),
    Case(
        "another template",
        "> **Task 1:** Find a place\n> **Task 2:** Buy a coffee machine",
        (),
        "refused",
    ),
)
