"""What all tests of pages ask of a page's text."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

HOSTILE = [
    "</pre></details><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "</style></svg><script>", "javascript:alert(1)", "<!--", "\x00\x1b[2J\u202e\ud800",
]  # fmt: skip
VOID = {"meta", "br", "link", "img", "input", "hr", "wbr"}
ACTING = {"img", "iframe", "object", "embed", "form", "link", "base"}


class Page(HTMLParser):
    """Tags, ids and links; complains of a tag that is closed out of order, of a handler in an
    attribute, and of anything that could act but the one script that the page's policy names."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.open, self.marked = [], [], set(), [], []
        self.scripts = []
        self.feed(text)
        self.close()
        assert self.open == []
        assert not self.tags & ACTING
        assert len(self.scripts) == 1
        digest = base64.b64encode(hashlib.sha256(self.scripts[0].encode()).digest()).decode()
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1].split("; ")
        assert f"script-src 'sha256-{digest}'" in policy
        assert "default-src 'none'" in policy
        assert not re.search(r"(?:src|href)=\"(?!#)", text)
        assert "url(" not in text

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        assert not [name for name in given if name.startswith("on")]
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "mark":
            self.marked.append(data)
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
