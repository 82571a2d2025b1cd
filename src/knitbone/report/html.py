"""One-file HTML reports: no script, no external resource, everything untrusted escaped.

The templates lie in ``report/templates``; jinja2 escapes every value that it inserts, and a
content security policy in the page forbids whatever could get past it.
"""

from __future__ import annotations

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from knitbone._version import __version__
from knitbone.core.printable import printable

__all__ = ["render"]


def render(template: str, **values: Any) -> str:
    """Fill a template of this package.

    Args:
        template: file name in ``report/templates``.
        values: what the template shows; a missing one is an error, never an empty spot.
    """
    environment = Environment(
        loader=PackageLoader("knitbone.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["line"] = _line
    return environment.get_template(template).render(version=__version__, **values)


def _line(value: object, limit: int = 300) -> str:
    """A value as one printable line; structures as JSON."""
    # Not msgspec: arguments that break tools may hold lone surrogates, which it cannot encode.
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return printable(text, limit=limit)
