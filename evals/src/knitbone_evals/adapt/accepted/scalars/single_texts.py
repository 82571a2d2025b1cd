"""Templates of programs that make a name, an address or another short text of an answer."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.scalars.single_base import (
    CITIES,
    COMPANIES,
    PEOPLE,
    PHRASES,
    TITLES,
    Built,
    fill,
    pad,
    pad_cased,
    pick,
    prose,
    template,
)

URLS = (
    "https://example.org/",
    "http://example.org:8080/a/b.html?x=1&y=%20#top",
    "https://user@example.org/~jane/index.php",
    "https://de.wikipedia.org/wiki/C++_(Sprache)",
    "https://en.wikipedia.org/wiki/Who's_Who",
    "https://münchen.example/straße",
    "HTTPS://EXAMPLE.ORG/A.",
    "https://example.org/search?q=[a]*{b}",
    "https://[2001:db8::1]/x",
    "http://localhost",
    "https://example.org/a,b;c=d",
    "https://example.org/?utm_source=chat-gpt",
    "https://example.org/__init__.py",
)


@template("address of a page")
def url_parts(random: Random) -> Built:
    """The parts of a URL."""
    source = random.choice(
        (
            """
            from urllib.parse import urlparse


            def handle():
                parsed = urlparse(<<ask>>.strip())
                assert parsed.scheme.startswith("http")
                return (parsed.netloc, parsed.path, parsed.query)
            """,
            """
            from urllib.parse import urlsplit


            def handle():
                return urlsplit(<<ask>>.strip().strip("<>"))._asdict()
            """,
        )
    )
    bracketed = ("<https://example.org/a_b>",) if "<>" in source else ()
    return Built(fill(random, "URL of the source?", source), pick(URLS + bracketed, dress=pad))


@template("address of a page with default")
def url_or_search(random: Random) -> Built:
    """A URL is opened, anything else is searched for."""
    source = """
    def handle():
        <<v>> = <<ask>>.strip()
        if <<v>>.startswith(("http://", "https://")):
            return ("open", <<v>>)
        return ("search", <<v>>)
    """
    others = ("www.example.org", "no URL", "ftp://x", "C++ vs. C#", "see https://x.org", *PHRASES)
    draw = pick(tuple(u for u in URLS if u.startswith("http")), others, pad)
    text = fill(random, "A URL to open, or words to search for", source)
    return Built(text, draw, ("http://", "https://"))


@template("file name")
def file_name(random: Random) -> Built:
    """Name and suffix of a file."""
    source = random.choice(
        (
            """
            from pathlib import PurePosixPath


            def handle():
                path = PurePosixPath(<<ask>>.strip())
                return {"stem": path.stem, "suffix": path.suffix, "depth": len(path.parts)}
            """,
            """
            import os.path


            def handle():
                return os.path.splitext(<<ask>>.strip())
            """,
        )
    )
    said = (
        "report.pdf",
        ".gitignore",
        "archive.tar.gz",
        "Makefile",
        "src/__init__.py",
        "./a b/c (1).txt",
        "~/.bashrc",
        "../up.md",
        "Bücher & Söhne.docx",
        "_draft_.md",
        "*.py",
        "C:\\temp\\new.txt",
        "/etc/passwd",
        "2024-03-01_v2.0.json",
        "O'Brien.csv",
        "-rf",
        "notes.",
        "#autosave#",
        "Foto [1].jpeg",
        "a{b,c}.txt",
    )
    return Built(fill(random, "Which file has the bug? Path only.", source), pick(said, dress=pad))


@template("file kind with default")
def file_kind(random: Random) -> Built:
    """The kind of a file by its suffix, from a table."""
    source = """
    KINDS = {"py": "Python", "cs": "C#", "cpp": "C++", "fs": "F#", "md": "Markdown"}


    def handle():
        return KINDS.get(<<ask>>.strip().rsplit(".", 1)[-1].lower(), "text")
    """
    said = ("a.py", "Program.CS", "x.tar.cpp", ".md", "f.fs", "py", "not_a.py.md", "no. 5.py")
    others = (
        "Makefile",
        "a.py.",
        "a.py~",
        "notes.txt",
        ".NET",
        "none",
        "C#",
        "README.mdx",
        "x.pyc",
    )
    text = fill(random, "Name of the file to create?", source)
    return Built(text, pick(said, others, pad), ("py", "cs", "cpp", "fs", "md"))


MAILS = (
    "jane@example.org",
    "o'brien+tag@example.co.uk",
    "J.Doe_99@sub.example.com",
    "-dash-@example.org",
    "1@example.de",
    "_x_@example.net",
)


@template("e-mail address with default")
def email_or_default(random: Random) -> Built:
    """A full match of an address, else nobody."""
    source = r"""
    import re

    EMAIL = re.compile(r"[\w.+'-]+@[\w-]+(\.[\w-]+)+")


    def handle() -> str:
        <<v>> = <<ask>>.strip()
        return <<v>>.lower() if EMAIL.fullmatch(<<v>>) else "nobody@example.org"
    """
    others = (
        "none",
        "n/a",
        "jane at example",
        "@jane",
        "not given",
        "a@b",
        "two: a@x.org, b@x.org",
    )
    return Built(fill(random, "E-mail of the sender?", source), pick(MAILS, others, pad))


@template("e-mail address")
def email_with_name(random: Random) -> Built:
    """Name and address of a person."""
    source = """
    from email.utils import parseaddr


    def handle():
        name, address = parseaddr(<<ask>>)
        return {"name": name, "address": address}
    """

    def draw(random: Random) -> str:
        mail = random.choice(MAILS)
        name = random.choice(
            ("Jane Doe", '"Doe, Jane"', "O'Brien", "Zoë", '"C++ [team]"', "no reply")
        )
        return pad(random, random.choice((mail, f"{name} <{mail}>", f"<{mail}>")))

    return Built(fill(random, "Who wrote it? Name <address>", source), draw)


@template("identifier")
def identifier(random: Random) -> Built:
    """A name for a variable, or a fallback."""
    source = random.choice(
        (
            """
            import keyword


            def handle():
                <<v>> = <<ask>>.strip()
                return <<v>> if <<v>>.isidentifier() and not keyword.iskeyword(<<v>>) else "value"
            """,
            """
            def handle():
                name = <<ask>>.strip()
                if not name.isidentifier():
                    return ("invalid", name)
                return ("valid", name)
            """,
        )
    )
    said = (
        "total",
        "_private",
        "__init__",
        "größe",
        "x1",
        "CamelCase",
        "l",
        "_",
        "变量",
        "is_not_ok",
    )
    others = (
        "2fast",
        "no-dash",
        "class()",
        "a b",
        "C++",
        "$x",
        "self.x",
        "-",
        "x'",
        "O'Brien",
        "7",
    )
    return Built(fill(random, "A good name for this variable?", source), pick(said, others, pad))


@template("slug")
def slug(random: Random) -> Built:
    """A title is turned into a slug."""
    source = r"""
    import re


    def slugify(<<v>>: str) -> str:
        return re.sub(r"[^\w]+", "-", <<v>>.strip().lower()).strip("-") or "untitled"


    def handle():
        return slugify(<<ask>>)
    """
    return Built(fill(random, "A title for the post?", source), pick(PHRASES, dress=pad))


QUERIES = (
    "SELECT * FROM users WHERE name = 'O''Brien';",
    "select 1",
    "WITH t AS (SELECT 1) SELECT * FROM t",
    "INSERT INTO t (a, b) VALUES ('x', '{\"k\": [1, 2]}');",
    "UPDATE t\nSET a = a + 1 -- not b\nWHERE id <> 5",
    "DELETE FROM t WHERE d < '2024-03-01';",
    'Select "a b", `c`\r\nfrom [dbo].[t]',
)


@template("SQL verb with default")
def sql_verb(random: Random) -> Built:
    """The first word of a query decides, the query is kept."""
    source = random.choice(
        (
            """
            MODES = {"SELECT": "read", "WITH": "read", "INSERT": "write", "UPDATE": "write"}


            def handle():
                query = <<ask>>.strip()
                verb = query.split(None, 1)[0].upper()
                return (MODES.get(verb, "forbidden"), query)
            """,
            """
            def handle():
                query = <<ask>>.strip()
                if not query.upper().startswith(("SELECT", "WITH")):
                    return {"allowed": False, "query": query}
                return {"allowed": True, "query": query.rstrip(";")}
            """,
        )
    )
    others = (
        "DROP TABLE t;",
        "no query is possible",
        "EXPLAIN SELECT 1",
        "-- SELECT\nVACUUM",
        "(SELECT 1)",
        "UNSELECT",
        "Do not SELECT anything",
        "TRUNCATE t",
    )
    text = fill(random, "Write one SQL query.", source)
    words = ("SELECT", "WITH", "INSERT", "UPDATE") if "MODES" in source else ("SELECT", "WITH")
    return Built(text, pick(QUERIES, others, pad), words)


@template("language code with default")
def language_code(random: Random) -> Built:
    """A code such as de or pt-BR, else English."""
    source = random.choice(
        (
            """
            import re


            def handle():
                <<v>> = <<ask>>.strip()
                return <<v>> if re.fullmatch(r"[a-z]{2}(-[A-Z]{2})?", <<v>>) else "en"
            """,
            """
            NAMES = {"de": "German", "fr": "French", "no": "Norwegian", "is": "Icelandic"}


            def handle():
                return NAMES.get(<<ask>>.strip()[:2], "English")
            """,
        )
    )
    said = ("de", "fr", "no", "is", "no", "de-AT", "fr-CA")
    others = (
        "English",
        "unknown",
        "?",
        "eng",
        "zxx",
        "mul: en + sv",
        "any but German",
        "x-klingon",
    )
    literals = ("de", "fr", "no", "is") if "NAMES" in source else ()
    return Built(
        fill(random, "ISO code of the language?", source), pick(said, others, pad), literals
    )


@template("programming language with default")
def programming_language(random: Random) -> Built:
    """A programming language decides which program is run."""
    source = """
    RUNNERS = {
        "c": "gcc", "c++": "g++", "c#": "dotnet", "f#": "dotnet fsi", ".net": "dotnet",
        "r": "Rscript", "go": "go run", "node.js": "node",
    }


    def handle():
        language = <<ask>>.strip().lower()
        return RUNNERS.get(language, "sh")
    """
    said = ("c", "c++", "c#", "f#", ".net", "r", "go", "node.js")
    others = (
        "c--",
        "C/C++",
        "J#",
        "D",
        "not C",
        "ASP.NET",
        "Objective-C",
        "golf",
        "js",
        "++",
        "R7RS",
    )
    return Built(
        fill(random, "Language of the snippet?", source), pick(said, others, pad_cased), said
    )


@template("short text")
def title_stored(random: Random) -> Built:
    """A title is stripped and stored."""
    source = random.choice(
        (
            """
            from dataclasses import dataclass


            @dataclass
            class Article:
                title: str
                words: int


            def handle():
                title = <<ask>>.strip()
                return Article(title, len(title.split()))
            """,
            """
            def make_title():
                return <<ask>>.strip()


            def handle():
                return {"title": make_title(), "kind": "post"}
            """,
            "def handle():\n    return <<ask>>.strip()\n",
            """
            class Writer:
                def __init__(self):
                    self.titles = []

                def add(self):
                    self.titles.append(<<ask>>.strip())


            def handle():
                writer = Writer()
                writer.add()
                return writer.titles
            """,
        )
    )
    prompts = ("Write a title. Nothing else.", "Headline?", "Give the chat a short title")
    return Built(fill(random, prompts, source), pick(TITLES, dress=pad))


@template("short text")
def name_stored(random: Random) -> Built:
    """The name of a person or company is stored."""
    pool = random.choice((PEOPLE, COMPANIES))
    source = random.choice(
        (
            """
            from pydantic import BaseModel, ConfigDict


            class Party(BaseModel):
                model_config = ConfigDict(str_strip_whitespace=True)
                name: str


            def handle():
                return Party(name=<<ask>>)
            """,
            """
            def handle() -> dict:
                name = " ".join(<<ask>>.split())
                return {"name": name, "initial": name[0]}
            """,
        )
    )
    return Built(fill(random, "Name of the other party?", source), pick(pool, dress=pad))


@template("short text with default")
def city_known(random: Random) -> Built:
    """A city that is known, else it is filed as it is."""
    source = """
    KNOWN = {"Köln": "DE", "Nice": "FR", "Reading": "GB", "Orange": "FR", "St. John's": "CA"}


    def handle():
        city = <<ask>>.strip()
        return (city, KNOWN.get(city, "??"))
    """
    known = ("Köln", "Nice", "Reading", "Orange", "St. John's")
    others = (*CITIES, "not Nice", "Orangeburg", "Saint John", "Cologne", "no city", "nowhere")
    return Built(fill(random, "City?", source), pick(known, others, pad), known)


@template("short text")
def first_line_only(random: Random) -> Built:
    """Only the first line of the answer counts."""
    source = random.choice(
        (
            "def handle():\n    return <<ask>>.strip().splitlines()[0]\n",
            'def handle():\n    return <<ask>>.lstrip().partition("\\n")[0].rstrip()\n',
        )
    )

    def draw(random: Random) -> str:
        rest = random.choice(("", "\n", "\n\n" + prose(random), "\r\n(second choice: A-)"))
        return random.choice(("", "", "\n", " ")) + random.choice(PHRASES) + rest

    return Built(fill(random, "Subject line, please", source), draw)


@template("short text")
def quotes_removed(random: Random) -> Built:
    """Quotes around the answer are stripped by the program."""
    source = random.choice(
        (
            """
            def handle():
                return <<ask>>.strip().strip("\\"'")
            """,
            """
            def unquote(<<v>>):
                <<v>> = <<v>>.strip()
                if len(<<v>>) > 1 and <<v>>[0] == <<v>>[-1] == '"':
                    <<v>> = <<v>>[1:-1]
                return <<v>>


            def handle():
                return unquote(<<ask>>)
            """,
        )
    )

    def draw(random: Random) -> str:
        text = random.choice(PHRASES)
        return pad(random, random.choice((text, text, f'"{text}"', f"“{text}”")))

    return Built(fill(random, "A slogan?", source), draw)


@template("long text")
def text_stored(random: Random) -> Built:
    """A summary, translation or mail is stored whole."""
    source = random.choice(
        (
            "def handle():\n    return <<ask>>\n",
            """
            def handle():
                summary = <<ask>>.strip()
                return {"summary": summary, "length": len(summary)}
            """,
            """
            LIMIT = 280


            def handle():
                return <<ask>>.strip()[:LIMIT]
            """,
            """
            import textwrap


            def handle():
                return textwrap.shorten(<<ask>>, width=120, placeholder="…")
            """,
        )
    )

    def draw(random: Random) -> str:
        start = random.choice(("", "", "Sure, Jane!\n\n", "Dear Mr. O'Brien,\n\n", "> quoted\n\n"))
        end = random.choice(("", "", "\n\n-- \nJane", "\n", "\n\nLet me know!", "\n```"))
        return pad(random, start + prose(random, 8) + end)

    prompts = (
        "Summarise the thread.",
        "Translate into English:",
        "Write the reply to the customer.",
    )
    return Built(fill(random, prompts, source), draw)
