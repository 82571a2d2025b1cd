"""Applications in every style of ``site_programs``: what they expect is found, and repaired.

Each style stands once beside plain others; of all combinations of two styles, some are drawn. A
style that is put down as unread has to stay unread to be kept there.
"""

import gc
import importlib.util
import itertools
import random
import sys
import warnings

import pytest
import site_programs
from site_programs import CLIENTS, FETCHES, FRAMEWORKS, READERS, TRAVELS, program

from knitbone.adaptation.testing import analyse_files
from knitbone.testing import ModelServer, Reply

PLAIN = ("global", "function", "variable", "numbered")
AXES = (CLIENTS, FETCHES, TRAVELS, READERS)
SINGLE = [
    (*PLAIN[:axis], name, *PLAIN[axis + 1 :]) for axis, styles in enumerate(AXES) for name in styles
]
PAIRS = [
    tuple(one if i == a else other if i == b else plain for i, plain in enumerate(PLAIN))
    for a, b in itertools.combinations(range(4), 2)
    for one in AXES[a]
    for other in AXES[b]
]
DRAWN = 60
"""Combinations of two styles that are read in one run of the tests."""
UNREAD = {
    "urllib, joined": "a request object whose address nobody can read, opened by another call",
    "urllib, unknown url": "the same",
}
"""Ways to ask in which nothing is found, with the reason."""
UNREAD_TOGETHER = {
    (client, fetch, "variable", "numbered")
    for fetch, clients in {
        "partial": ("wrapped", "singleton"),
        "bound method": ("wrapped", "singleton"),
        "handed to a helper": ("wrapped", "singleton", "with", "context", "imported by name"),
    }.items()
    for client in clients
}
"""Of 9,935 pairs those of which each style is read, and both together are not: a client of which
only the form of its calls is known, and its method that is handed on without a call."""
SEED = 20


def ways(combinations):
    """Return the combinations whose frameworks are installed, as parameters."""
    needed = {f"{name}: {way}": name for name, held in FRAMEWORKS.items() for way in held}
    found = []
    for combination in combinations:
        module = needed.get(combination[1])
        if module is None or importlib.util.find_spec(module) is not None:
            found.append(pytest.param(combination, id=" | ".join(combination)))
    return found


@pytest.fixture(scope="module")
def server():
    """Serve the answer that the question names."""

    def answer(body):
        said = str(body)
        reader, _, kind = said.partition("<<")[2].partition(">>")[0].partition("/")
        return Reply(text=getattr(READERS[reader], kind))

    with ModelServer(answer) as running:
        yield running


@pytest.fixture
def load(tmp_path, monkeypatch, server):
    """Yield the function that writes a program, with one that imports it."""
    loaded = []
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)

    def write(combination):
        parts = [styles[name] for styles, name in zip(AXES, combination, strict=True)]
        path = tmp_path / "site_program.py"
        path.write_text(program(*parts))
        return path

    def run(path):
        spec = importlib.util.spec_from_file_location("site_program", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "site_program", module)
        loaded.append(path)
        spec.loader.exec_module(module)
        return module

    write.run = run
    yield write
    if loaded:
        # Programs leave asynchronous clients open; what warns of it must not do so in a later test.
        sys.modules.pop("site_program")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gc.collect()


@pytest.mark.parametrize(
    "combination", [pytest.param(c, id=" | ".join(c)) for c in SINGLE if c[1] not in UNREAD]
)
def test_what_a_style_expects_is_found(load, combination):
    sites = analyse_files([load(combination)], scenario=frozenset()).sites
    assert [site for site in sites if site.requirements]


@pytest.mark.parametrize("seed", [SEED])
def test_what_two_styles_together_expect_is_found(load, seed):
    read = [pair for pair in PAIRS if pair[1] not in UNREAD and pair not in UNREAD_TOGETHER]
    missed = []
    for combination in random.Random(seed).sample(read, DRAWN):
        sites = analyse_files([load(combination)], scenario=frozenset()).sites
        if not any(site.requirements for site in sites):
            missed.append(" | ".join(combination))
    assert missed == []


