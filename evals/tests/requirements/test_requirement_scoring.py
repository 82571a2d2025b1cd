"""Matching of labels and reports, on a made-up application."""

import json
from typing import NamedTuple

import msgspec
import pytest

from knitbone.adaptation.testing import (
    ContextRule,
    Element,
    Evidence,
    ParserSyntax,
    PositionalTemplate,
    Unknown,
)
from knitbone_evals.adapt.requirements import __main__ as command
from knitbone_evals.adapt.requirements.evaluate import Measured, evaluate, measure
from knitbone_evals.adapt.requirements.intervals import share
from knitbone_evals.adapt.requirements.labels import AppLabels, ConsumerLabel, SiteLabel
from knitbone_evals.adapt.requirements.scoring import extract, score
from knitbone_evals.adapt.requirements.table import render, render_differences


class Site(NamedTuple):
    origin_file: str
    origin_line: int
    origin_end_line: int
    requirements: tuple = ()
    kind: str = "chat"
    other_origins: tuple = ()

    @property
    def file(self):
        return self.origin_file

    @property
    def line(self):
        return self.origin_line


@pytest.fixture
def app(tmp_path):
    (tmp_path / "app.py").write_text("\n" * 50, encoding="utf-8")
    (tmp_path / "other.py").write_text("\n" * 50, encoding="utf-8")
    return tmp_path


CALL = SiteLabel(file="app.py", line=5, kind="chat")


def labels(*consumers, sites=(CALL,)):
    return AppLabels(
        split="development", scope=("app.py",), package="p", version="1", site=sites,
        consumer=consumers,
    )  # fmt: skip


def consumer(line, kind="positional", end_line=None, **facts):
    return ConsumerLabel(
        sites=("app.py:5",), file="app.py", line=line, end_line=end_line, kind=kind, facts=facts
    )


def word(app, line, text, *, confidence="high", file="app.py"):
    return PositionalTemplate(
        elements=(Element(kind="words", text=text, options=(text,)),),
        evidence=Evidence(file=str(app / file), line=line, expression="..."),
        confidence=confidence,
    )


def judged(app, sites, written):
    return score(written, *extract(sites, app, [app / "app.py"]))


def rights(found):
    return [each.right for each in found]


def test_a_site_matches_on_any_line_of_its_call_and_only_its_kind(app):
    call = Site(str(app / "app.py"), 4, 6)
    assert rights(judged(app, [call], labels()).site_labels) == [True]
    for other in (call._replace(kind="retriever"), call._replace(origin_end_line=4)):
        result = judged(app, [other], labels())
        assert (rights(result.site_labels), rights(result.sites_found)) == ([False], [False])


def test_a_marked_function_is_a_model(app):
    call = Site(str(app / "app.py"), 5, 5, kind="source")
    assert rights(judged(app, [call], labels()).site_labels) == [True]


def test_a_call_that_is_reported_twice_counts_once(app):
    call = Site(str(app / "app.py"), 5, 5)
    assert rights(judged(app, [call, call], labels()).sites_found) == [True]


def test_a_requirement_matches_on_the_lines_of_the_label_with_its_facts(app):
    found = (word(app, 11, "yes"), word(app, 20, "no"), word(app, 30, "end"))
    result = judged(
        app,
        [Site(str(app / "app.py"), 5, 5, found)],
        labels(consumer(10, end_line=12, one_of=["yes"]), consumer(20, one_of=["maybe"])),
    )
    assert rights(result.requirement_labels) == [True, False]
    assert rights(result.requirements_found) == [True, False, False]
    shown = [each.shown for each in result.requirements_found]
    assert "at a label of other facts" in shown[1]
    assert "at no label" in shown[2]


def test_one_label_takes_one_report_only(app):
    found = (word(app, 10, "yes"), word(app, 11, "yes"))
    sites = [Site(str(app / "app.py"), 5, 5, found)]
    result = judged(app, sites, labels(consumer(10, end_line=11, one_of=["yes"])))
    assert sorted(rights(result.requirements_found)) == [False, True]


def test_as_many_pairs_as_can_be_made(app):
    found = (word(app, 10, "yes"), word(app, 11, "yes"))
    written = labels(consumer(9, end_line=12, one_of=["yes"]), consumer(10, one_of=["yes"]))
    result = judged(app, [Site(str(app / "app.py"), 5, 5, found)], written)
    assert rights(result.requirement_labels) == [True, True]


def test_the_same_requirement_of_two_sites_is_one(app):
    sites = [Site(str(app / "app.py"), line, line, (word(app, 10, "yes"),)) for line in (5, 7)]
    assert rights(judged(app, sites, labels(consumer(10, one_of=["yes"]))).requirements_found) == [
        True
    ]


def test_settings_may_have_the_site_as_their_evidence(app):
    evidence = Evidence(file=str(app / "app.py"), line=5, expression="retriever.invoke(...)")
    rule = ContextRule(k=4, retriever="r", evidence=evidence)
    site = Site(str(app / "app.py"), 5, 5, (rule,), "retriever")
    written = labels(
        consumer(30, "context", k=4), sites=(SiteLabel(file="app.py", line=5, kind="retriever"),)
    )
    assert rights(judged(app, [site], written).requirement_labels) == [True]
    sql = ParserSyntax(language="sql", parser="execute", evidence=evidence)
    other = labels(consumer(30, "syntax", language="sql"))
    result = judged(app, [site._replace(requirements=(sql,))], other)
    assert rights(result.requirement_labels) == [False]


