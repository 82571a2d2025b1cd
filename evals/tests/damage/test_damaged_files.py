"""A small search of damaged files; ``knitbone_evals.damage`` looks at ten thousand."""

from __future__ import annotations

import json
import random
from contextlib import suppress

from knitbone.errors import KnitboneError
from knitbone.record import stored_run
from knitbone.record.events import Run
from knitbone.tethering.interchange.importers import exported
from knitbone_evals.damage import stores
from knitbone_evals.damage.__main__ import good_files, search
from knitbone_evals.damage.readers import readers

FILES, SEED = 160, 5


def test_damaged_files_give_messages_and_nothing_changes_silently():
    assert good_files() == []
    tally = search(FILES, SEED)
    assert tally.failures == []
    assert sum(row["files"] for row in tally.rows.values()) == FILES


def first_failure(judge, most=400):
    """Which of the damaged files is the first of which something is altered or missing."""
    return next((n for n in range(most) if judge(random.Random(SEED * 1_000 + n))), None)


def test_the_search_sees_what_a_store_without_checksums_would_let_pass(monkeypatch, tmp_path):
    source = stores.written(tmp_path, random.Random(SEED))
    monkeypatch.setattr(stored_run, "fits", lambda *_: True)

    def altered(rng):
        stores.damage(source, tmp_path / "runs.sqlite", rng)
        return any("altered" in each for each in stores.judge(source, tmp_path / "runs.sqlite"))

    assert first_failure(altered) is not None


def test_the_search_sees_what_an_export_without_checksums_would_let_pass(monkeypatch, tmp_path):
    monkeypatch.setattr(exported, "_check", lambda *_: None)
    (reader,) = [each for each in readers(tmp_path) if each.name == "export"]

    def altered(rng):
        reader.damaged(tmp_path / reader.file, rng)
        with suppress(KnitboneError):
            return reader.read(tmp_path / reader.file, None)

    assert first_failure(altered) is not None


def test_a_run_is_exported_and_read_whatever_its_values(tmp_path):
    attributes = {"é": 1e16, "n": -0.0, "deep": [[{"a": None}]], "\u2028": 10**18}
    run = Run(id="0a", name="ü", attributes=attributes)
    (tmp_path / "out.jsonl").write_bytes(exported.exported(run))
    (item,) = exported.read([json.loads((tmp_path / "out.jsonl").read_text("utf-8"))], "p")
    assert item.run == run
