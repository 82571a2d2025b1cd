"""Suppressions in the source: ``# knitbone: ignore`` comments, beside the code that they judge.

``# knitbone: ignore`` on the line of a site silences its findings and switches its adaptation
off; on the line of a consumer it silences the findings that name this line. With names in square
brackets, ``# knitbone: ignore[silent-loss]``, it silences these findings only and switches nothing
off. Text may follow. Only comments count, never strings that look like one.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

import msgspec

from knitbone.adaptation.requirements.findings import SiteFinding
from knitbone.adaptation.requirements.sites import Site

__all__ = ["SuppressionDirective", "finding_id", "is_suppressed", "read_directives"]

_DIRECTIVE = re.compile(r"#\s*knitbone\s*:\s*(?P<verb>[\w-]*)\s*(?P<names>\[[^\]]*\]?)?")


class SuppressionDirective(msgspec.Struct, frozen=True, kw_only=True):
    """One comment that speaks to knitbone."""

    line: int
    names: tuple[str, ...] = ()
    """Findings that it silences; empty: all."""
    problem: str = ""
    """Why it silences nothing."""

    def covers(self, site: Site, finding: SiteFinding, *, file: str) -> bool:
        """Return whether it silences a finding of a site, standing in ``file``."""
        if self.problem or (self.names and finding_id(finding) not in self.names):
            return False
        return self.is_on(site, file=file) or (finding.file, finding.line) == (file, self.line)

    def is_on(self, site: Site, *, file: str) -> bool:
        """Return whether it stands on a line of the site."""
        return site.file == file and site.line <= self.line <= site.end_line

    def switches_off(self, site: Site, *, file: str) -> bool:
        """Return whether it says that the site is not to be adapted."""
        return not self.problem and not self.names and self.is_on(site, file=file)


def finding_id(finding: SiteFinding) -> str:
    """Return the name of a finding as it is written in comments and baselines: ``silent-loss``."""
    return _identifier(finding.name)


def _identifier(name: str) -> str:
    """Return a name in lower case with hyphens."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def read_directives(source: str) -> tuple[SuppressionDirective, ...]:
    """Return all comments of a module that begin with ``knitbone:``, those that are wrong among
    them.

    A module that cannot be tokenised has those that stand before the error.
    """
    return tuple(_directives(source))


def _directives(source: str) -> Iterator[SuppressionDirective]:
    """Find the directives in the comments of a module."""
    if "knitbone" not in source:
        return
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    try:
        for token in tokens:
            if token.type == tokenize.COMMENT:
                for match in _DIRECTIVE.finditer(token.string):
                    yield _directive(token.start[0], match)
    except (tokenize.TokenError, SyntaxError):
        return


def _directive(line: int, match: re.Match[str]) -> SuppressionDirective:
    """Return the directive of one comment."""
    verb, written = match["verb"], match["names"]
    if verb != "ignore":
        return SuppressionDirective(line=line, problem=f"{verb!r} is no directive; known: 'ignore'")
    if written is None:
        return SuppressionDirective(line=line)
    names = tuple(_identifier(name) for name in written.strip("[]").split(",") if name.strip())
    if not written.endswith("]") or not names:
        return SuppressionDirective(
            line=line, problem=f"'ignore{written}' names no finding in [...]"
        )
    return SuppressionDirective(line=line, names=names)


def is_suppressed(site: Site, source: str) -> bool:
    """Return whether a bare ``# knitbone: ignore`` stands on the site: it is not adapted then.

    Args:
        source: text of the module that holds the site.
    """
    return any(d.switches_off(site, file=site.file) for d in read_directives(source))
