"""An attack on adapt, again: ``python -m knitbone_evals.adapt.attack [--set fresh]``.

4,610 answers to 81 small applications, by an author who had read the docs and none of the code,
each with the values that it may mean; half are traps, which mean none. They were looked at after
their first run, and adapt was mended with them in view. *Right*: a value that is meant. *As plain*:
what plain code makes of the answer, if only an exception; *missed* among these: a value is meant.
*Wrong*: any other value. Some of the wrong ones a lenient reader would accept.

``fresh`` has 480 answers to 24 applications that read one value, half of them traps, by another
author, who had read nothing of knitbone; they were committed before their first run.
"""

from __future__ import annotations

import argparse
import json
import logging
import lzma
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

from knitbone_evals.modules import load_module

SETS = {
    "attack": "cases.json.xz",
    "fresh": "fresh.json.xz",
    "fresh_second": "fresh_second.json.xz",
}
_STUB = """
from types import SimpleNamespace as NS
ANSWER = ""
class Completions:
    def create(self, *, model, messages, **kw):
        message = NS(role="assistant", content=ANSWER, tool_calls=None)
        return NS(choices=[NS(index=0, finish_reason="stop", message=message)])
client = NS(chat=NS(completions=Completions()))
"""
_HEAD = """import ast, csv, datetime, enum, io, json, re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Literal, Optional
from pydantic import BaseModel, Field
import knitbone
from attack_stub import client


def ask(prompt):
    messages = [{"role": "user", "content": prompt}]
    response = client.chat.completions.create(model="gpt-4o-mini", messages=messages)
    return response.choices[0].message.content


"""


def _loaded(folder: Path, name: str, source: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    return load_module(path)


def _outcome(module: Any) -> str:
    try:
        return repr(module.run())
    except Exception as error:  # noqa: BLE001 - the application's own
        return f"<{type(error).__name__}>"


def main() -> None:
    """Run every answer, plain and adapted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, default="attack")
    parser.add_argument("--only", default="", help="an application")
    parser.add_argument("--show", choices=("wrong", "missed"), help="print such answers")
    chosen = parser.parse_args()
    os.environ["KNITBONE_ADAPT_QUIET"] = "1"
    logging.disable(logging.CRITICAL)
    packed = Path(__file__).with_name(SETS[chosen.set]).read_bytes()
    data = json.loads(lzma.decompress(packed))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sys.path.insert(0, made)
        stub: Any = _loaded(folder, "attack_stub", _STUB)
        pairs: dict[str, tuple[ModuleType, ModuleType]] = {}
        for name, answer, meant in data["cases"]:
            if chosen.only not in ("", name):
                continue
            if name not in pairs:
                source = _HEAD + data["apps"][name]
                plain = source.replace("@knitbone.adapt\n", "")
                pairs[name] = (
                    _loaded(folder, f"plain_{name}", plain),
                    _loaded(folder, f"adapted_{name}", source),
                )
            stub.ANSWER = answer
            before, got = map(_outcome, pairs[name])
            kind = "right" if got in meant else "as plain" if got == before else "wrong"
            kind = "another exception" if kind == "wrong" and got.startswith("<") else kind
            counts[kind] += 1
            missed = kind == "as plain" and meant != ["<nothing>"]
            if chosen.show == ("missed" if missed else kind):
                print(f"{name}: {answer!r}\n    plain {before}, adapted {got}, meant {meant}")
    print(f"{counts.total()} answers: {dict(counts.most_common())}")


if __name__ == "__main__":
    main()
