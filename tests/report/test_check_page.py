"""The page of `knitbone check`: what looks wrong first, and nothing in a source acts in it."""

from __future__ import annotations

import json

import pytest
from page_support import HOSTILE, Page

from knitbone.adaptation.testing import analyse_files, review
from knitbone.report.check_rules import RULES
from knitbone.report.requirements_html import check_page

APP = """
import json

import openai

client = openai.OpenAI()


def ask(prompt):
    messages = [{"role": "user", "content": prompt}]
    made = client.chat.completions.create(model="m", messages=messages)
    return made.choices[0].message.content


def tasks(goal):
    try:
        return json.loads(ask("Answer in JSON: " + goal))["tasks"]
    except ValueError:
        return None


def grade(report):
    return int(json.loads(ask('Return a JSON object such as {"rating": 3}: ' + report))["score"])


def greet(name):
    print(ask("Greet " + name))
"""


def shown(tmp_path, source=APP, *, not_adapted="", notes=(), command="knitbone check app --write"):
    file = tmp_path / "app.py"
    file.write_text(source, encoding="utf-8")
    analysis = analyse_files([file])
    reviewed = review(analysis.sites, root=tmp_path, read={str(file)}, known=RULES)
    why = {each.id: not_adapted for each in reviewed.sites} if not_adapted else {}
    return check_page(reviewed, why, {}, files=1, notes=notes, next_step="Do it", command=command)


def test_what_looks_wrong_comes_first_with_what_to_do(tmp_path):
    text = shown(tmp_path)
    Page(text)
    assert text.index("in JSON") > text.index("&#34;rating&#34;")
    assert "The code reads a key that the prompt does not ask for" in text
    assert "Name the key in the prompt as the code reads it." in text
    assert "# knitbone: ignore[key-not-in-the-prompt]" in text
    assert "which does not agree" in text
    assert "<pre>knitbone check app --write</pre>" in text


def test_answers_that_no_code_reads_stand_apart(tmp_path):
    text = shown(tmp_path)
    below = text[text.index("Places whose answer no code was found to read: 1") :]
    assert "ask(&#34;Greet &#34; + name)" in below


def test_an_application_without_models_says_so(tmp_path):
    text = shown(tmp_path, "print(1)\n", command="")
    Page(text)
    assert "No call of a model, a retriever or a splitter was found." in text
    assert 'class="command"' not in text


@pytest.mark.parametrize("said", HOSTILE)
def test_nothing_that_a_source_says_acts_in_the_page(tmp_path, said):
    said = said.replace("\ud800", "").replace("\x00", "")
    source = APP.replace("rating", said.replace('"', "'")).replace(
        "Answer in JSON: ", json.dumps(said + " in JSON")[1:-1]
    )
    text = shown(tmp_path, source, not_adapted=said, notes=[(said, "")], command=said)
    Page(text)
    assert not set(text) & {"\x1b", "\u202e"}
