"""``--env`` and ``--setup``: a tool gets its key and its instance, and the key is in no record."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from knitbone.cli.fuzz import command
from knitbone.errors import SandboxError, TargetError
from knitbone.fuzzing.engine import replay
from knitbone.fuzzing.sandbox.client import Sandbox, masked_values

KEY = 'k"ey-ü/17+canary'
MODULE = """
import base64, json, os

class Service:
    def __init__(self, key: str) -> None:
        self.key = key

    def find(self, text: str) -> str:
        if text == "boom":
            raise RuntimeError(f"key {self.key!r} is refused: " + json.dumps(self.key))
        if not text:
            return {}[self.key]
        if text.startswith("a"):
            return base64.b64encode(self.key.encode()).decode()
        return f"{len(self.key)} {self.key} {text}"

def make():
    return Service(os.environ["SHOP_KEY"])

def broken():
    raise ValueError("no " + os.environ["SHOP_KEY"])
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHOP_KEY", KEY)
    path = tmp_path / "shop_tools.py"
    path.write_text(MODULE)
    return path


def test_the_instance_is_made_with_the_variable_and_its_value_does_not_come_back(
    private: Path, module: Path
) -> None:
    target = f"{module}:Service.find"
    with Sandbox(target, env=["SHOP_KEY"], setup=f"{module}:make") as sandbox:
        sound = sandbox.call(0, {"text": "x"}, timeout_s=10.0)
        assert sound.text == f"{len(KEY)} ${{SHOP_KEY}} x"
        assert sandbox.call(0, {"text": "a"}, timeout_s=10.0).text == "${SHOP_KEY}"
        failed = sandbox.call(0, {"text": "boom"}, timeout_s=10.0)
        assert failed.message.count("${SHOP_KEY}") == 2


def test_no_output_of_a_campaign_holds_the_value(
    private: Path, module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [
        f"{module}:Service.find", "--env", "SHOP_KEY", "--setup", f"{module}:make",
        "--calls", "40", "--save", "saved", "--journal", "journal", "--html", "page.html",
        "--sarif", "log.sarif", "--junit", "log.xml", "--pytest", "tests", "--no-model",
    ]  # fmt: skip
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    assert "raised KeyError" in done.output
    assert "--env SHOP_KEY" in done.output
    written = [done.output, *(p.read_text() for p in tmp_path.rglob("*") if p.is_file())]
    kept = [text for text in written if text != MODULE]
    assert len(kept) > 5
    forms = (KEY, json.dumps(KEY)[1:-1], base64.b64encode(KEY.encode()).decode())
    assert not [text for text in kept for form in forms if form in text]


def test_a_saved_test_takes_the_names_along(private: Path, module: Path) -> None:
    made = replay(f"{module}:Service.find", {"text": ""}, env=["SHOP_KEY"], setup=f"{module}:make")
    assert made.failure is not None
    assert "canary" not in made.failure


def test_what_is_not_there_is_said(private: Path, module: Path) -> None:
    with pytest.raises(SandboxError, match="is not set"):
        Sandbox(f"{module}:make", env=["NOT_SET_ANYWHERE"])
    with pytest.raises(SandboxError, match="sets HOME itself"):
        Sandbox(f"{module}:make", env=["HOME"])
    with pytest.raises(TargetError, match="names no class of it"):
        Sandbox(f"{module}:make", env=["SHOP_KEY"], setup=f"{module}:make")
    with pytest.raises(TargetError, match=r"no \$\{SHOP_KEY\}"):
        Sandbox(f"{module}:Service.find", env=["SHOP_KEY"], setup=f"{module}:broken")


def test_short_values_and_other_texts_stay_as_they_are() -> None:
    message = {"text": "on and on", "length": 9, "trace": [1.5, None, True]}
    assert masked_values(message, {"FLAG": "on"}) == message
    assert masked_values({"a-secret": ["xa-secrety"]}, {"K": "a-secret"}) == {"${K}": ["x${K}y"]}


def test_hooks_of_one_file_share_its_state(tmp_path):
    tools = tmp_path / "tools.py"
    tools.write_text(
        "class Counter:\n"
        "    def __init__(self, start: int): self.count = start\n"
        "    def add(self, by: int) -> int:\n"
        "        self.count += by\n"
        "        return self.count\n"
    )
    hooks = tmp_path / "hooks.py"
    hooks.write_text(
        "import sys; sys.path.insert(0, '.')\n"
        "made = []\n"
        "def make():\n"
        "    counter = sys.modules['tools'].Counter(5)\n"
        "    made.append(counter)\n"
        "    return counter\n"
        "def reset():\n"
        "    for counter in made: counter.count = 0\n"
    )
    with Sandbox(f"{tools}:Counter.add", setup=f"{hooks}:make", reset=f"{hooks}:reset") as sandbox:
        answers = [sandbox.call(0, {"by": 1}, timeout_s=20).text for _ in range(2)]
    assert answers == ["1", "1"]
