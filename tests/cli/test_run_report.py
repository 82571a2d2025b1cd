"""The lines that ``knitbone run`` prints for the sites of a program."""

import os
import subprocess
import sys

import pytest

from knitbone.adaptation.testing import SiteCounts
from knitbone.report.adaptation import site_line


def test_a_site_line_counts_reasons_and_says_the_only_one():
    for reasons, said in (({"no JSON": 4}, "no JSON"), ({"no JSON": 3, "late": 1}, "2 reasons")):
        counts = SiteCounts(
            site="app.py:3", answers=9, repaired=5, refused=4, reasons={"refused": reasons}
        )
        expected = f"app.py:3   9 answers   5 repaired   4 refused: {said}; original passed on"
        assert site_line(counts) == expected


def test_a_long_reason_is_cut():
    reasons = {"refused": {"x" * 5_000: 1}}
    counts = SiteCounts(site="app.py:3", answers=1, refused=1, reasons=reasons, median_us=12.0)
    assert len(site_line(counts)) < 300
    assert site_line(counts).endswith("   p50 12 µs")


APP = """
import multiprocessing, re, sys
import knitbone
SAID = ["1) a\\n2: b", "1. a", "\\x1b[31mno\\u202e <script>alert(1)</script>"]
@knitbone.source
def ask(number):
    return SAID[number]
def work():
    for number in range(3):
        print(re.findall(r"^\\d+\\.\\s+(.*)$", ask(number), re.M), flush=True)
if __name__ == "__main__":
    work()
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work)
    process.start()
    process.join()
"""


def observed(folder, *arguments, options=()):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("KNITBONE", "PYTHONPATH"))}
    return subprocess.run(
        [sys.executable, "-c", "from knitbone.cli import main; main()", "run", "--mode", "observe",
         *options, "--", sys.executable, *arguments],
        cwd=folder,
        env={**keep, "XDG_CACHE_HOME": str(folder / "cache"), "KNITBONE_ADAPT_BUDGET_MS": "60000"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["fork", "spawn"])
def test_observe_shows_what_it_saw_in_all_processes_and_leaves_standard_output_alone(
    tmp_path, kind
):
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    done = observed(tmp_path, "app.py", kind, options=["--html", "seen.html"])
    assert done.returncode == 0
    assert done.stdout == "[]\n['a']\n[]\n" * 2
    assert "app.py:10   2 times in 6 answers, " in done.stderr
    assert "ms each   would be repaired: delimiter" in done.stderr
    assert "  before    1) a\\n2: b\n  after     1. a\\n2. b\n" in done.stderr
    assert "  before    \\x1b[31mno\\u202e <script>" in done.stderr
    assert "\x1b" not in done.stderr
    page = (tmp_path / "seen.html").read_text(encoding="utf-8")
    assert "1) a\n2: b" in page
    assert "&lt;script&gt;" in page
    assert page.count("<script") == 1  # the page's own


SEES_NOTHING = {
    "print(1)\n": "no output of a model, retriever or splitter is recognised",
    "import knitbone\n@knitbone.source\ndef ask():\n    return 'x'\ndef f():\n"
    "    return ask() == 'y'\n": "no output came: app.py:6 did not run",
    "import json, knitbone\n@knitbone.source\ndef ask():\n    return '{}'\n"
    "print(json.loads(ask()))\n": "every answer that was read fits what the code reads",
}


@pytest.mark.parametrize("source", SEES_NOTHING)
def test_observe_that_sees_nothing_says_why(tmp_path, source):
    (tmp_path / "app.py").write_text(source, encoding="utf-8")
    assert f"knitbone: {SEES_NOTHING[source]}" in observed(tmp_path, "app.py").stderr


def test_a_report_that_could_not_be_written_is_said_before_the_program_starts(tmp_path):
    (tmp_path / "app.py").write_text("print('ran')\n", encoding="utf-8")
    done = observed(tmp_path, "app.py", options=["--html", "nowhere/seen.html"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no folder 'nowhere'" in done.stderr
