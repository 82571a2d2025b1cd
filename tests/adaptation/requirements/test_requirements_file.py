"""The requirements file: lossless, the same bytes each time, and a person's edits stay."""

import re
from pathlib import Path

import msgspec
import pytest
from arbitrary_requirements import requirements as any_requirements
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knitbone.adaptation.requirements.file import (
    FILE_NAME,
    dump_requirements,
    find_requirements,
    load_requirements,
    save_requirements,
)
from knitbone.adaptation.requirements.merge import (
    apply_requirements,
    diff_requirements,
    merge_requirements,
    requirements_for,
)
from knitbone.adaptation.testing import (
    Element,
    Evidence,
    Field,
    ParserSyntax,
    PositionalTemplate,
    Reader,
    ScenarioRequirement,
    Shape,
    Site,
    Step,
    StructuredTemplate,
    Unknown,
)
from knitbone.config import AdaptConfig
from knitbone.errors import InputFormatError


def evidence(root, line=47, expression="line.partition('.')"):
    return Evidence(file=str(root / "app" / "plan.py"), line=line, expression=expression)


def site(root, *requirements, line=41, function="plan", expression="ask(goal)", **more):
    where = {
        "file": str(root / "app" / "plan.py"), "line": line, "column": 4, "end_line": line,
        "end_column": 20, "function": function, "expression": expression, "origin": "client.create",
        "origin_file": str(root / "app" / "plan.py"), "origin_line": 9, "origin_end_line": 9,
        "confidence": "high",
    }  # fmt: skip
    return Site(**where | more, requirements=requirements)


def numbered(root, **more):
    return PositionalTemplate(
        elements=(
            Element(kind="number", captured=True),
            Element(kind="delimiter", text=".", options=(".",)),
            Element(kind="slot", captured=True),
        ),
        reader=Reader(kind="split", method="partition", separator=".", steps=(Step("splitlines"),)),
        on_violation="silent",
        evidence=evidence(root, **more),
    )


def order(root, name="qty", line=60, expression="json.loads(s)"):
    item = Shape(
        type="object",
        fields=(Field(name=name, shape=Shape(type="integer", convertible=True)),),
    )
    return StructuredTemplate(
        format="json",
        parser="json.loads",
        shape=Shape(
            type="object",
            fields=(Field(name="items", shape=Shape(type="array", items=item)),),
        ),
        evidence=evidence(root, line=line, expression=expression),
        confidence="medium",
    )


def write(path, *sites):
    """As ``check --write`` does: what is there is merged."""
    present = load_requirements(path) if path.exists() else None
    merged = merge_requirements(sites, present, path, read={s.file for s in sites})
    save_requirements(merged)
    return path.read_text()


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "plan.py").write_text("")
    return tmp_path


@pytest.fixture
def path(root):
    return root / FILE_NAME


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(st.lists(any_requirements, max_size=4))
def test_whatever_is_written_loads_as_it_was(tmp_path, requirements):
    path = tmp_path / FILE_NAME
    path.unlink(missing_ok=True)
    here = site(tmp_path, *requirements)
    write(path, here)
    (applied,) = apply_requirements([site(tmp_path)], load_requirements(path)).sites
    if requirements:
        assert repr(applied.requirements) == repr(tuple(requirements))
    first = path.read_bytes()
    write(path, here)
    assert path.read_bytes() == first
    assert dump_requirements(load_requirements(path)).encode() == first


def test_the_file_reads_well(root, path):
    scenario = {"evidence": evidence(root, 41, "ask(goal)"), "confidence": "low"}
    written = write(
        path,
        site(
            root,
            numbered(root),
            order(root),
            ScenarioRequirement(name="succinct_content", **scenario),
            ScenarioRequirement(name="intact_text", **scenario),
        ),
    )
    body = re.sub(r'"[0-9a-f]{12}"', '"HASH"', written.partition("schema = 1\n")[2])
    # The words are those of ``describe``, tested where it is.
    body = re.sub(r'expects = ".*"', "expects = WORDS", body)
    assert (
        body
        == """
[[site]]
file = "app/plan.py"
function = "plan"
origin = "client.create"
expression = "ask(goal)"

[[site.requirement]]
kind = "positional"
expects = WORDS
evidence = "app/plan.py:47  line.partition('.')"
confidence = "high"
elements = ["number, captured", "delimiter '.'", "slot, captured"]
reader.kind = "split"
reader.method = "partition"
reader.separator = "."
reader.steps = ["splitlines()"]
on_violation = "silent"
generated = "HASH"

[[site.requirement]]
kind = "structured"
expects = WORDS
evidence = "app/plan.py:60  json.loads(s)"
confidence = "medium"
format = "json"
keys = ["items[].qty: integer-like"]
parser = "json.loads"
generated = "HASH"

[[site.requirement]]
kind = "scenario"
expects = WORDS
evidence = "app/plan.py:41  ask(goal)"
confidence = "low"
names = ["succinct_content", "intact_text"]
generated = "HASH"
"""
    )


