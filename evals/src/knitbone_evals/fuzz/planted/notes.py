"""Team wiki and scratch notes."""

from __future__ import annotations

import re
from typing import Any

from langchain_core.tools import tool

_PAGES: dict[str, dict[str, Any]] = {
    "handbook": {"readers": ["guest", "staff", "hr", "ops"], "owner": "Ines Vega", "text": "Hi!"},
    "roadmap": {"readers": ["staff", "hr", "ops"], "owner": "Bo Lind", "text": "Q3: search"},
    "salaries": {"readers": ["hr"], "owner": "Ines Vega", "text": "see payroll"},
    "runbook": {"readers": ["ops"], "owner": None, "text": "restart db2 first"},
}
_scratch: list[str] = []


def open_page(title: str, role: str = "guest") -> str:
    """Open a page of the team wiki.

    If the role may not read the page, the answer says whom to ask for access.

    Args:
        title: Title of the page: handbook, roadmap, salaries or runbook.
        role: Role of the reader: guest, staff, hr or ops.

    Returns:
        The text of the page.

    Raises:
        ValueError: If there is no such page or role.
    """
    page = _PAGES.get(title.strip().lower())
    if page is None:
        raise ValueError(f"there is no page {title!r}; pages: {', '.join(_PAGES)}")
    reader = role.strip().lower()
    if reader not in ("guest", "staff", "hr", "ops"):
        raise ValueError("role must be guest, staff, hr or ops")
    if reader in page["readers"]:
        return page["text"]
    first_name = page["owner"].split()[0]
    return f"This page is not for {reader}. Ask {first_name} for access."


def _append(text: str) -> str:
    _scratch.append(text)
    return f"{len(_scratch)} lines"


def _show(text: str) -> str:
    return "\n".join(line for line in _scratch if text in line)


def _clear(text: str) -> str:
    _scratch.clear()
    return "0 lines"


@tool
def scratch(action: str, text: str = "") -> str:
    """Do something with the scratch note."""
    actions = {"append": _append, "show": _show, "clear": _clear}
    return actions[action](text)


def broken_links(markdown: str) -> list[str]:
    """Find links between wiki pages that lead nowhere.

    Args:
        markdown: Text of a page, with links like [the plan](roadmap).

    Returns:
        One line per broken link, such as "error: line 3: page 'raodmap' not found"; an empty
        list if all of them are fine. Links to web addresses are not followed.
    """
    broken = []
    for number, line in enumerate(markdown.splitlines(), 1):
        for target in re.findall(r"\[[^\[\]]*\]\(([^()]*)\)", line):
            page = target.strip().lower()
            if page.startswith(("http://", "https://")):
                continue
            if not page:
                broken.append(f"error: line {number}: empty link")
            elif page not in _PAGES:
                broken.append(f"error: line {number}: page {page!r} not found")
    return broken