def test_what_lies_out_of_scope_or_is_unknown_does_not_count(app):
    unknown = Unknown(
        reason="?", evidence=Evidence(file=str(app / "app.py"), line=9, expression="f(x)")
    )
    far = Site(str(app / "other.py"), 3, 3, (word(app, 4, "yes", file="other.py"),))
    near = Site(str(app / "app.py"), 5, 5, (unknown,))
    result = judged(app, [far, near], labels())
    assert (len(result.sites_found), len(result.requirements_found)) == (1, 0)


def test_a_requirement_in_a_file_that_is_not_labelled_does_not_count(app):
    found = (word(app, 11, "yes", file="other.py"),)
    assert judged(app, [Site(str(app / "app.py"), 5, 5, found)], labels()).requirements_found == []


def test_further_calls_that_feed_a_site_count(app):
    call = Site(str(app / "other.py"), 1, 1, other_origins=((str(app / "app.py"), 5, 5),))
    assert rights(judged(app, [call], labels()).site_labels) == [True]


def test_what_is_debatable_counts_on_neither_side(app):
    open_site = msgspec.structs.replace(CALL, note="debatable: it could be none")
    open_label = msgspec.structs.replace(consumer(10, one_of=["yes"]), note="Debatable")
    found = (word(app, 10, "no"), word(app, 20, "no"))
    result = judged(
        app, [Site(str(app / "app.py"), 5, 5, found)], labels(open_label, sites=(open_site,))
    )
    assert (result.site_labels, result.sites_found, result.requirement_labels) == ([], [], [])
    assert [each.shown.split()[0] for each in result.requirements_found] == ["app.py:20"]


def test_the_table_holds_every_figure(app):
    found = (word(app, 10, "yes"), word(app, 20, "no"), word(app, 21, "so", confidence="low"))
    sites = [Site(str(app / "app.py"), 5, 5, found), Site(str(app / "app.py"), 8, 8)]
    one = judged(app, sites, labels(consumer(10, one_of=["yes"]), consumer(40, one_of=["x"])))
    result = evaluate([Measured(one, "1.0", 50, 0.1)])
    part = result["splits"]["development"]
    assert part["sites"]["all"]["recall"][0] == 1.0
    assert part["sites"]["all"]["precision"][0] == 0.5
    assert part["requirements"]["all"]["recall"][0] == 0.5
    assert part["requirements"]["positional"]["precision"][0] == 0.333
    assert part["requirements"]["fenced"]["recall"] is None
    assert part["wrong at high confidence"] == 1
    assert part["seconds per 10,000 lines"] == 20.0
    text = render(result)
    assert "| development | 1 | 50 | 1.00 [1.00, 1.00] (1) |" in text
    assert "Packages: p 1.0." in text
    assert render_differences([one]).splitlines() == [
        "p: false app.py:8 chat site",
        "p: missed app.py:40 positional {'one_of': ['x']}",
        "p: false app.py:20 positional {'identifiers': ['no'], 'one_of': [['no']], "
        "'repeated': [True]} (high), at no label",
        "p: false app.py:21 positional {'identifiers': ['so'], 'one_of': [['so']], "
        "'repeated': [True]} (low), at no label",
    ]


APPLICATION = """
from openai import OpenAI

def ask(prompt):
    answer = OpenAI().chat.completions.create(model="m", messages=[])
    return answer.choices[0].message.content.split("Answer:")[1]
"""


def test_an_application_is_analysed_from_its_installed_folder(tmp_path):
    folder = tmp_path / "p-1"
    folder.mkdir()
    (folder / "app.py").write_text(APPLICATION, encoding="utf-8")
    written = labels(consumer(6, identifiers=["Answer:"]))
    measured = measure(written, tmp_path)
    assert (measured.version, measured.lines) == ("1", 6)
    assert rights(measured.score.site_labels) == [True]
    assert rights(measured.score.requirement_labels) == [True]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Three installed applications, two of them hidden, each with a label that nothing matches."""
    chosen = []
    for name, split in (("p", "development"), ("q", "held-out"), ("r", "fresh")):
        (tmp_path / f"{name}-1").mkdir()
        (tmp_path / f"{name}-1" / "app.py").write_text(APPLICATION, encoding="utf-8")
        written = labels(consumer(6, identifiers=["Result:"]))
        chosen.append(msgspec.structs.replace(written, package=name, split=split))
    monkeypatch.setattr(command, "choose", lambda *_: chosen)
    monkeypatch.setattr(command, "RESULT", tmp_path / "result.json")
    return tmp_path


def test_single_results_of_the_hidden_parts_are_shown_on_demand_only(corpus, capsys):
    assert command.main(["--verbose", "--corpus", str(corpus)]) == 0
    said = capsys.readouterr().out
    assert "p: missed app.py:6" in said
    assert "q: " not in said
    assert "r: " not in said
    command.main(["--verbose", "--reveal", "--corpus", str(corpus)])
    said = capsys.readouterr().out
    assert "q: missed app.py:6" in said
    assert "r: missed app.py:6" in said


def test_only_a_whole_run_replaces_the_result(corpus, capsys):
    command.main(["--split", "held-out", "--corpus", str(corpus)])
    assert not (corpus / "result.json").exists()
    command.main(["--corpus", str(corpus)])
    result = json.loads((corpus / "result.json").read_text(encoding="utf-8"))
    assert set(result["splits"]) == {"development", "held-out", "fresh"}
    assert (corpus / "result.md").read_text(encoding="utf-8") in capsys.readouterr().out


def test_intervals_are_wider_where_applications_differ():
    alike = share([[True, False] * 10] * 6)
    apart = share([[True] * 20] * 3 + [[False] * 20] * 3)
    assert alike[0] == apart[0] == 0.5
    assert apart[2] - apart[1] > 2 * (alike[2] - alike[1])
    assert share([[], []]) is None
