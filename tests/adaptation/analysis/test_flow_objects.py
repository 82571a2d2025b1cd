"""Objects, classes and what stands behind their attributes."""
# ruff: noqa: E501 - sources of applications as they are

import textwrap

import pytest

from knitbone.adaptation.testing import (
    ChunkSpec,
    ScenarioRequirement,
    analyse_files,
    analyse_text,
    describe,
)

ASK = """
import json, multiprocessing
from abc import ABC, abstractmethod
from openai import OpenAI
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter
client = OpenAI()
"""


@pytest.fixture
def demands(tmp_path):
    def run(source):
        text = ASK + textwrap.dedent(source)
        return [
            describe(r)
            for site in analyse_text(text, tmp_path / "app.py").sites
            for r in site.requirements
            if not isinstance(r, ScenarioRequirement)
        ]

    return run


def test_an_abstract_method_is_whatever_overrides_it(demands):
    found = demands("""
        class Base(ABC):
            @abstractmethod
            def say(self, prompt): ...
            def data(self, prompt):
                return json.loads(self.say(prompt))["a"]
        class Real(Base):
            def say(self, prompt):
                reply = client.chat.completions.create(model="m", messages=[])
                return reply.choices[0].message.content
    """)
    assert found == ["JSON: object {a}"]


def test_a_function_on_an_instance_hides_the_method_of_its_name(demands):
    found = demands("""
        class Data:
            def run(self, sql):
                raise RuntimeError("connect first")
            def connect(self, path):
                import sqlite3
                cursor = sqlite3.connect(path).cursor()
                def execute(sql):
                    return cursor.execute(sql)
                self.run = execute
            def ask(self, question):
                reply = client.chat.completions.create(model="m", messages=[])
                return self.run(reply.choices[0].message.content)
    """)
    assert found == ["SQL (sqlite)"]


def test_objects_of_one_class_are_told_apart(demands):
    found = demands("""
        class Config:
            def __init__(self, size):
                self.size = size
        class Cutter:
            def __init__(self, splitter: TextSplitter):
                self.splitter = splitter
            def cut(self, text):
                return self.splitter.split_text(text)
        class Small(Cutter):
            def __init__(self, config: Config | None = None):
                if config is None:
                    config = Config(size=100)
                super().__init__(RecursiveCharacterTextSplitter(chunk_size=config.size, chunk_overlap=0))
        class Large(Cutter):
            def __init__(self, config: Config | None = None):
                if config is None:
                    config = Config(size=900)
                super().__init__(RecursiveCharacterTextSplitter(chunk_size=config.size, chunk_overlap=0))
    """)
    assert [one.partition(" characters")[0] for one in found] == ["pieces of 100", "pieces of 900"]


def test_batches_of_a_list_are_no_pieces_of_a_text(demands):
    source = "def cut({0}):\n    return [{0}[i : i + 500] for i in range(0, len({0}), 400)]\n"
    assert demands(source.format("orders")) == []
    assert demands(source.format("text")) == ["pieces of 500 characters, overlap 100"]


def test_a_process_runs_its_target(demands):
    found = demands("""
        def worker(text, queue):
            exec(text)
        def f(queue):
            reply = client.chat.completions.create(model="m", messages=[])
            code = reply.choices[0].message.content
            multiprocessing.Process(target=worker, args=(code, queue)).start()
    """)
    assert found == ["Python"]


def test_a_module_named_like_a_library_imports_the_library(tmp_path):
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "litellm.py").write_text(
        "import json, litellm\n"
        "def f():\n"
        "    r = litellm.completion(model='m', messages=[])\n"
        "    return json.loads(r.choices[0].message.content)['a']\n"
    )
    (site,) = analyse_files(sorted(package.rglob("*.py"))).sites
    assert site.provider == "litellm-chat"
    assert not any(isinstance(r, ChunkSpec) for r in site.requirements)


def test_a_base_class_reads_what_its_subclasses_set(demands):
    found = demands("""
        class Base:
            def data(self, prompt):
                reply = self.endpoint.create(model="m", messages=[])
                return json.loads(reply.choices[0].message.content)["a"]
        class Real(Base):
            def __init__(self):
                self.endpoint = OpenAI().chat.completions
    """)
    assert found == ["JSON: object {a}"]


def test_the_driver_of_a_connection_names_the_dialect(demands):
    source = """
        import {module}
        import pandas
        def f():
            reply = client.chat.completions.create(model="m", messages=[])
            return pandas.read_sql_query(reply.choices[0].message.content, {connect})
    """
    assert demands(source.format(module="sqlite3", connect="sqlite3.connect('d')")) == [
        "SQL (sqlite)"
    ]
    assert demands(
        source.format(module="pyhive.presto", connect="pyhive.presto.Connection('h')")
    ) == ["SQL (presto)"]


def test_a_second_try_of_the_same_reading_is_one_requirement(demands):
    found = demands("""
        import sqlite3
        def f():
            reply = client.chat.completions.create(model="m", messages=[])
            sql = reply.choices[0].message.content
            try:
                return sqlite3.connect("a").cursor().execute(sql)
            except sqlite3.OperationalError:
                return sqlite3.connect("b").cursor().execute(sql)
    """)
    assert found == ["SQL (sqlite)"]


@pytest.mark.parametrize("depth", [300, 700, 2500])
def test_code_that_is_nested_deeply_is_read_or_passed_over(demands, depth):
    nested = "reply.choices[0].message.content" + " + 'a'" * depth
    chain = "".join(f"    elif v == {i}: w = {i}\n" for i in range(depth))
    found = demands(
        "def ask():\n"
        '    reply = client.chat.completions.create(model="m", messages=[])\n'
        "    return reply.choices[0].message.content\n"
        'def good():\n    return json.loads(ask())["a"]\n'
        f"def deep(reply):\n    return {nested}\n"
        f"def long(v):\n    if v == -1: pass\n{chain}\n    return v\n"
    )
    # What Python's own parser refuses cannot be read at all.
    assert found == ["JSON: object {a}"] or (depth == 2500 and found == [])
