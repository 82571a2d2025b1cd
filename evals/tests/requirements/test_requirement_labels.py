"""The label files of the samples are right, and a wrong one is told from a right one."""

import re
from pathlib import Path

import pytest

from knitbone_evals.adapt.requirements.__main__ import main
from knitbone_evals.adapt.requirements.corpus import SAMPLES, analysed_files, scope_files
from knitbone_evals.adapt.requirements.keys import parse_keys
from knitbone_evals.adapt.requirements.labels import LABELS, LabelError, problems, read_labels

FILES = sorted(LABELS.glob("*.toml"))
SAMPLE_FILES = sorted(LABELS.glob("sample_*.toml"))

SITE = '[[site]]\nfile = "app.py"\nline = 2\nkind = "chat"\n'
RIGHT = f"""
sample = "shop"
scope = ["*.py"]
split = "sample"

{SITE}
[[consumer]]
sites = ["app.py:2"]
file = "app.py"
line = 3
kind = "structured"
facts = {{ format = "json", keys = ["items[].qty:integer"] }}
"""


@pytest.fixture
def write(tmp_path):
    (tmp_path / "app.py").write_text("a\nb\nc\n", encoding="utf-8")

    def written(text):
        path = tmp_path / "shop.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def found_problems(path: Path):
    labels = read_labels(path)
    return list(problems(labels, path.parent, scope_files(labels, path.parent)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_label_file_is_well_formed(path):
    read_labels(path)


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.stem)
def test_the_labels_of_a_sample_name_places_that_are_there(path):
    labels = read_labels(path)
    root = SAMPLES / labels.sample
    assert list(problems(labels, root, scope_files(labels, root))) == []


def test_every_sample_is_labelled_and_is_python():
    labelled = {read_labels(path).sample for path in SAMPLE_FILES}
    assert labelled == {folder.name for folder in SAMPLES.iterdir() if folder.is_dir()}
    for file in SAMPLES.rglob("*.py"):
        compile(file.read_text(encoding="utf-8"), file.name, "exec")


def test_the_samples_are_enough_and_of_every_kind():
    consumers = [each for path in SAMPLE_FILES for each in read_labels(path).consumer]
    assert len(SAMPLE_FILES) >= 14
    assert len(consumers) >= 50
    assert {each.kind for each in consumers} == {
        "positional", "structured", "fenced", "syntax", "chunk", "context",
    }  # fmt: skip


def test_an_output_may_come_from_a_file_out_of_scope(write, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "llm.py").write_text("a\n", encoding="utf-8")
    path = write(RIGHT.replace('["app.py:2"]', '["lib/llm.py:1"]'))
    assert found_problems(path) == []
    analysed = [file.name for file in analysed_files(read_labels(path), tmp_path)]
    assert analysed == ["app.py", "llm.py"]
    assert found_problems(write(RIGHT.replace('["app.py:2"]', '["lib/none.py:1"]'))) != []


def test_a_right_file_has_no_problems(write):
    assert found_problems(write(RIGHT)) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('kind = "chat"', 'kind = "talk"', "talk"),
        ('format = "json", ', 'form = "json", ', "form"),
        ("qty:integer", "qty:int", "int"),
        ("items[].qty", "items[0].qty", "items"),
        ('"structured"', '"fenced"', "format"),
        ("line = 3", 'line = "3"', "line"),
        ("line = 3", "row = 3", "row"),
        ('sample = "shop"', 'package = "shop"', "version"),
        ('split = "sample"', 'split = "held-out"', "split"),
        ('scope = ["*.py"]', "scope = [", "shop.toml"),
    ],
)
def test_a_malformed_file_is_refused(write, before, after, message):
    assert RIGHT.count(before) == 1
    with pytest.raises(LabelError, match=re.escape(message)):
        read_labels(write(RIGHT.replace(before, after)))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("line = 3", "line = 4", "not lines of a file of 3 lines"),
        ("line = 3", "line = 3\nend_line = 2", "not lines of a file"),
        ('["app.py:2"]', '["app.py:1"]', "no site app.py:1 is labelled"),
        ('file = "app.py"\nline = 3', 'file = "b.py"\nline = 3', "not in scope"),
        ('scope = ["*.py"]', 'scope = ["src/*.py"]', "no file in scope"),
        ("[[consumer]]", SITE + "\n[[consumer]]", "twice"),
    ],
)
def test_a_wrong_place_is_named(write, before, after, message):
    assert RIGHT.count(before) == 1
    found = found_problems(write(RIGHT.replace(before, after)))
    assert any(message in each for each in found), found


@pytest.mark.parametrize("path", ["a:text", "a..b", "a[0]", "a?b"])
def test_a_path_of_another_form_is_refused(path):
    with pytest.raises(ValueError, match="key"):
        parse_keys([path])


def test_the_command_checks_the_samples(capsys):
    assert main(["--check", "--split", "sample"]) == 0
    said = capsys.readouterr().out
    assert re.fullmatch(r"\d+ applications, \d+ sites, \d+ consumers: 0 problems\n", said)


def test_the_command_names_the_applications_when_one_is_not_there(capsys):
    assert main(["--check", "--app", "nonsense"]) == 2
    assert "meal_planner" in capsys.readouterr().err