def test_deleting_the_file_and_writing_again_gives_the_same_bytes(root, path):
    sites = [site(root, order(root), line=9), site(root, numbered(root), function="a", line=3)]
    first = write(path, *sites)
    path.unlink()
    assert write(path, *sites) == first
    assert first.index('"a"') < first.index('"plan"')
    assert str(root) not in first


def test_what_a_person_changed_wins_and_survives(root, path):
    write(path, site(root, numbered(root), order(root)))
    edit(path, "[].qty: integer-like", "[].quantity: integer")
    edit(path, 'confidence = "medium"', "confidence = 'high'   # reviewed by Ada")
    text = write(path, site(root, numbered(root, line=80), order(root, line=99)))
    assert "app/plan.py:80" in text  # what nobody edited follows the code
    assert "app/plan.py:60" in text
    assert "confidence = 'high'   # reviewed by Ada" in text
    (applied,) = requirements_for([site(root, numbered(root), order(root))], root / "app")
    assert applied.requirements[1].shape.fields[0].shape.items.fields[0].name == "quantity"
    assert diff_requirements([site(root, numbered(root), order(root))],
                             load_requirements(path), read=()) == []  # fmt: skip


def test_code_that_changes_under_an_edit_is_said_once_and_the_edit_stays(root, path):
    write(path, site(root, order(root)))
    edit(path, "[].qty: integer-like", "[].quantity: integer")
    changed = site(root, order(root, name="count"))
    (change,) = diff_requirements([changed], load_requirements(path), read=())
    assert change.kind == "overtaken"
    assert "quantity" in change.file
    assert "count" in change.code
    assert "quantity: integer" in write(path, changed)
    assert diff_requirements([changed], load_requirements(path), read=()) == []


def test_formatting_and_comments_are_no_edit_and_comments_stay(root, path):
    write(path, site(root, order(root)))
    text = path.read_text()
    text = text.replace('keys = ["items[].qty: integer-like"]',
                        "keys = [\n  # per piece\n  'items[].qty: integer-like',\n]")  # fmt: skip
    path.write_text(text.replace("[[site]]", "# Orders.\n[[site]]"))
    kept = write(path, site(root, order(root)))
    assert "  # per piece\n  'items[].qty" in kept
    assert "# Orders.\n[[site]]" in kept
    changed = write(path, site(root, order(root, name="count")))
    assert "items[].count: integer-like" in changed
    assert "qty" not in changed
    assert "# per piece\n[[site.requirement]]" in changed
    assert "# Orders.\n[[site]]" in changed


def test_ignored_sites_and_requirements_are_switched_off_and_stay_so(root, path):
    sites = [site(root, numbered(root), order(root)), site(root, order(root), function="other")]
    write(path, *sites)
    text = path.read_text()
    text = text.replace('function = "other"', 'function = "other"\nignore = true\nnote = "slow"')
    path.write_text(text.replace('kind = "positional"', 'kind = "positional"\nignore = true'))
    write(path, *sites)
    applied = apply_requirements(sites, load_requirements(path))
    assert [s.function for s in applied.sites] == ["plan"]
    assert applied.sites[0].requirements == (order(root),)
    assert applied.ignored == (sites[1],)
    assert 'note = "slow"' in path.read_text()
    assert diff_requirements(sites, load_requirements(path), read=()) == []


def test_a_requirement_written_by_hand_holds_and_stays(root, path):
    path.write_text(
        'schema = 1\n\n[[site]]\nfile = "app/plan.py"\nfunction = "plan"\n'
        'origin = "client.create"\n\n[[site.requirement]]\nkind = "syntax"\n'
        'source = "person"\nlanguage = "sql"\nparser = "run_query"\n'
    )
    here = site(root, numbered(root))
    write(path, here)
    write(path, here)
    (applied,) = apply_requirements([here], load_requirements(path)).sites
    by_hand, read = sorted(applied.requirements, key=lambda r: isinstance(r, PositionalTemplate))
    assert read == numbered(root)
    assert isinstance(by_hand, ParserSyntax)
    assert by_hand.language == "sql"
    assert by_hand.evidence.expression == "written by a person"
    assert path.read_text().count('source = "person"') == 1


