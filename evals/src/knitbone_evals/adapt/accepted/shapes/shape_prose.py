"""Programs that only show, measure, log or store the answer, and prose that goes to a reader."""

from __future__ import annotations

from knitbone_evals.adapt.accepted.shapes.shape_base import (
    PLACES,
    SENTENCES,
    Consumer,
    Random,
    consumer,
    fill,
    join_lines,
    mixed,
    pad,
    some,
    template,
)
from knitbone_evals.adapt.accepted.shapes.shape_passages import passage, prose, single_line


@template
def measure_text(r: Random) -> Consumer:
    source = fill(
        r"""
        import re


        def stats(text):
            return {
                "chars": len(text),
                "words": len(text.split()),
                "lines": text.count("\n") + 1,
                "sentences": len(re.findall(r"[.!?]+(?:\s|$)", text)),
                "longest": max(text.split(), key=len, default=""),
            }


        def handle():
            return stats(ask("@prompt@"))
        """,
        prompt=r.choice(("Write about a river in 80 words.", "Two sentences about rain.")),
    )
    return consumer(
        "measure_text", "only measured", source, lambda r: r.choice((prose(r), mixed(r)))
    )


@template
def log_only(r: Random) -> Consumer:
    source = fill(
        r"""
        import logging

        log = logging.getLogger("@logger@")


        def handle():
            text = ask("@prompt@")
            log.info("answer: %s", text)
            @show@
            return len(text), text[:20], text[-20:]
        """,
        logger=r.choice(("bot", "nightly", "app.llm")),
        prompt=r.choice(("Say something.", "Good morning! What's new?", "Status?")),
        show=r.choice(("print(text)", "print('>', text, sep=' ')", "log.debug(repr(text))")),
    )
    return consumer(
        "log_only", "only logged or printed", source, lambda r: r.choice((prose(r), mixed(r)))
    )


@template
def store_history(r: Random) -> Consumer:
    source = fill(
        r"""
        from dataclasses import dataclass, field


        @dataclass
        class Conversation:
            system: str = "@system@"
            messages: list[dict] = field(default_factory=list)

            def say(self, text):
                self.messages.append({"role": "user", "content": text})
                shown = "\n".join(f"{m['role']}: {m['content']}" for m in self.messages)
                answer = ask(f"{self.system}\n{shown}")
                self.messages.append({"role": "assistant", "content": answer})
                return answer


        def handle():
            chat = Conversation()
            chat.say("@user@")
            return chat.messages
        """,
        system=r.choice(("You are helpful.", "Answer in rhymes.", "You're a tour guide.")),
        user=r.choice(("hi", "Is it open today?", "What's 2+2? One word.", "yes or no?")),
    )

    def draw(r: Random) -> str:
        return r.choice(
            (mixed(r), r.choice(SENTENCES), prose(r), prose(r, "chat", "faq", "mixed languages"))
        )

    return consumer("store_history", "message history", source, draw)


@template
def html_page(r: Random) -> Consumer:
    source = fill(
        r"""
        import html

        PAGE = "<html><body><h1>{title}</h1>{body}</body></html>"


        def paragraphs(text):
            for block in text.split("\n\n"):
                yield f"<@tag@>{html.escape(block)}</@tag@>"


        def handle():
            answer = ask("@prompt@")
            return PAGE.format(title="@title@", body="".join(paragraphs(answer)))
        """,
        tag=r.choice(("p", "pre", "div")),
        title=r.choice(("Today", "News")),
        prompt=r.choice(("A text for the front page", "Write the 'about' page.")),
    )
    return consumer("html_page", "wrapped into HTML", source, lambda r: prose(r))


@template
def file_like(r: Random) -> Consumer:
    source = fill(
        r"""
        import io


        def save(text, file):
            print("# generated", file=file)
            file.write(text)
            @end@
            return file.tell()


        def handle():
            file = io.StringIO()
            size = save(ask("@prompt@"), file)
            return size, file.getvalue()
        """,
        end=r.choice(("file.write('\\n')", "file.flush()", "print(file=file)")),
        prompt=r.choice(("Notes on how to free disk space", "What should the notes say?")),
    )
    kinds = ("python code", "shell code", "sql code", "json text", "markdown", "log")
    return consumer("file_like", "written to a file object", source, lambda r: prose(r, *kinds))


