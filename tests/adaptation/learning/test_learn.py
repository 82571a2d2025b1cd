"""``knitbone learn`` on programs as users start them: what only shows while they run."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from knitbone.testing import ModelServer

SAMPLE = Path(__file__).parents[2] / "samples" / "learning" / "two_modes.py"
KNITBONE = (sys.executable, "-c", "from knitbone.cli import main; main()")
FILE = "knitbone.requirements.toml"

HEADER = """
import json
import knitbone

ANSWERS = {ANSWERS!r}

@knitbone.source
def ask(prompt):
    return ANSWERS[prompt]

"""


@pytest.fixture
def environment(tmp_path):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("KNITBONE", "PYTHONPATH"))}
    return {**keep, "XDG_CACHE_HOME": str(tmp_path / "cache")}


class Run:
    def __init__(self, done, folder):
        self.code, self.out = done.returncode, done.stdout
        lines = done.stderr.splitlines()
        self.body = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
        self.errors = done.stderr
        self.file = folder / FILE

    @property
    def sites(self):
        return self.body["sites"]

    def words(self, sort="new"):
        """``(expects, when)`` of every requirement of a sort."""
        return [(one["expects"], one["when"]) for site in self.sites for one in site[sort]]


@pytest.fixture
def learn(tmp_path, environment):
    """Write an application and learn from it."""
    folder = tmp_path / "project"
    folder.mkdir()

    def run(source=None, *command, answers=None, options=(), files=None, **variables):
        if source is not None:
            header = HEADER.replace("{ANSWERS!r}", ascii(answers or {}))
            (folder / "app.py").write_text(header + textwrap.dedent(source), encoding="utf-8")
        for name, text in (files or {}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")
        program = command or (sys.executable, "app.py")
        done = subprocess.run(
            [*KNITBONE, "learn", "--json", *options, "--", *program],
            check=False, cwd=folder, env={**environment, **variables}, capture_output=True,
            text=True, timeout=120,
        )  # fmt: skip
        return Run(done, folder)

    return run


TOOL = '{"name": "search", "arguments": {"count": "3"}}'


def reply(body):
    tool = body["messages"][-1]["content"].startswith("tool")
    return TOOL if tool else "Thought: greet\nResponse: hello"


@pytest.fixture(scope="module")
def two_modes(tmp_path_factory):
    """The paper's AGiXT: learned twice, with the file after each run."""
    folder = tmp_path_factory.mktemp("two_modes")
    (folder / "app.py").write_text(SAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    keep = {k: v for k, v in os.environ.items() if not k.startswith("KNITBONE")}
    runs = []
    with ModelServer(reply) as server:
        environment = {
            **keep,
            "MODEL_URL": server.base_url,
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        for options in (("--json",), ()):
            done = subprocess.run(
                [*KNITBONE, "learn", *options, "--", sys.executable, "app.py"],
                check=False, cwd=folder, env=environment, capture_output=True, text=True,
                timeout=120,
            )  # fmt: skip
            runs.append((Run(done, folder), (folder / FILE).read_bytes()))
    return runs


def test_each_requirement_is_learned_with_the_state_it_holds_in(two_modes):
    run, _ = two_modes[0]
    assert run.words() == [
        ('one record: "Response" ":" <text>', "self.mode == 'chat'"),
        (
            "JSON: object {arguments: object {count: integer-like}, name}",
            "self.mode == 'tool'",
        ),
    ]
    counted = [one["observed"] for one in run.sites[0]["new"]]
    assert counted == [
        {"answers": 2, "of": 5, "raised": 0},
        {"answers": 3, "of": 5, "raised": 0},
    ]
    lines = [one["evidence"]["expression"] for one in run.sites[0]["new"]]
    assert lines[1] == "json.loads(text)"


def test_the_program_runs_as_it_would_without(two_modes):
    run, _ = two_modes[0]
    assert run.code == 0
    assert run.out.splitlines() == ["hello", "('search', 3)"] * 2 + ["('search', 3)"]


def test_the_file_holds_what_was_learned_and_a_second_run_changes_no_byte(two_modes):
    first, second = two_modes[0][1], two_modes[1][1]
    text = first.decode()
    assert text.count('source = "learn"') == 2
    assert "when = \"self.mode == 'tool'\"" in text
    assert "observed = \"3 of 5 answers, when self.mode == 'tool'\"" in text
    assert first == second


def test_people_are_told_site_by_site(two_modes):
    shown = two_modes[1][0].errors
    assert "app.py:" in shown
    assert "when self.mode == 'tool'" in shown
    assert "2 learned, 0 agree with the analysis" in shown
    assert "2 hold in some states only; written to knitbone.requirements.toml" in shown


def test_the_file_is_accepted_by_the_other_commands(two_modes, tmp_path):
    run, content = two_modes[0]
    folder = run.file.parent
    for options in (("--write",), ("--diff",)):
        done = subprocess.run(
            [*KNITBONE, "check", "app.py", *options],
            check=False, cwd=folder, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert run.file.read_bytes() == content


DISPATCHES = {
    "getattr": """
        class Reader:
            def read_plan(self, text):
                return [line.split(":", 1)[1] for line in text.splitlines()]
        for name in ("plan", "plan"):
            print(getattr(Reader(), f"read_{name}")(ask(name)))
    """,
    "registry": """
        READERS = {}
        def reader(name):
            def add(function):
                READERS[name] = function
                return function
            return add
        @reader("plan")
        def read(text):
            return [line.split(":", 1)[1] for line in text.splitlines()]
        for name in ("plan", "plan"):
            print(READERS[name](ask(name)))
    """,
    "coroutines": """
        import asyncio
        READERS = [lambda text: [line.split(":", 1)[1] for line in text.splitlines()]]
        async def read(text):
            await asyncio.sleep(0)
            return READERS[0](text)
        async def main():
            for found in await asyncio.gather(*(read(ask("plan")) for _ in range(2))):
                print(found)
        asyncio.run(main())
    """,
    "threads": """
        from concurrent.futures import ThreadPoolExecutor
        READERS = [lambda text: [line.split(":", 1)[1] for line in text.splitlines()]]
        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(READERS[0], [ask(name) for name in ("plan", "plan")]):
                print(found)
    """,
    "processes": """
        import multiprocessing
        READERS = [lambda text: [line.split(":", 1)[1] for line in text.splitlines()]]
        def work(name):
            return READERS[0](ask(name))
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(1) as pool:
                for found in pool.map(work, ["plan", "plan"]):
                    print(found)
                pool.close()
                pool.join()
    """,
    "new processes": """
        import multiprocessing
        READERS = [lambda text: [line.split(":", 1)[1] for line in text.splitlines()]]
        def work(name):
            return READERS[0](ask(name))
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                for found in pool.map(work, ["plan", "plan"]):
                    print(found)
                pool.close()
                pool.join()
    """,
}


@pytest.mark.parametrize("kind", DISPATCHES)
def test_a_consumer_behind_any_dispatch_is_seen(learn, kind):
    run = learn(DISPATCHES[kind], answers={"plan": "a: x\nb: y"}, options=["--no-write"])
    assert run.out == "[' x', ' y']\n" * 2, run.errors
    (site,) = run.sites
    assert site["answers"] == 2
    found = {one["evidence"]["expression"] for s in ("new", "agreed") for one in site[s]}
    assert 'line.split(":", 1)' in found
    assert not run.file.exists()


DIRECT = """
    def main():
        for _ in range(3):
            print(json.loads(ask("a"))["n"])
    main()
"""


def test_what_the_analysis_knows_is_marked_as_observed_and_stays_so(learn, environment):
    run = learn(DIRECT, answers={"a": '{"n": 1}'})
    assert run.words() == []
    assert run.words("agreed") == [("JSON: object {n}", "")]
    text = run.file.read_text()
    assert 'observed = "3 of 3 answers"' in text
    assert 'source = "learn"' not in text
    subprocess.run(
        [*KNITBONE, "check", "app.py", "--write"],
        check=True, cwd=run.file.parent, env=environment, capture_output=True,
    )  # fmt: skip
    assert run.file.read_text() == text


HIDDEN = """
    READERS = dict(zip("ab", [lambda s: json.loads(s)["n"], lambda s: s.split("|")[1]]))
    for name in "abab":
        mode = name
        print(READERS[name](ask(name)))
"""
HIDDEN_ANSWERS = {"a": '{"n": 1}', "b": "x|y"}


def test_a_persons_edit_wins(learn):
    run = learn(HIDDEN, answers=HIDDEN_ANSWERS)
    text = run.file.read_text()
    assert text.count('source = "learn"') == 2
    edited = text.replace('keys = ["n: any"]', 'keys = ["n: integer"]')
    assert edited != text
    run.file.write_text(edited)
    again = learn(HIDDEN, answers=HIDDEN_ANSWERS)
    assert again.file.read_text() == edited


def test_what_a_person_has_switched_off_does_not_come_back(learn):
    run = learn(HIDDEN, answers=HIDDEN_ANSWERS)
    edited = run.file.read_text().replace('source = "learn"', 'source = "learn"\nignore = true')
    run.file.write_text(edited)
    assert learn(HIDDEN, answers=HIDDEN_ANSWERS).file.read_text() == edited


def test_what_was_learned_stays_when_a_later_run_does_not_show_it(learn):
    text = learn(HIDDEN, answers=HIDDEN_ANSWERS).file.read_text()
    kept = learn(HIDDEN.replace('"abab"', '"bb"'), answers=HIDDEN_ANSWERS).file.read_text()
    assert "json.loads(s)" in kept
    assert kept.count('source = "learn"') == text.count('source = "learn"') == 2


def test_a_package_is_learned_through_its_own_test_suite(learn):
    files = {
        "pkg/__init__.py": "",
        "pkg/model.py": """
            import knitbone
            @knitbone.source
            def ask(prompt):
                raise RuntimeError("the suite replaces this")
        """,
        "pkg/work.py": """
            import json
            from pkg import model
            class Readers:
                def read_n(self, text):
                    return int(json.loads(text)["n"])
            def number(kind):
                return getattr(Readers(), "_".join(["read", kind]))(model.ask("x"))
        """,
        "tests/test_work.py": """
            from pkg import model, work
            def test_number(monkeypatch):
                monkeypatch.setattr(model, "ask", lambda _: '{"n": "5"}')
                assert work.number("n") == 5
        """,
    }
    run = learn(None, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", files=files)
    assert run.code == 0, run.out
    assert run.words() == [("JSON: object {n: integer-like}", "")]


def test_a_module_is_run_as_python_runs_it(learn):
    files = {
        "pkg/__init__.py": "",
        "pkg/__main__.py": HEADER.replace("{ANSWERS!r}", "{'a': 'x|y'}")
        + "R = [lambda s: s.split('|')]\nprint(R[0](ask('a')))\n",
    }
    run = learn(None, sys.executable, "-m", "pkg", files=files)
    assert run.out == "['x', 'y']\n"
    assert run.sites[0]["answers"] == 1


def test_exit_codes_and_tracebacks_are_the_programs_own(learn):
    run = learn("R = [lambda s: json.loads(s)]\nR[0](ask('a'))\n", answers={"a": "no"})
    assert run.code == 1
    assert "json.decoder.JSONDecodeError: Expecting value" in run.errors
    (found,) = [*run.sites[0]["new"], *run.sites[0]["agreed"]]
    assert found["observed"] == {"answers": 1, "of": 1, "raised": 1}


def test_switched_off_the_program_only_runs(learn):
    run = learn(DIRECT, answers={"a": '{"n": 1}'}, KNITBONE_DISABLED="1")
    assert run.out == "1\n1\n1\n"
    assert run.errors == ""
    assert not run.file.exists()


def test_a_program_without_answers_says_so(learn):
    run = learn("print('hi')\n")
    assert run.out == "hi\n"
    assert run.sites == []
    assert not run.file.exists()


HOSTILE = {
    "surrogate": '{"n": "\ud800", "k\udfff": 1}',
    "long": json.dumps({"n": "x" * 6_000_000}),
    "deep": '{"n": ' + "[" * 300 + "]" * 300 + "}",
    "control": '{"n": "\\u001b[2J\\u202e"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_is_no_trouble(learn, name):
    source = "R = [lambda s: json.loads(s)]\nprint(len(str(R[0](ask('a'))['n'])))\n"
    run = learn(source, answers={"a": HOSTILE[name]})
    assert run.code == 0, run.errors
    assert run.out.strip() == str(len(str(json.loads(HOSTILE[name])["n"])))


def test_the_person_is_not_asked_to_believe_chance(learn):
    source = """
        R = [lambda s: s.split("|"), lambda s: json.loads(s)]
        for turn, name in enumerate("aaab"):
            print(R[name == "b"](ask(name)))
    """
    run = learn(source, answers={"a": "x|y", "b": "{}"})
    # One answer is no proof that ``name == 'b'`` decides.
    found = [*run.words(), *run.words("agreed")]
    assert [when for _, when in found] == ["sometimes", "sometimes"]


STREAMED = """
    class Reader:
        def read_plan(self, text):
            return int(json.loads(text)["n"])
    @knitbone.source
    def pieces(prompt):
        for piece in ('{"n"', ': "', '4"}'):
            yield piece
    def joined():
        return "".join(piece for piece in pieces("x"))
    def added():
        text = ""
        for piece in pieces("x"):
            text += piece
        return text
    for text in (joined(), added()):
        print(getattr(Reader(), "_".join(["read", "plan"]))(text))
"""


def test_the_pieces_of_a_stream_are_followed_as_one_answer(learn):
    run = learn(STREAMED)
    assert run.out == "4\n4\n", run.errors
    assert run.words() == [("JSON: object {n: integer-like}", "")] * 2
    assert [site["answers"] for site in run.sites] == [1, 1]
