"""Conversations that are handed to unknown libraries, and methods that are handed to helpers."""

import textwrap

import pytest

from knitbone.adaptation.testing import analyse_text

HEADER = """
import json, logging
import somelib
from openai import OpenAI
client = OpenAI()
TOLD = [{"role": "user", "content": "hello"}]
"""


@pytest.fixture
def sites(tmp_path):
    def run(source):
        text = HEADER + textwrap.dedent(source)
        return [
            (site.expression, site.origin_line - HEADER.count("\n"), len(site.requirements))
            for site in analyse_text(text, tmp_path / "app.py", scenario=frozenset()).sites
        ]

    return run


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("model.generate(messages=TOLD)", "reply.text"),
        ("model.generate(messages=TOLD)", 'reply.text[0]["content"]'),
        ("model.chat(messages=TOLD)", 'reply["choices"][0]["message"]["content"]'),
        ("model.complete(messages=[*TOLD])", "reply.output[0].content"),
        ("somelib.completion(messages=TOLD)", "reply.content[0].text"),
    ],
)
def test_the_text_of_a_reply_stands_where_the_code_takes_it(sites, call, text):
    found = sites(f"""
        def run(model: somelib.Model):
            reply = {call}
            return json.loads({text})["a"]
        """)
    assert found == [(text, 3, 1)]


def test_parts_of_a_reply_are_read_one_by_one(sites):
    found = sites("""
        def run(model: somelib.Model):
            reply = model.generate(messages=TOLD)
            return [json.loads(part["content"])["a"] for part in reply.text]
        """)
    assert found == [('part["content"]', 3, 1)]


@pytest.mark.parametrize(
    "call",
    [
        "somelib.count_tokens(messages=TOLD)",
        "tokenizer.apply_chat_template(messages=TOLD)",
        "somelib.generate(messages=['hello'])",
        "somelib.generate(messages=[{'to': 'all', 'content': 'hello'}])",
        "somelib.generate(messages=TOLD, stream=True)",
        "somelib.send(TOLD)",
    ],
)
def test_other_calls_ask_no_model(sites, call):
    found = sites(f"""
        def run(tokenizer: somelib.Tokenizer):
            reply = {call}
            return json.loads(reply.text)["a"]
        """)
    assert found == []


def test_what_stands_beside_the_text_is_no_output(sites):
    found = sites("""
        def run(model: somelib.Model):
            reply = model.generate(messages=TOLD)
            return int(reply.usage.total_tokens), reply.id.split("-")
        """)
    assert all(requirements == 0 for _, _, requirements in found)


def test_a_method_that_a_helper_calls_brings_its_output_where_it_is_handed_over(sites):
    found = sites("""
        def persist(call, **options):
            return call(**options)
        def first():
            done = persist(client.chat.completions.create, model="m", messages=TOLD)
            return int(done.choices[0].message.content)
        def second():
            done = persist(client.chat.completions.create, model="m", messages=TOLD)
            return json.loads(done.choices[0].message.content)["a"]
        """)
    assert [(line, count) for _, line, count in found] == [(5, 1), (8, 1)]
