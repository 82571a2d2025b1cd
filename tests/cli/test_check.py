"""``knitbone check`` on small applications, as a person and as a machine reads it."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from knitbone.cli.check import command
from knitbone.errors import InputFormatError, TargetError

GUIDE = (Path(__file__).parents[2] / "docs" / "how-to" / "check.md").read_text(encoding="utf-8")
APP = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)[1]
SOURCE = """\
import json, re, knitbone

@knitbone.source
def ask(q): ...

def rows(q):
    return re.findall(r"^- (.+)$", ask(q), re.M)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "plan.py").write_text(APP)
    return tmp_path


def check(*arguments, code=0):
    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def records(*arguments, kind=None):
    found = [json.loads(line) for line in check(*arguments, "--json").splitlines()]
    return [record for record in found if kind in (None, record["kind"])]


def change(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def transcript(command_line):
    return re.search(rf"```text\n\$ {re.escape(command_line)}\n(.*?)```", GUIDE, re.DOTALL)[1]


def test_the_guide_shows_what_is_printed(folder):
    assert check("app") == transcript("knitbone check app")
    check("app", "--write")
    written = (folder / "knitbone.requirements.toml").read_text()
    assert re.search(r"```toml\n(.*?)\n```", GUIDE, re.DOTALL)[1] in written
    change(folder / "app" / "plan.py", '"score"', '"points"')
    assert check("app", "--diff", code=1) == transcript("knitbone check app --diff")


def test_writing_twice_and_anew_gives_the_same_bytes_and_no_drift(folder):
    path = folder / "knitbone.requirements.toml"
    assert "Wrote knitbone.requirements.toml: 2 sites" in check("app", "--write")
    first = path.read_bytes()
    assert check("app", "--diff").startswith("0 differences between")
    check("app", "--write")
    assert path.read_bytes() == first
    path.unlink()
    check("app", "--write")
    assert path.read_bytes() == first


def test_the_file_wins_in_the_report(folder):
    check("app", "--write")
    change(folder / "knitbone.requirements.toml", "keys = [\"score: integer-like\"]",
           'keys = ["grade: string"]')  # fmt: skip
    output = check("app")
    assert "{grade: string}" in output
    assert "Requirements as reviewed in knitbone.requirements.toml." in output
    assert "1 kept as a person left them" in check("app", "--write")
    assert "{grade: string}" in check("app")


def test_a_site_that_the_file_ignores_is_shown_as_switched_off(folder):
    check("app", "--write")
    change(folder / "knitbone.requirements.toml", 'function = "grade"',
           'function = "grade"\nignore = true')  # fmt: skip
    output = check("app")
    assert "not adapted switched off in the requirements file" in output
    assert "key not in the prompt" not in output


def test_diff_without_a_file_and_a_broken_file_are_errors(folder):
    with pytest.raises(InputFormatError, match="knitbone check app --write"):
        check("app", "--diff")
    (folder / "knitbone.requirements.toml").write_text("schema = 1\nsitee = 3\n")
    with pytest.raises(InputFormatError, match="did you mean 'site'"):
        check("app")


def test_the_file_can_lie_elsewhere(folder):
    (folder / "etc").mkdir()
    check("app", "--write", "--requirements", "etc/mine.toml")
    text = (folder / "etc" / "mine.toml").read_text()
    assert 'file = "../app/plan.py"' in text
    assert check("app", "--diff", "--requirements", "etc/mine.toml").startswith("0 differences")


def test_a_stale_site_is_kept_and_noted(folder):
    check("app", "--write")
    plan = folder / "app" / "plan.py"
    plan.write_text(plan.read_text().replace("def grade", "def mark"))
    assert "the code has no such site any more" in check("app", "--diff", code=1)
    assert "1 stale" in check("app", "--write")
    assert check("app", "--diff").startswith("0 differences")
    assert "app/plan.py  stale site: grade: client.chat.completions.create" in check("app")


def test_json_has_the_documented_fields(folder):
    kinds = records("app")
    first, second = (record for record in kinds if record["kind"] == "site")
    documented = re.search(r"\| `site` \| (.*?) \|\n", GUIDE)[1]
    assert set(first) - {"kind"} == set(re.findall(r"`(\w+)`", documented))
    assert (first["file"], first["line"], first["function"]) == ("app/plan.py", 20, "plan")
    assert first["prompt"]["agrees"] is True
    requirement = first["requirements"][0]
    assert requirement["kind"] == "positional"
    assert requirement["evidence"] == {
        "file": "app/plan.py", "line": 22, "expression": "ROW.match(line)",
    }  # fmt: skip
    assert requirement["record"]["type"] == "positional"
    assert {r["kind"] for r in second["requirements"]} == {"structured", "scenario"}
    key = next(f for f in second["findings"] if f["id"] == "key-not-in-the-prompt")
    assert re.fullmatch(r"[0-9a-f]{16}", key["fingerprint"])
    assert (key["severity"], key["silenced"]) == ("error", None)
    (entry,) = [record for record in kinds if record["kind"] == "entry"]
    assert (entry["function"], entry["sites"]) == ("plan", 1)
    assert kinds[-1]["kind"] == "summary"
    assert kinds[-1]["root"] == str(folder)


def test_drift_and_writing_as_json(folder):
    (written,) = records("app", "--write")
    assert (written["kind"], written["sites"], written["kept"]) == ("written", 2, 0)
    change(folder / "app" / "plan.py", '"score"', '"points"')
    (line,) = check("app", "--diff", "--json", code=1).splitlines()
    drift = json.loads(line)
    assert (drift["kind"], drift["change"], drift["function"]) == ("change", "changed", "grade")
    assert "score" in drift["written"]
    assert "points" in drift["read"]


def test_the_page_is_written_beside_what_is_printed(folder):
    told = check("app", "--html", "page.html")
    assert told.replace("Wrote page.html\n", "") == check("app")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "2</b> places" in page
    assert "<pre>knitbone check app --write</pre>" in page
    assert "without --write" in check("app", "--html", "page.html", "--write", code=2)
    with pytest.raises(InputFormatError, match="cannot be written"):
        check("app", "--html", "nowhere/page.html")


def test_sarif_goes_to_a_file_or_to_standard_output(folder):
    assert "2 sites" in check("app", "--sarif=out.sarif")
    log = json.loads((folder / "out.sarif").read_text())
    assert log["version"] == "2.1.0"
    assert json.loads(check("app", "--sarif")) == log
    before = (folder / "app" / "plan.py").read_text()
    assert "--sarif=FILE" in check("app", "--sarif", "app/plan.py", code=2)
    assert (folder / "app" / "plan.py").read_text() == before


def test_fail_on_counts_what_is_neither_ignored_nor_accepted(folder):
    check("app", "--fail-on", "error", code=1)
    assert "3 findings" in check("app")
    plan = folder / "app" / "plan.py"
    loads = 'json.loads(answer)["score"])'
    change(plan, loads, f"{loads}  # knitbone: ignore[key-not-in-the-prompt]")
    assert "2 findings (1 silenced)" in check("app", "--fail-on", "error")
    check("app", "--fail-on", "warning", code=1)
    assert "Wrote knitbone.baseline.json: 2 findings." in check("app", "--write-baseline")
    assert "0 findings (3 silenced)" in check("app", "--fail-on", "note", "--strict-suppressions")


def test_strict_suppressions_refuses_what_silences_nothing(folder):
    change(folder / "app" / "plan.py", "import re\n", "import re  # knitbone: ignore\n")
    assert "app/plan.py:2  unused suppression: nothing here to ignore" in check("app")
    check("app", "--strict-suppressions", code=1)


def test_a_baseline_that_is_named_has_to_be_there(folder):
    with pytest.raises(InputFormatError, match="cannot be read as a baseline"):
        check("app", "--baseline", "none.json")


def test_options_that_exclude_each_other_are_refused(folder):
    assert "exclude each other" in check("app", "--write", "--diff", code=2)
    assert "standard output" in check("app", "--json", "--sarif", code=2)
    assert "findings" in check("app", "--diff", "--sarif=out.sarif", code=2)
    assert "findings" in check("app", "--write", "--fail-on", "warning", code=2)


@pytest.mark.parametrize("task", ["--write", "--diff", "--write-baseline"])
def test_nothing_is_written_of_code_that_cannot_be_read(folder, task):
    (folder / "broken.py").write_text("def broken(:\n")
    check("broken.py", task, code=2)
    assert not (folder / "knitbone.requirements.toml").exists()


def test_a_requirements_file_behind_a_link_is_written_through_it(folder):
    real = folder / "shared.toml"
    check("app", "--write", "--requirements", str(real))
    link = folder / "mine.toml"
    link.symlink_to(real)
    real.write_text(real.read_text() + "\n")
    check("app", "--write", "--requirements", str(link))
    assert link.is_symlink()
    assert not real.read_text().endswith("\n\n")


def test_sites_without_a_consumer_are_listed_at_the_end(folder):
    (folder / "chat.py").write_text(
        "import knitbone\nfrom openai import OpenAI\n\n@knitbone.adapt\ndef chat(q):\n"
        "    r = OpenAI().responses.create(model='m', input=q)\n    print(r.output_text)\n"
    )
    output = check("chat.py")
    head, _, tail = output.partition("No code was found that reads the output of:\n")
    assert "consumed at" not in head
    assert re.match(r"  chat.py:[67]  .*OpenAI\(\).responses.create", tail)
    assert "chat.py:4  @knitbone.adapt on chat: reaches no answer with a known" in output


NAMES = "consistent_lexical_features, succinct_content, no_contextual_redundancy"


def test_what_is_off_is_said_once_a_site_and_how_to_switch_it_on(folder):
    (folder / "chat.py").write_text(SOURCE + "\ndef say(q):\n    print(ask(q))\n")
    off = f"  off         {NAMES}  [adapt.scenario]\n"
    output = check("chat.py")
    assert output.count(off) == 2  # below the site with a consumer, and below the list of others
    assert output.count("adapt.scenario") == 2
    (site, other) = records("chat.py", kind="site")
    assert site["off"] == other["off"] == NAMES.split(", ")
    (folder / "knitbone.toml").write_text('[adapt]\nscenario = ["all"]\n')
    words = NAMES.replace("_", " ")
    assert check("chat.py").count(f"  also        {words}  [scenario]\n") == 2
    (folder / "knitbone.toml").write_text('[adapt]\nscenario = ["declared", "succinct_content"]\n')
    output = check("chat.py")
    assert "  also        succinct content  [scenario]\n" in output
    assert off.replace("succinct_content, ", "") in output


@pytest.mark.parametrize("setting", ["", 'scenario = ["all"]', 'scenario = ["declared"]'])
def test_a_file_of_the_former_default_shows_no_drift(folder, setting):
    (folder / "knitbone.toml").write_text('[adapt]\nscenario = ["all"]\n')
    check("app", "--write")
    written = (folder / "knitbone.requirements.toml").read_bytes()
    (folder / "knitbone.toml").write_text(f"[adapt]\n{setting}\n")
    assert check("app", "--diff").startswith("0 differences between")
    check("app", "--write")
    assert (folder / "knitbone.requirements.toml").read_bytes() == written


def test_many_files_are_grouped(folder):
    for name in "abcd":
        (folder / "app" / f"{name}.py").write_text(SOURCE)
    output = check("app")
    assert "== app/a.py: 1 site, 1 finding" in output
    assert "== " not in check("app/a.py", "app/b.py")


def test_a_long_path_is_said_once_a_site(folder):
    deep = folder / "a_folder_with_a_long_name" / "another_folder"
    deep.mkdir(parents=True)
    (deep / "module.py").write_text(SOURCE)
    output = check(str(deep.relative_to(folder)))
    assert "a_folder_with_a_long_name/another_folder/module.py:7  ask(q)" in output
    assert "  consumed at module.py:7  re.findall" in output


def test_alternatives_are_shown_as_such(folder):
    (folder / "either.py").write_text(
        SOURCE
        + "\ndef either(q):\n    answer = ask(q)\n    try:\n        return json.loads(answer)\n"
        "    except ValueError:\n        import ast\n        return ast.literal_eval(answer)\n"
    )
    output = check("either.py")
    assert re.search(r"  either      JSON.*\n.*\n  or          Python literal", output)


def test_what_one_alternative_demands_besides_is_told(folder):
    (folder / "branches.py").write_text(
        "import re, knitbone\n@knitbone.source\ndef ask(): ...\ndef step():\n"
        "    out = ask()\n"
        "    action = re.search(r'^Action: (.*)$', out, re.M)\n"
        "    argument = re.search(r'^Action Input: (.*)$', out, re.M)\n"
        "    final = re.search(r'^Final Answer: (.*)', out, re.M)\n"
        "    if final:\n        return final[1]\n"
        "    if action and argument:\n        return action[1], argument[1]\n",
        encoding="utf-8",
    )
    words = re.findall(
        r"^  (either|and|or) +one record: \"([\w ]+)", check("branches.py"), re.MULTILINE
    )
    assert words == [("either", "Action"), ("and", "Action Input"), ("or", "Final Answer")]


def test_a_site_at_the_top_level_says_why_the_decorator_does_not_reach_it(folder):
    (folder / "script.py").write_text(SOURCE + '\nprint(re.findall(r"^- (.+)$", ask(1), re.M))\n')
    assert "not adapted it stands at the top level of its module" in check("script.py")


def test_a_syntax_error_is_reported_and_the_other_files_are_read(folder):
    (folder / "app" / "broken.py").write_text("def f(:\n")
    (folder / "app" / "binary.py").write_bytes(b"\xff\xfe\x00")
    output = check("app")
    assert "app/broken.py  cannot be read: line 1: " in output
    assert "app/binary.py  cannot be read: " in output
    assert "app/plan.py:20" in output


def test_where_no_file_can_be_read_the_exit_code_says_so(folder):
    (folder / "broken.py").write_text("def f(:\n")
    assert "broken.py  cannot be read: line 1: " in check("broken.py", code=2)
    check("broken.py", "--json", code=2)


def test_a_file_that_cannot_be_read_makes_nothing_stale(folder):
    check("app", "--write")
    before = (folder / "knitbone.requirements.toml").read_bytes()
    (folder / "app" / "plan.py").write_text("def f(:\n")
    check("app", "--write", code=2)
    assert (folder / "knitbone.requirements.toml").read_bytes() == before


def test_the_application_is_never_imported(folder):
    (folder / "app" / "danger.py").write_text("raise SystemExit('imported')\n")
    assert "app/plan.py:20" in check("app")


def test_a_module_is_found_by_its_dotted_name(folder):
    assert "app/plan.py:20" in check("app.plan")


HOSTILE = "\x1b[31m\u202e[bold]\u2028\x07"


def test_hostile_text_in_source_prompt_comment_and_file_reaches_no_terminal(folder):
    (folder / "evil.py").write_text(
        SOURCE + f"\ndef f(q):\n    answer = ask('JSON {HOSTILE}' + q)  # knitbone: {HOSTILE}\n"
        f"    return re.findall('^{HOSTILE}: (.*)$', answer)\n"
    )
    check("evil.py", "--write")
    path = folder / "knitbone.requirements.toml"
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202e]", path.read_text())
    change(folder / "evil.py", ": (.*)$", f": (.*){HOSTILE}$")
    output = check("evil.py") + check("evil.py", "--diff", code=1)
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202e]", output)
    assert "[bold]" in output
    assert "\\u202e" in output


def test_halves_of_surrogate_pairs_in_the_source_are_carried(folder):
    (folder / "half.py").write_text(
        SOURCE + "\ndef f(q):\n    return ask(q).split('\\ud800')\n"
        "def g(q):\n    return re.findall('^\\ud800: (.*)$', ask(q), re.M)\n"
    )
    check("half.py", "--write")
    assert check("half.py", "--diff").startswith("0 differences")
    check("half.py")
    (split, *_) = [r for r in records("half.py", kind="site") if r["function"] == "f"]
    assert "\\ud800" in json.dumps(split["requirements"], ensure_ascii=False)


def test_a_wrong_path_says_what_to_name(folder):
    with pytest.raises(TargetError, match="is no file, folder or module"):
        check("nowhere.py")
