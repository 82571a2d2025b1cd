"""Language tags behind an opening fence, and the tags that mean the same language: ``py``,
``python``.

Source: Comfrey §4.3.1 ("unifying the language identifier (e.g., python and py)").
"""

from __future__ import annotations

import re

__all__ = ["is_known", "is_tag", "language_of", "same_language", "tag_in"]

_ALIASES = (
    ("python", "py", "python3", "py3", "python2", "pycon", "ipython", "python-repl"),
    ("javascript", "js", "node", "nodejs", "mjs", "ecmascript"),
    ("typescript", "ts"),
    ("bash", "sh", "shell", "zsh", "shellscript", "shell-script"),
    ("json", "json5", "jsonc", "application/json"),
    ("jsonl", "ndjson", "jsonlines"),
    ("yaml", "yml"),
    ("markdown", "md"),
    ("html", "htm", "html5", "xhtml"),
    ("sql", "sqlite", "sqlite3", "postgresql", "postgres", "psql", "mysql", "tsql", "plsql"),
    ("cpp", "c++", "cxx", "cc"),
    ("csharp", "c#", "cs"),
    ("rust", "rs"),
    ("go", "golang"),
    ("ruby", "rb"),
    ("kotlin", "kt"),
    ("powershell", "ps1", "pwsh"),
    ("dockerfile", "docker"),
    ("latex", "tex"),
    ("plaintext", "text", "txt", "plain"),
    ("dot", "graphviz", "gv"),
    ("terraform", "hcl", "tf"),
    ("makefile", "make"),
)
_OTHERS = (
    "c java css scss php perl r scala swift lua xml toml csv tsv ini cfg conf cypher graphql gql "
    "mermaid diff patch output console log regex matlab haskell elixir erlang clojure vue svelte "
    "jsx tsx svg sparql http proto julia dart solidity nginx objective-c fsharp ocaml lisp scheme "
    "assembly asm vb vba groovy gradle puml plantuml bibtex rst jinja jinja2 handlebars env"
)
_LANGUAGE = {alias: names[0] for names in _ALIASES for alias in names}
_OTHER_NAMES = frozenset(_OTHERS.split())
_INFO = re.compile(
    r"\{?\s*\.?(?P<tag>[\w+#/-]{1,32})\}?(?:[\s:,]\s*(?:[\w.-]+=.*|\{(?!\s*[\"'{\[]).*|[\w./-]+\.\w+|\.\w.*)\}?)?"
)
"""A tag, and attributes as Markdown tools write them: ``title=a.py``, ``{linenos}``; no JSON."""
_TAG = re.compile(r"[\w+#-]{1,32}")


def tag_in(info: str) -> str:
    """Return the tag in the text behind an opening fence: ``python`` of ``{.python .numberLines}``.

    All of the text where it is not a tag with attributes; empty where there is nothing.
    """
    match = _INFO.fullmatch(info[:200])
    return match["tag"] if match else info


def is_tag(tag: str) -> bool:
    """Return whether a tag is one word, and not code that stands in the line of the fence."""
    return _TAG.fullmatch(tag) is not None


def is_known(tag: str) -> bool:
    """Return whether a tag is the name of a language, and not a word of the content."""
    return tag.casefold() in _LANGUAGE or tag.casefold() in _OTHER_NAMES


def language_of(tag: str) -> str:
    """Return the language that a tag names; empty for no tag."""
    folded = tag.casefold()
    return _LANGUAGE.get(folded, folded)


def same_language(tag: str, accepted: tuple[str, ...]) -> str | None:
    """Return the accepted tag that names the language of ``tag``: itself, or else the first;
    ``None``: none."""
    if tag in accepted:
        return tag
    language = language_of(tag)
    return next((each for each in accepted if each and language_of(each) == language), None)