@template
def csv_cell(r: Random) -> Consumer:
    source = fill(
        r"""
        import csv
        import io


        def handle():
            out = io.StringIO()
            writer = csv.writer(out@options@)
            writer.writerow(["id", "question", "answer"])
            for number, question in enumerate(["@question@"], 1):
                writer.writerow([number, question, ask(question)])
            return out.getvalue().splitlines(keepends=True)
        """,
        options=r.choice(("", ", delimiter=';'", ", quoting=csv.QUOTE_ALL")),
        question=r.choice(("What is tea?", "Rate it.", "Opening hours?")),
    )
    return consumer(
        "csv_cell", "stored in a CSV cell", source, lambda r: r.choice((prose(r), mixed(r)))
    )


@template
def digest_text(r: Random) -> Consumer:
    source = fill(
        r"""
        import hashlib


        def fingerprint(text: str) -> str:
            return hashlib.@algorithm@(text.encode("utf-8")).hexdigest()


        def handle():
            text = ask("@prompt@")
            return {fingerprint(text): text}
        """,
        algorithm=r.choice(("sha256", "md5", "blake2b")),
        prompt=r.choice(("Repeat the text word for word.", "Copy this file exactly.")),
    )
    return consumer(
        "digest_text", "digest of the text", source, lambda r: r.choice((prose(r), mixed(r)))
    )


@template
def compare_drafts(r: Random) -> Consumer:
    kind = r.choice(("recipe", "legal", "lyrics", "changelog", "quotation"))
    original = passage(r, kind)
    source = fill(
        r"""
        import difflib

        ORIGINAL = @original@


        def handle():
            edited = ask(f"Copy-edit, change as little as possible:\n{ORIGINAL}")
            old, new = ORIGINAL.splitlines(), edited.splitlines()
            diff = difflib.unified_diff(old, new, lineterm="", n=0)
            return {"diff": list(diff), "text": edited}
        """,
        original=repr(original),
    )

    def draw(r: Random) -> str:
        if r.random() < 0.3:
            return original
        lines = original.split("\n")
        at = r.randrange(len(lines))
        lines[at] = r.choice((lines[at] + ".", lines[at].upper(), mixed(r), lines[at] + " ", ""))
        return "\n".join(lines)

    return consumer("compare_drafts", "compared with the original", source, draw)


@template
def mail_merge(r: Random) -> Consumer:
    source = fill(
        r"""
        from email.message import EmailMessage
        from string import Template

        SIGNED = Template("$text\n\n-- \n$sender")


        def compose(text, sender="@sender@"):
            message = EmailMessage()
            message["Subject"] = "@subject@"
            message.set_content(SIGNED.substitute(text=text, sender=sender))
            return message


        def handle():
            return compose(ask("@prompt@")).get_content()
        """,
        sender=r.choice(("Ana", "The O'Briens", "support")),
        subject=r.choice(("Hello", "Your order no. 0042")),
        prompt=r.choice(("Write the mail's text, no signature.", "Thank them for the gift.")),
    )
    kinds = ("letter", "letter", "mixed languages", "faq", "translation")
    return consumer("mail_merge", "put into an e-mail", source, lambda r: prose(r, *kinds))


@template
def notebook_cells(r: Random) -> Consumer:
    source = fill(
        r"""
        from collections import deque
        from types import SimpleNamespace


        def cell(kind, text):
            return {"cell_type": kind, "source": text.splitlines(keepends=True)}


        def handle():
            book = SimpleNamespace(cells=deque(maxlen=@n@))
            book.cells.append(cell("markdown", "# @title@"))
            book.cells.append(cell("@kind@", ask("@prompt@")))
            return list(book.cells)
        """,
        n=r.choice((2, 5, 10)),
        title=r.choice(("Notes", "Day 1")),
        kind=r.choice(("markdown", "raw", "code")),
        prompt=r.choice(("Explain the function below.", "Show me how to do it.")),
    )
    kinds = ("code explanation", "python code", "math", "markdown", "sql code")
    return consumer(
        "notebook_cells", "stored as notebook cells", source, lambda r: prose(r, *kinds)
    )


