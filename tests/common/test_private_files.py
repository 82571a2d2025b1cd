"""Files of ours are their owner's alone."""

from __future__ import annotations

import os
import stat

import pytest

from knitbone.common.private_files import private_file, private_folder
from knitbone.record.events import Run
from knitbone.record.sqlite_store import SqliteStore


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def generous_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_store_and_the_files_beside_it_are_their_owners_alone(tmp_path):
    path = tmp_path / ".knitbone" / "runs.sqlite"
    store = SqliteStore(path)
    try:
        store.begin(Run(id="1"))
        files = [each for each in path.parent.iterdir() if each.name.startswith("runs")]
        assert len(files) > 1
        assert {mode(each) for each in files} == {0o600}
    finally:
        store.close()
    assert mode(path.parent) == 0o700
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_what_was_open_to_others_in_our_folder_is_closed(tmp_path):
    folder = tmp_path / ".knitbone"
    folder.mkdir(mode=0o755)
    path = folder / "x"
    path.touch(mode=0o644)
    private_file(path)
    assert (mode(folder), mode(path)) == (0o700, 0o600)
    assert (folder / ".gitignore").exists()


def test_folders_and_files_of_others_stay_as_they_are(tmp_path):
    folder = tmp_path / "team"
    folder.mkdir(mode=0o775)
    path = folder / "runs.sqlite"
    path.touch(mode=0o664)
    private_file(path)
    assert (mode(folder), mode(path)) == (0o775, 0o664)
    assert not (folder / ".gitignore").exists()


def test_only_the_topmost_new_folder_says_what_git_ignores(tmp_path):
    private_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / ".gitignore").exists()
    assert list((tmp_path / "a" / "b").iterdir()) == []
    assert mode(tmp_path / "a" / "b") == 0o700


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path):
    (tmp_path / "a").touch()
    with pytest.raises((FileExistsError, NotADirectoryError)):
        private_folder(tmp_path / "a" / "b")
