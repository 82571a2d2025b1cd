"""Long runs of one mark beside an answer never hang the application that reads it."""

import importlib
import sys
from contextlib import suppress

import pytest
from hangs import no_hang

import knitbone

HEADER = """
import ast, json, re
import xml.etree.ElementTree as ET
from datetime import datetime
import knitbone
ANSWER = ""
@knitbone.source
def ask(prompt):
    return ANSWER
def handle():
"""
CONSUMERS = {
    "json": (
        """return json.loads(ask('JSON: {"a": 1, "b": "x"}'))["b"]""",
        '{"a": 1, "b": "x"}',
    ),
    "jsonl": (
        """return [json.loads(line)["q"] for line in ask("JSON lines").splitlines()]""",
        '{"q": 1}\nx {"q": 2}',
    ),
    "literal": ("""return ast.literal_eval(ask("a list"))""", '["a", "b"]'),
    "xml": (
        """return ET.fromstring(ask("<r><a/><b/></r>")).find("a").text""",
        "<r><a>1</a><b>2</b></r>",
    ),
    "numbers": ("""return [int(n) for n in ask("Numbers, with commas").split(",")]""", "1, 2, 3"),
    "number": ("""return float(ask("A number"))""", "3.5"),
    "time": ("""return datetime.strptime(ask("HH:MM"), "%H:%M")""", "2:35 in the evening"),
    "list": (
        """return re.findall(r"^\\d+\\. (.+)$", ask("a numbered list"), re.M)""",
        "1) a\n2) b",
    ),
    "code": (
        """return re.search(r"```python\\n(.*?)```", ask("python block"), re.S)[1]""",
        "```py\nx=1\n```",
    ),
    "labels": (
        """return re.search(r"^Name: (.+)\\nAge: (\\d+)$", ask("Name: \\nAge: "), re.M).groups()""",
        "**Name:** Ada\n**Age:** 36",
    ),
}
"""Name -> what the code does with its answer, and an answer that is nearly what it wants."""
RUNS = (
    "\n", "\t", " ", "*", "-\n", ".\n", "`", "[", "_", "#", ">", "<", ": ", ", ", "1. ", "- ",
    "wait, ", "\n\n* ",
)  # fmt: skip
SIZES = (18_000, 100_000)
"""Within what is compared value by value, and beyond it."""


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    sys.path.insert(0, str(folder))

    def load(name):
        source = f"{HEADER}    {CONSUMERS[name][0]}\n"
        (folder / f"hostile_{name}.py").write_text(source, encoding="utf-8")
        module = importlib.import_module(f"hostile_{name}")
        knitbone.adapt(module.handle)
        return module

    yield load
    sys.path.remove(str(folder))


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_long_run_of_a_mark_beside_an_answer_ends(load, name):
    module, answer = load(name), CONSUMERS[name][1]
    with no_hang():
        for size in SIZES:
            for run in RUNS:
                junk = (run * size)[:size]
                for text in (f"{answer}\n{junk}x", f"So{junk}\n{answer}", junk + answer):
                    module.ANSWER = text
                    with suppress(Exception):  # what the plain code raises
                        module.handle()