def test_lines_and_prompts_shift_and_the_site_is_found(root, path):
    write(path, site(root, numbered(root)), site(root, order(root), line=50, expression="ask(b)"))
    moved = [site(root, line=400, expression="ask(b, 2)"), site(root, line=500)]
    applied = apply_requirements(moved, load_requirements(path)).sites
    # "ask(goal)" is found by its expression although another site stands before it now.
    assert [s.requirements for s in applied] == [(order(root),), (numbered(root),)]
    shifted = [site(root, numbered(root, line=470), line=410)]
    file = load_requirements(path)
    assert [c.kind for c in diff_requirements(shifted, file, read={shifted[0].file})] == ["gone"]


def test_a_site_that_disappeared_is_kept_as_stale_and_comes_back(root, path):
    first, second = site(root, numbered(root)), site(root, order(root), function="other")
    write(path, first, second)
    (gone,) = diff_requirements([first], load_requirements(path), read={first.file})
    assert (gone.kind, gone.site.function) == ("gone", "other")
    text = write(path, first)
    assert text.count("stale = true") == 1
    assert "items[].qty" in text
    assert diff_requirements([first], load_requirements(path), read={first.file}) == []
    kinds = [c.kind for c in diff_requirements([first, second], load_requirements(path), read=())]
    assert kinds == ["back"]
    assert "stale" not in write(path, first, second)


def test_sites_of_files_that_were_not_read_stay_as_they_are(root, path):
    (root / "app" / "other.py").write_text("")
    other = site(root, order(root), file=str(root / "app" / "other.py"))
    before = write(path, site(root, numbered(root)), other)
    assert write(path, site(root, numbered(root))) == before
    (root / "app" / "other.py").unlink()
    assert "stale = true" in write(path, site(root, numbered(root)))


def test_drift_is_added_removed_and_changed(root, path):
    write(path, site(root, numbered(root), order(root)))
    now = site(root, order(root, name="count"), Unknown(reason="no", evidence=evidence(root, 3)))
    changes = diff_requirements([now], load_requirements(path), read={now.file})
    assert sorted(c.kind for c in changes) == ["added", "changed", "removed"]
    assert {c.kind: c.code for c in changes}["changed"].count("count") == 1


def test_text_that_looks_like_something_else_is_escaped(root, path):
    text = write(path, site(root, numbered(root), expression="ask('\u202e\x1b[31m\u2028')"))
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202e]", text)
    assert load_requirements(path).sites[0].expression == "ask('\u202e\x1b[31m\u2028')"


def test_a_block_inside_a_string_is_no_block(root, path):
    write(path, site(root, numbered(root), order(root)))
    edit(path, 'kind = "structured"',
         'kind = "structured"\nnote = """\n[[site]]\n# no comment\n"""')  # fmt: skip
    text = write(path, site(root, numbered(root, line=48), order(root)))
    assert 'note = """\n[[site]]\n# no comment\n"""' in text
    assert len(load_requirements(path).sites) == 1


def test_entries_written_inline_are_read_and_kept(root, path):
    path.write_text(
        'schema = 1\n[[site]]\nfile = "app/plan.py"\nfunction = "plan"\norigin = "client.create"\n'
        'requirement = [{kind = "syntax", language = "sql", parser = "run", note = "mine"}]\n'
    )
    text = write(path, site(root, numbered(root)))
    assert 'note = "mine"' in text
    assert len(load_requirements(path).sites[0].entries) == 2


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("schema = 1", "schema = 7", "has schema = 7; this version of knitbone reads 1"),
        ("schema = 1", "schema = '1'", "has schema = '1'"),
        ("schema = 1", "schema = 1\nsites = 3", "'sites' is not a known key of the file; did you"),
        ("schema = 1", "schema =", "cannot be read: Invalid value (at line "),
        ('function = "plan"', "function = 3", "this [[site]] cannot be used: Expected `str`"),
        ('function = "plan"', 'functon = "plan"', "'functon' is not a known key of a [[site]]"),
        ('origin = "client.create"', "", "missing required field `origin`"),
        ('kind = "structured"', 'kind = "structurd"', "did you mean 'structured'?"),
        ('kind = "structured"', "", "the key 'kind' is missing"),
        ('format = "json"', 'format = "jsn"', "Invalid enum value 'jsn'"),
        ('format = "json"', 'formt = "json"', "key of a structured requirement; did you mean 'fo"),
        ("[].qty: integer-like", "[].qty: whole", "'whole' in 'items[].qty: whole' is not a type"),
        ('confidence = "medium"', "ignore = 1", "ignore = 1 is not bool"),
        ('confidence = "medium"', 'source = "me"', "'me' is not a known source"),
    ],
)
def test_what_cannot_be_used_says_where_and_what_to_do(root, path, old, new, why):
    write(path, site(root, order(root)))
    edit(path, old, new)
    with pytest.raises(InputFormatError) as raised:
        load_requirements(path)
    assert why in raised.value.message
    assert str(path) in raised.value.message
    assert raised.value.next_step
    if "requirement" in why:
        line = path.read_text().splitlines().index("[[site.requirement]]") + 1
        assert f"{path}:{line}: " in raised.value.message