@template
def background_results(r: Random) -> Consumer:
    source = fill(
        r"""
        from concurrent.futures import ThreadPoolExecutor

        JOBS = {"@key@": "@prompt@"}


        def handle():
            results = {}
            with ThreadPoolExecutor(max_workers=1) as pool:
                futures = {name: pool.submit(ask, prompt) for name, prompt in JOBS.items()}
                for name, future in futures.items():
                    results[name] = future.result()
            return results
        """,
        key=r.choice(("intro", "a", "result")),
        prompt=r.choice(("Write the intro.", "Translate to German: no.", "One line on Łódź")),
    )

    def draw(r: Random) -> str:
        return r.choice((mixed(r), single_line(r), prose(r)))

    return consumer("background_results", "stored from a worker", source, draw)


@template
def async_reader(r: Random) -> Consumer:
    source = fill(
        r"""
        import asyncio


        async def generate(prompt):
            await asyncio.sleep(0)
            return ask(prompt)


        async def stream(prompt):
            text = await generate(prompt)
            for word in text.split(" "):
                yield word


        async def main():
            return [word async for word in stream("@prompt@")]


        def handle():
            return asyncio.run(main())
        """,
        prompt=r.choice(("Tell me a tale.", "Read the notice aloud.")),
    )
    return consumer("async_reader", "asynchronous words", source, lambda r: prose(r))


@template
def sections_by_speaker(r: Random) -> Consumer:
    source = fill(
        r"""
        from itertools import groupby


        def speaker(line):
            name, colon, _ = line.partition(":")
            return name if colon and name.isupper() else "@default@"


        def handle():
            text = ask("@prompt@ Speakers in capitals with a colon.")
            return [(who, list(lines)) for who, lines in groupby(text.splitlines(), speaker)]
        """,
        default=r.choice(("narrator", "-", "stage")),
        prompt=r.choice(("A scene in a bakery.", "Type up the interview, word for word.")),
    )

    def draw(r: Random) -> str:
        lines = []
        for _ in range(r.randint(1, 9)):
            who = r.choice(
                ("ANA", "O'BRIEN", "DR. NO", "THE COURT", "Ana", "(aside", "ANA (V.O.)", "Ö")
            )
            lines.append(
                r.choice((f"{who}: {r.choice(SENTENCES)}", r.choice(SENTENCES), f"[{mixed(r)}]"))
            )
        return r.choice((join_lines(r, lines, 0.2), passage(r, "transcript", "chat")))

    return consumer("sections_by_speaker", "grouped by speaker, with default", source, draw)


@template
def wrapped_columns(r: Random) -> Consumer:
    width = r.choice((20, 40, 72))
    source = fill(
        r"""
        import textwrap
        import unicodedata


        def handle():
            text = unicodedata.normalize("NFC", ask("@prompt@"))
            return [textwrap.fill(p, @width@) for p in text.split("\n")]
        """,
        width=width,
        prompt=r.choice(("Text for the leaflet.", "Words for the plaque")),
    )
    return consumer("wrapped_columns", "wrapped for print", source, lambda r: prose(r))