@pytest.mark.parametrize(
    "combination", [*((PLAIN[0], fetch, *PLAIN[2:]) for fetch in UNREAD), *sorted(UNREAD_TOGETHER)]
)
def test_what_is_put_down_as_unread_is(load, combination):
    sites = analyse_files([load(combination)], scenario=frozenset()).sites
    assert not [site for site in sites if site.requirements]


def check_end_to_end(load, combination):
    app = load.run(load(combination))
    reader = READERS[combination[3]]
    assert app.run(f"<<{combination[3]}/conforming>>") == reader.expected
    assert app.run(f"<<{combination[3]}/drifted>>") == reader.expected


QUICK = random.Random(SEED).sample([c for c in SINGLE if c[1] not in UNREAD], 40)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("combination", ways(QUICK))
def test_a_broken_answer_is_repaired_in_each_style(load, combination):
    check_end_to_end(load, combination)


GENERATOR = "def answers(prompts):\n    for p in prompts:\n        yield ask(p)"
TWO_PROMPTS = {
    "generator": ("for text in answers(prompts)", GENERATOR),
    "marked generator": ("for text in answers(prompts)", "@knitbone.source\n" + GENERATOR),
    "executor": ("for text in ThreadPoolExecutor().map(ask, prompts)", ""),
    "loop": ("for text in [ask(p) for p in prompts]", ""),
}


@pytest.mark.parametrize("way", TWO_PROMPTS)
def test_each_of_several_answers_is_one_of_its_own(load, tmp_path, way):
    loop, code = TWO_PROMPTS[way]
    source = program(CLIENTS["global"], FETCHES["function"], "return None", READERS["json"])
    source += f"\n{code}\n\n@knitbone.adapt\ndef run_all(prompts):\n"
    source += f"    return [consume(text) {loop}]\n"
    path = tmp_path / "several.py"
    path.write_text(source)
    app = load.run(path)
    prompts = ["<<json/conforming>>", "<<json/drifted>>", "<<json/conforming>>"]
    assert app.run_all(prompts) == [READERS["json"].expected] * 3


def test_readers_in_a_table_are_alternatives(load, tmp_path):
    source = site_programs.HEADER + FETCHES["function"].code.replace("<client>", "OpenAI()")
    for name in ("numbered", "json"):
        code = READERS[name].code.replace("consume", f"read_{name}")
        source += site_programs.textwrap.dedent(code)
    source += (
        "\nTABLE = {'numbered': read_numbered, 'json': read_json}\n"
        "@knitbone.adapt\ndef run(kind, prompt):\n    return TABLE[kind](ask(prompt))\n"
    )
    path = tmp_path / "table.py"
    path.write_text(source)
    (site,) = [s for s in analyse_files([path], scenario=frozenset()).sites if s.requirements]
    assert len({(r.alternative, r.evidence.line) for r in site.requirements}) == 2
    assert len({r.alternative for r in site.requirements}) == 1 != ""
    app = load.run(path)
    for kind in ("numbered", "json"):
        for answer in ("conforming", "drifted"):
            assert app.run(kind, f"<<{kind}/{answer}>>") == READERS[kind].expected


def test_nothing_else_in_a_list_is_taken_for_an_answer(tmp_path):
    path = tmp_path / "other.py"
    path.write_text(
        "import json, queue\n"
        "from openai import OpenAI\n"
        "settings = {}\n"
        "jobs = queue.Queue()\n"
        "def ask(prompt):\n"
        "    answers = {}\n"
        "    reply = OpenAI().chat.completions.create(model='m', messages=[])\n"
        "    answers['text'] = reply.choices[0].message.content\n"
        "    return answers\n"
        "def configure(path):\n"
        "    settings['raw'] = open(path).read()\n"
        "    return json.loads(settings['raw'])['port']\n"
        "def work():\n"
        "    jobs.put('{}')\n"
        "    return json.loads(jobs.get())['id']\n"
        "def run(prompt):\n"
        "    print(ask(prompt)['text'])\n"
    )
    sites = analyse_files([path], scenario=frozenset()).sites
    assert len(sites) == 1
    assert not sites[0].requirements
