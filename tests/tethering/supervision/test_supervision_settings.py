"""Where the figures of supervision come from."""

from __future__ import annotations

import pytest

from knitbone.config import load_config
from knitbone.errors import ConfigError
from knitbone.tethering.supervision.engine import Supervisor


def test_a_project_sets_the_figures_of_supervision(tmp_path):
    (tmp_path / "knitbone.toml").write_text(
        '[tether]\nloop_limits = { poll = 0 }\ntool_risks = { frobnicate = "destructive" }\n',
        encoding="utf-8",
    )
    settings = load_config(directory=tmp_path, environ={}).tether
    assert settings.loop_limits == {"poll": 0}
    supervisor = Supervisor("t", risks={"zap": "read"}, settings=settings)
    assert [supervisor.risks.of(name) for name in ("frobnicate", "zap")] == ["destructive", "read"]


@pytest.mark.parametrize("line", ["loop_limits = { a = -1 }", 'tool_risks = { a = "big" }'])
def test_a_figure_of_supervision_that_makes_no_sense_is_an_error(tmp_path, line):
    (tmp_path / "knitbone.toml").write_text(f"[tether]\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="tether"):
        load_config(directory=tmp_path, environ={})
