"""Which files are the application's own."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import knitbone.samples
from knitbone.common.ownership import (
    is_installed,
    is_library,
    is_ours,
    is_own,
    is_standard,
    python_files,
)

FOREIGN = ["site-packages", "dist-packages", "__pypackages__", "node_modules", "__pycache__"]
FOLDERS = st.sampled_from(
    [*FOREIGN, ".venv", ".hidden", "build", "env", "app", "my-packages", "site", "lib.egg"]
)
PLACES = st.lists(FOLDERS, max_size=4).map(lambda parts: "/".join([*parts, "module.py"]))


@given(st.sets(PLACES, min_size=1, max_size=8))
def test_the_files_that_are_found_are_the_ones_that_are_own(places):
    with tempfile.TemporaryDirectory() as made:
        root = os.path.realpath(made)
        for place in places:
            Path(root, place).parent.mkdir(parents=True, exist_ok=True)
            Path(root, place).touch()
        every = {str(Path(root, place)) for place in places}
        own = {file for file in every if is_own(file, root)}
        assert {str(path) for path in python_files(root, with_builds=True)} == own
        assert own == {file for file in every if is_own(file, root + os.sep)}
        assert {str(path) for path in python_files(root)} == {
            file for file in own if not {"build", "env"} & set(Path(file).parts)
        }
        for file in every:
            hidden = any(part.startswith(".") for part in Path(file).relative_to(root).parts)
            assert (file in own) != (hidden or bool(set(FOREIGN) & set(Path(file).parts)))


@given(PLACES, PLACES)
def test_what_lies_above_a_root_does_not_count(above, below):
    root = f"/{above.removesuffix('module.py')}project"
    assert is_own(f"{root}/{below}", root) == is_own(f"/project/{below}", "/project")
    assert not is_own(f"{root}s/{below}", root)


def test_a_file_that_is_named_outright_is_own_wherever_it_lies():
    assert is_own("/a/site-packages/tool.py", "/b", "/a/site-packages/tool.py")


def test_libraries_are_those_of_python_and_those_that_are_installed():
    standard, installed = os.path.realpath(json.__file__), os.path.realpath(pytest.__file__)
    assert is_standard(standard)
    assert not is_installed(standard)
    assert is_installed(installed)
    assert not is_standard(installed)
    assert is_library(standard)
    assert is_library(installed)
    assert not is_library(os.path.realpath(__file__))


def test_the_samples_are_applications():
    assert is_ours(os.path.realpath(knitbone.__file__))
    assert not is_ours(os.path.realpath(knitbone.samples.__file__))


def test_an_environment_is_skipped_whatever_its_name(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pyvenv.cfg").touch()
    (tmp_path / "mine" / "module.py").touch()
    (tmp_path / "main.py").touch()
    assert list(python_files(tmp_path)) == [tmp_path / "main.py"]
