"""One-file HTML reports: nothing loaded, everything untrusted escaped.

The templates lie in ``report/templates`` and extend ``page.html.j2``, which carries the one style
(``page.css``) and the one script (``page.js``: filter and copy buttons; every page is whole without
it). jinja2 escapes every value that it inserts. The page's content security policy names the script
by its hash: whatever could get past the escaping still runs nothing and loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from knitbone._version import __version__
from knitbone.common.printable import printable

__all__ = ["render", "shown_lines"]


def render(template: str, **values: Any) -> str:
    """Fill a template of this package.

    Args:
        template: file name in ``report/templates``.
        values: what the template shows; a missing one is an error, never an empty spot.
    """
    environment, frame = _environment()
    return environment.get_template(template).render(version=__version__, **frame, **values)


def shown_lines(text: str, *, lines: int, width: int | None = None) -> str:
    """A text with its lines, each made printable, at most ``lines`` of at most ``width``."""
    parts = text.split("\n")
    shown = "\n".join(
        printable(line, limit=len(line) * 6 + 1 if width is None else width)
        for line in parts[:lines]
    )
    return shown + (" …" if len(parts) > lines else "")


@cache
def _environment() -> tuple[Environment, dict[str, str]]:
    """The templates, and what ``page.html.j2`` shows on every page."""
    loader = PackageLoader("knitbone.report", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"line": _line, "path": _path}
    style, _, _ = loader.get_source(environment, "page.css")
    script, _, _ = loader.get_source(environment, "page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    frame = {
        # Ours, from this package: the only texts of a page that are not escaped.
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "script_hash": f"sha256-{digest}",
    }
    return environment, frame


def _line(value: object, limit: int = 300) -> str:
    """A value as one printable line; structures as JSON."""
    # Not msgspec: arguments that break tools may hold lone surrogates, which it cannot encode.
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return printable(text, limit=limit)


def _path(text: str) -> Markup:
    """A path that breaks behind a slash before it breaks inside a name."""
    return Markup("/<wbr>").join(escape(part) for part in text.split("/"))