def test_the_nearest_file_counts_up_to_the_root_of_the_repository(root):
    (root / FILE_NAME).write_text("schema = 1\n")
    assert find_requirements(root / "app") == (root / FILE_NAME).resolve()
    (root / "app" / ".git").mkdir()
    assert find_requirements(root / "app") is None
    here = [site(root, order(root))]
    assert requirements_for(here, root / "app") == tuple(here)


def test_a_file_that_cannot_be_written_says_so(root):
    file = merge_requirements([], None, Path(root / "missing" / FILE_NAME), read=())
    with pytest.raises(InputFormatError, match="cannot be written"):
        save_requirements(file)


def test_records_of_the_file_compare_equal_after_a_copy(root, path):
    write(path, site(root, numbered(root)))
    file = load_requirements(path)
    assert msgspec.structs.replace(file) == file


def scenario_names(root, path, config):
    """The scenario requirements that are looked at where the file has its say."""
    (applied,) = apply_requirements([site(root)], load_requirements(path)).sites
    acting = [r.name for r in applied.acting(config) if isinstance(r, ScenarioRequirement)]
    return acting, list(applied.left_out(config))


WORDING = ["consistent_lexical_features", "succinct_content", "no_contextual_redundancy"]


@pytest.fixture
def prose(root, path):
    """A file as it was written while everything was looked at by default."""
    here = evidence(root, 41, "ask(goal)")
    write(path, site(root, *(ScenarioRequirement(name=name, evidence=here) for name in WORDING)))
    return path


def test_what_the_analysis_wrote_of_the_scenario_waits_for_the_setting(root, prose):
    assert scenario_names(root, prose, AdaptConfig()) == ([], WORDING)
    assert scenario_names(root, prose, AdaptConfig(scenario=("all",))) == (WORDING, [])
    edit(prose, 'names = ["', '# ours\nnote = "we speak plainly"\nnames = ["')
    assert scenario_names(root, prose, AdaptConfig())[0] == []


@pytest.mark.parametrize("way", ["edited", "by a person"])
def test_what_a_person_wrote_of_the_scenario_acts_there(root, prose, way):
    if way == "edited":
        edit(prose, f'"{WORDING[0]}", "{WORDING[1]}", ', "")
    else:
        entry = f'kind = "scenario"\nnames = ["{WORDING[2]}"]\nsource = "person"\n'
        prose.write_text(prose.read_text() + "\n[[site.requirement]]\n" + entry)
    assert scenario_names(root, prose, AdaptConfig())[0][-1] == WORDING[2]
    assert WORDING[2] not in scenario_names(root, prose, AdaptConfig())[1]
    # The setting, where somebody gives it, has the last word.
    assert scenario_names(root, prose, AdaptConfig(scenario=()))[0] == []
    assert scenario_names(root, prose, AdaptConfig(scenario=("intact_text",)))[0] == []
    prose.write_text(
        prose.read_text().replace('kind = "scenario"', 'kind = "scenario"\nignore = true')
    )
    assert scenario_names(root, prose, AdaptConfig())[0] == []


def test_the_wording_of_what_a_parser_reads_is_nobodys(root):
    here = evidence(root, 41, "ask(goal)")
    wording = [ScenarioRequirement(name=name, evidence=here) for name in WORDING]
    parsed = site(root, order(root), *wording)
    assert parsed.acting(AdaptConfig(scenario=("all",))) == (order(root),)
    assert parsed.left_out(AdaptConfig()) == ()
