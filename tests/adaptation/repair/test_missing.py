"""What is not checked for want of a library is said, once, with what to install."""

import logging
import sys
from pathlib import Path

import msgspec
import pytest

from knitbone.adaptation import report
from knitbone.adaptation.repair.missing import forget_missing, missing_extras, note_missing
from knitbone.adaptation.scenario.lexical import features as lexical
from knitbone.adaptation.testing import ProcessReport, merge_reports, process_report
from knitbone.cli import run
from knitbone.errors import MissingExtraError

ERROR = MissingExtraError("Spelling needs 'words'.", next_step='pip install "knitbone[language]"')


@pytest.fixture(autouse=True)
def _fresh():
    forget_missing()
    yield
    forget_missing()


def test_a_missing_library_is_logged_once(caplog):
    with caplog.at_level(logging.WARNING, logger="knitbone"):
        note_missing(ERROR)
        note_missing(ERROR)
    assert len(caplog.records) == 1
    assert missing_extras() == (str(ERROR),)
    assert report().missing == missing_extras()


def test_a_syntax_whose_parser_is_missing_is_named(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    app = load(
        """
        import subprocess
        import knitbone

        @knitbone.source
        def ask(): return "```\\necho hi\\n```"

        @knitbone.adapt
        def f(): return subprocess.run(ask(), shell=True)
        """
    )
    app.f()
    (reason,) = report().missing
    assert "tree_sitter" in reason
    assert "knitbone[syntax]" in reason


def test_spelling_without_its_words_is_named(load, monkeypatch, every_scenario):
    def spellings():
        raise ERROR

    monkeypatch.setattr(lexical, "spellings", spellings)
    app = load(
        """
        import knitbone

        @knitbone.source
        def ask(): return "The color."

        @knitbone.adapt
        def f(): return ask()
        """
    )
    assert app.f() == "The color."
    assert report().missing == (str(ERROR),)


def test_a_launched_program_says_what_its_processes_missed(capsys):
    note_missing(ERROR)
    part = msgspec.json.decode(process_report(complete=False), type=ProcessReport)
    outcome = merge_reports([part, part])
    assert outcome.missing == (str(ERROR),)
    run._print(outcome, "repair", [Path("unused.json")])
    assert "not checked: Spelling needs 'words'." in capsys.readouterr().err
