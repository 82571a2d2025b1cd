"""``knitbone repair``: standard output is JSON, the rest is words on standard error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import knitbone
from knitbone.cli.app import group
from knitbone.errors import KnitboneError

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
TOOL = {"type": "function", "function": {"name": "enter", "parameters": PERSON}}
STEERING = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Code points that move a cursor, change colours or reorder what is read."""


def call(*arguments: Any, text: str | bytes = "") -> Result:
    return CliRunner().invoke(group, ["repair", *map(str, arguments)], input=text)


def wrong_use(*arguments: Any, text: str | bytes = "") -> str:
    """The message of an error that ends with exit code 2 (``main`` prints it)."""
    done = call(*arguments, text=text)
    assert not done.stdout
    if isinstance(done.exception, KnitboneError):
        return str(done.exception)
    assert done.exit_code == 2
    return done.stderr


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.txt"
    path.write_text("Sure:\n{name: 'Ada', \"age\": 36,}\n", encoding="utf-8")
    return path


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_the_value_goes_to_standard_output_and_the_edits_to_standard_error(answer: Path) -> None:
    done = call(answer)
    assert done.exit_code == 0
    assert done.stdout == '{"name": "Ada", "age": 36}\n'
    edits = knitbone.repair(answer.read_text()).edits
    assert len(done.stderr.splitlines()) == len(edits) > 3
    assert "line 2, column 24: trailing comma removed: , -> nothing\n" in done.stderr


@pytest.mark.parametrize("schema", [PERSON, TOOL])
def test_a_schema_or_a_tool_says_what_is_wanted(tmp_path: Path, schema: Any) -> None:
    path = written(tmp_path / "schema.json", schema)
    done = call("-", "--schema", path, text='{"Name": "Ada", "age": "36"}')
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"name": "Ada", "age": 36})
    refused = call("-", "--schema", path, text='{"name": "Ada"}')
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == 'refused: the value: the key "age" is missing\n'


def test_keys_say_what_is_wanted() -> None:
    assert json.loads(call("-", "--keys", "a, b", text='{"A": 1, "b": 2}').stdout) == {
        "a": 1,
        "b": 2,
    }
    assert call("-", "--keys", "a,c", text='{"a": 1, "b": 2}').exit_code == 1


def test_a_format_may_be_named_beside_a_schema(tmp_path: Path) -> None:
    path = written(tmp_path / "schema.json", {"type": "object", "required": ["a"]})
    arguments = ("-", "--format", "python", "--schema", path)
    assert json.loads(call(*arguments, text="{'a': None}").stdout) == {"a": None}
    assert call(*arguments, text="{'b': None}").exit_code == 1


@pytest.mark.parametrize("text", ["{a: 1,\n 'b': [1.50, null]}", "", "no value", '{"a": "x"y"}'])
def test_json_prints_the_whole_record(text: str) -> None:
    done = call("-", "--json", text=text)
    result = knitbone.repair(text)
    assert done.exit_code == (0 if result.ok else 1)
    assert not done.stderr
    assert done.stdout.count("\n") == 1, "one object a line"
    record = json.loads(done.stdout)
    assert record.keys() == {"ok", "value", "text", "edits", "refusal", "complete"}
    assert (record["ok"], record["value"]) == (result.ok, result.value)
    assert (record["text"], record["refusal"]) == (result.text, result.refusal)
    assert [edit["rule"] for edit in record["edits"]] == [edit.rule for edit in result.edits]


def test_numbers_keep_their_spelling_and_the_document_its_layout() -> None:
    text = '{"price": 1.50,\n "big": 1e99, "id": 12345678901234567890123}'
    assert call("-", text=text).stdout == text + "\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{1: 2, '1': 3}", "stands twice"), ("{'a': b'x'}", "bytes"), ("{'a': 1e999}", "float")],
)
def test_what_json_cannot_hold_is_refused(text: str, reason: str) -> None:
    for arguments in (("-",), ("-", "--json")):
        done = call(*arguments, "--format", "python", text=text)
        assert done.exit_code == 1
        assert reason in done.output


def test_wrong_use_is_named(tmp_path: Path, answer: Path) -> None:
    assert "Missing argument" in wrong_use()
    assert "nowhere cannot be read: No such file" in wrong_use("nowhere")
    assert "Is a directory" in wrong_use(tmp_path)
    assert "exclude each other" in wrong_use("-", "--schema", "s", "--keys", "a")
    assert "empty key" in wrong_use("-", "--keys", "a,,b")
    assert "'foo'" in wrong_use("-", "--format", "foo")
    for schema, message in [
        ("{", "is no JSON"),
        ("[1]", "holds list, not an object"),
        ({"type": "strin"}, "'strin' at # is no type"),
        ({"name": "Ada"}, "no keywords of JSON Schema"),
        ({"$ref": "https://example.com/s"}, "leads out"),
        ({"properties": {"a": 1}}, "#/properties/a"),
    ]:
        path = written(tmp_path / "schema.json", schema)
        assert message in wrong_use(answer, "--schema", path), schema


def test_what_is_not_utf_8_is_named_with_its_place() -> None:
    latin = b'{"a": "\xe9"}'
    assert "standard input is not in UTF-8: byte 0xe9 at offset 7." in wrong_use("-", text=latin)
    marked = b"\xef\xbb\xbf" + latin
    assert "byte 0xe9 at offset 10." in wrong_use("-", text=marked)
    assert "iconv -f UTF-16" in wrong_use("-", text='{"a": 1}'.encode("utf-16"))
    assert call("-", text=b'\xef\xbb\xbf{"a": 1}').stdout == '{"a": 1}\n'


hostile = st.text(
    st.sampled_from([*map(chr, STEERING), *'ab"{}[]:,\\', "é", "\u2028"]), max_size=12
)


@given(hostile, hostile, st.booleans())
def test_hostile_text_does_not_steer_the_terminal(key: str, value: str, broken: bool) -> None:
    text = json.dumps({key: value}, ensure_ascii=False)
    text = text[:-1] + ",}" if broken else f'{{"{key}": "{value}",}}'
    done = call("-", text=text)
    assert done.exit_code in (0, 1)
    for stream in (done.stdout, done.stderr):
        assert not {ord(c) for c in stream} & {*STEERING} - {0x0A, 0x09, 0x0D}
    if done.exit_code == 0:
        assert json.loads(done.stdout) == knitbone.repair(text).value


def test_the_command_ends_with_its_exit_codes_and_errors_as_json(tmp_path: Path) -> None:
    for text, flags, code in [("{a: 1}", [], 0), ("", [], 1), ("\xff", ["--json"], 2)]:
        done = subprocess.run(
            [sys.executable, "-m", "knitbone", "repair", "-", *flags],
            input=text.encode("latin-1"), capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert b"Traceback" not in done.stderr
        assert bool(done.stdout) is (code == 0)
        if code == 2:
            assert "offset 0" in json.loads(done.stderr)["error"]["message"]