# What a program does with prose once it has it; `@prompt@` is its prompt.
SHOWS = (
    """
    def handle():
        return ask(@prompt@)
    """,
    """
    def handle():
        text = ask(@prompt@).strip()
        if not text:
            raise RuntimeError("empty answer")
        return text
    """,
    """
    from dataclasses import dataclass


    @dataclass
    class Document:
        title: str
        body: str


    def handle() -> Document:
        return Document(title="untitled", body=ask(@prompt@))
    """,
    """
    PROMPT = @prompt@


    class Writer:
        def __init__(self, model=ask):
            self.model = model

        def __call__(self, prompt=PROMPT):
            self.text = self.model(prompt)
            return self

        def lines(self):
            return self.text.splitlines()


    def handle():
        return Writer()().lines()
    """,
    """
    def generate(kind, prompt):
        answer = ask(prompt)
        print(f"[{kind}] {len(answer)} characters")
        return {"kind": kind, "answer": answer}


    def handle():
        return generate("text", @prompt@)
    """,
    """
    def paragraphs(text):
        return [p for p in text.split("\\n\\n") if p.strip()]


    def handle():
        return paragraphs(ask(@prompt@))
    """,
    """
    def handle():
        results = []
        results.append(ask(@prompt@))
        return results
    """,
    """
    from pydantic import BaseModel


    class Reply(BaseModel):
        text: str
        truncated: bool = False


    def handle():
        text = ask(@prompt@)
        return Reply(text=text[:4000], truncated=len(text) > 4000)
    """,
    """
    BORDER = "=" * 40


    def show(text: str) -> str:
        return f"{BORDER}\\n{text}\\n{BORDER}"


    def handle() -> str:
        return show(ask(@prompt@))
    """,
    """
    import json


    def handle():
        # one line of the export file
        text = ask(@prompt@)
        return json.dumps({"id": 7, "text": text}, ensure_ascii=False)
    """,
    """
    def handle():
        text = ask(@prompt@)
        return "\\n".join("> " + line for line in text.split("\\n"))
    """,
    """
    def handle():
        first, *rest = ask(@prompt@).split("\\n")
        return first, "\\n".join(rest)
    """,
)

PROMPTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "summary": (("summary",), ("Summarise the article.", "tl;dr please", "Sum up in 3 sentences.")),
    "translation": (("translation",), ("Translate the letter.", "Translate; keep the layout.")),
    "poem": (("poem",), ("Write a poem about wind.", "A short poem, keep the indents.")),
    "letter": (("letter",), ("Write to Aunt Bea.", "Draft a letter of reference.", "Answer Tom.")),
    "transcript": (
        ("transcript",),
        ("Transcribe word for word.", "Verbatim transcript, with ums."),
    ),
    "changelog": (("changelog",), ("Write the changelog.", "Release notes for the commits:")),
    "log": (
        ("log",),
        ("Show the log lines around the error, unchanged.", "Which lines? Quote them."),
    ),
    "legal": (("legal",), ("Draft the clause.", "Quote the contract, keep the numbering.")),
    "recipe": (("recipe",), ("Gran's recipe?", "Write up the recipe.")),
    "explanation": (("code explanation",), ("Explain this function.", "Why does it fail?")),
    "markdown": (("markdown",), ("Write the README.", "Install notes in Markdown with a table.")),
    "quotation": (("quotation",), ("A fitting quotation?", "What did she say? Quote it.")),
    "lyrics": (("lyrics",), ("Write a song with a refrain.", "Write the lyrics out in full.")),
    "repeats": (("repeats",), ("A week's menu.", "Breathing exercise, step by step.")),
    "mixed": (("mixed languages",), ("Write to the whole team.", "Explain 'saudade'.")),
    "math": (("math",), ("Prove it.", "Solve and explain, LaTeX is fine.", "Show the sums.")),
    "chat": (("chat",), ("Write a sample chat.", "Continue the dialogue.")),
    "minutes": (("minutes",), ("Write the minutes.", "Type up the meeting.")),
    "faq": (("faq",), ("Write an FAQ.", "The usual questions with answers.")),
    "python": (("python code",), ("Write the function.", "Fix the bug.", "Show me Python code.")),
    "sql": (("sql code",), ("Give me the query.", "SQL for the report?")),
    "shell": (("shell code",), ("How do I delete temp files?", "A shell script, please.")),
    "json_shown": (("json text",), ("Show an example of JSON.", "What does JSON5 look like?")),
}


def prose_template(name: str) -> None:
    """Enter the template of one kind of prose."""
    kinds, prompts = PROMPTS[name]

    def make(r: Random) -> Consumer:
        prompt = r.choice(prompts)
        source = fill(r.choice(SHOWS), prompt=repr(prompt))

        def draw(r: Random) -> str:
            text = prose(r, *kinds)
            if r.random() < 0.08:
                text = f"{r.choice(PLACES)}: {some(r, list(SENTENCES), 1, 1)[0]}\n{text}"
            return pad(r, text)

        return consumer(f"prose_{name}", "prose for a reader: " + kinds[0], source, draw)

    make.__name__ = f"prose_{name}"
    template(make)


for _name in PROMPTS:
    prose_template(_name)
