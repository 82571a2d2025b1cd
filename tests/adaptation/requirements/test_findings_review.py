"""Comments and baseline silence exactly what they name, and say when they name nothing."""

import msgspec
import pytest

from knitbone.adaptation.requirements.findings import (
    is_suppressed,
    load_baseline,
    read_directives,
    save_baseline,
)
from knitbone.adaptation.testing import accept, analyse_files, review
from knitbone.errors import InputFormatError

APP = """\
import json, re, knitbone

@knitbone.source
def ask(q): ...

def rows(q):
    answer = ask(q)
    return re.findall(r"^- (.+)$", answer, re.M)

def score(q):
    answer = ask(q)
    first = json.loads(answer)["score"]
    return first + json.loads(answer)["score"]
"""


@pytest.fixture
def app(tmp_path):
    return tmp_path / "app.py"


def reviewed(app, source, **more):
    app.write_text(source)
    sites = analyse_files([app]).sites
    return review(sites, root=app.parent, read={str(app)}, **more)


def remaining(found):
    return [(judged.id, judged.finding.line) for judged in found.remaining]


def test_everything_shows_without_a_comment(app):
    found = reviewed(app, APP)
    assert remaining(found) == [("silent-loss", 8), ("may-raise", 12), ("may-raise", 13)]
    assert found.notes == ()
    assert len({judged.fingerprint for judged in found.remaining}) == 3


@pytest.mark.parametrize(
    ("line", "comment", "silenced"),
    [
        (7, "# knitbone: ignore", ["silent-loss"]),
        (8, "# knitbone: ignore", ["silent-loss"]),
        (
            8,
            "# noqa: E501  # knitbone: ignore[silent-loss] a report says how many",
            ["silent-loss"],
        ),
        (8, "#knitbone:ignore[ Silent Loss ,may-raise]", ["silent-loss"]),
        (11, "# knitbone: ignore[may-raise]", ["may-raise", "may-raise"]),
        (12, "# knitbone: ignore", ["may-raise"]),
    ],
)
def test_a_comment_silences_what_it_names(app, line, comment, silenced):
    lines = APP.splitlines()
    lines[line - 1] += "  " + comment
    found = reviewed(app, "\n".join(lines))
    quiet = [j for s in found.sites for j in s.findings if j.silenced == "comment"]
    assert [judged.id for judged in quiet] == silenced
    assert len(found.remaining) == 3 - len(silenced)
    assert found.notes == ()


@pytest.mark.parametrize(
    ("line", "comment", "kind", "text"),
    [
        (1, "# knitbone: ignore", "unused-suppression", "nothing here to ignore: no site"),
        (8, "# knitbone: ignore[may-raise]", "unused-suppression", "nothing here to ignore: may-"),
        (8, "# knitbone: ignore[silent-los]", "wrong-suppression", "did you mean 'silent-loss'?"),
        (8, "# knitbone: ignore[]", "wrong-suppression", "'ignore[]' names no finding"),
        (8, "# knitbone: ignore[silent-loss", "wrong-suppression", "names no finding in [...]"),
        (8, "# knitbone: ignroe", "wrong-suppression", "'ignroe' is no directive"),
    ],
)
def test_a_comment_that_silences_nothing_is_reported(app, line, comment, kind, text):
    lines = APP.splitlines()
    lines[line - 1] += "  " + comment
    found = reviewed(app, "\n".join(lines))
    assert len(found.remaining) == 3
    (note,) = found.notes
    assert (note.kind, note.line) == (kind, line)
    assert text in note.text


def test_a_string_that_looks_like_a_comment_is_none(app):
    source = APP.replace('r"^- (.+)$"', 'r"^- (.+)$|# knitbone: ignore"')
    assert ("silent-loss", 8) in remaining(reviewed(app, source))
    assert read_directives('x = "# knitbone: ignore"\n"""\n# knitbone: ignore\n"""\n') == ()


def test_a_module_with_an_error_keeps_the_comments_before_it():
    assert [d.line for d in read_directives("a = 1  # knitbone: ignore\nb = (\n")] == [1]
    assert [d.line for d in read_directives("a  # knitbone: ignore\n  b\n c\n")] == [1]


def test_a_bare_comment_on_the_site_switches_its_adaptation_off(app):
    source = APP.replace("answer = ask(q)", "answer = ask(q)  # knitbone: ignore", 1)
    found = reviewed(app, source)
    assert [each.switched_off for each in found.sites] == ["comment", ""]
    assert [is_suppressed(each.site, source) for each in found.sites] == [True, False]
    named = APP.replace("answer = ask(q)", "answer = ask(q)  # knitbone: ignore[silent-loss]", 1)
    assert not is_suppressed(found.sites[0].site, named)


def test_any_line_of_a_site_counts(app):
    source = APP.replace("answer = ask(q)", "answer = ask(\n  q  # knitbone: ignore\n )", 1)
    found = reviewed(app, source)
    assert is_suppressed(found.sites[0].site, source)


def test_the_baseline_silences_what_it_names_wherever_it_stands(app, tmp_path):
    path = tmp_path / "baseline.json"
    save_baseline(path, accept(reviewed(app, APP)))
    first = path.read_bytes()
    shifted = "import os\n\n\n" + APP + "\ndef more(q):\n    return json.loads(ask(q))['x']\n"
    found = reviewed(app, shifted, baseline=load_baseline(path))
    assert remaining(found) == [("may-raise", 19)]
    assert found.notes == ()
    save_baseline(path, accept(reviewed(app, APP)))
    assert path.read_bytes() == first
    assert str(tmp_path).encode() not in first


def test_of_equal_findings_exactly_the_named_one_is_silenced(app, tmp_path):
    every = accept(reviewed(app, APP))
    second = [entry for entry in every if entry.finding == "may-raise"]
    silenced = reviewed(app, APP, baseline=second[1:])
    assert len(silenced.remaining) == 2
    assert {j.silenced for s in silenced.sites for j in s.findings} == {"", "baseline"}


def test_baseline_entries_that_no_longer_occur_are_reported(app):
    every = accept(reviewed(app, APP))
    fixed = APP.replace('re.findall(r"^- (.+)$", answer, re.M)', "answer")
    (note,) = reviewed(app, fixed, baseline=every).notes
    assert note.kind == "gone-from-baseline"
    assert "silent-loss" in note.text
    elsewhere = [msgspec.structs.replace(every[0], file="other.py", fingerprint="0" * 16)]
    (app.parent / "other.py").write_text("")
    assert reviewed(app, APP, baseline=elsewhere).notes == ()


def test_a_comment_goes_before_the_baseline(app):
    lines = APP.splitlines()
    lines[7] += "  # knitbone: ignore"
    assert [entry.finding for entry in accept(reviewed(app, "\n".join(lines)))] == ["may-raise"] * 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "cannot be read as a baseline"),
        ('{"schema": 2, "findings": []}', "has schema 2; this version of knitbone reads 1"),
        ('{"schema": 1, "finding": []}', "unknown field `finding`"),
        (
            '{"schema": 1, "findings": [{"fingerprint": "x", "finding": "a", "file": "b",'
            ' "function": "c", "about": "d"}]}',
            "'x' is not a fingerprint",
        ),
    ],
)
def test_a_baseline_that_cannot_be_used_says_why(tmp_path, content, why):
    path = tmp_path / "baseline.json"
    path.write_text(content)
    with pytest.raises(InputFormatError) as raised:
        load_baseline(path)
    assert why in raised.value.message
    assert raised.value.next_step
