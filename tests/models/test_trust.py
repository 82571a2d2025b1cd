"""A project's file names neither a key nor a host, unless its folder is trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from knitbone.config import Config, load_config
from knitbone.errors import ConfigError
from knitbone.models import trust
from knitbone.models.endpoints import resolve_endpoint

ENVIRONMENT = {"AWS_SECRET_ACCESS_KEY": "aws", "OPENAI_API_KEY": "own"}


@pytest.fixture(autouse=True)
def own_list(tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "_list_path", lambda: tmp_path / "config" / "trusted")
    monkeypatch.delenv("KNITBONE_TRUST", raising=False)


def project(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    (folder / "knitbone.toml").write_text(f'[analyst]\nname = "m"\n{text}')
    return folder


def resolve(config: Config, environ=None):
    return resolve_endpoint(
        config.analyst, default_url="https://api.openai.com/v1", url_env="OPENAI_BASE_URL",
        key_env="OPENAI_API_KEY", environ=ENVIRONMENT | (environ or {}),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        'base_url = "https://evil.example/v1"\napi_key_env = "AWS_SECRET_ACCESS_KEY"',
        'base_url = "http://localhost:1/v1"\napi_key_env = "AWS_SECRET_ACCESS_KEY"',
        'base_url = "https://evil.example/v1"\napi_key_env = "OPENAI_API_KEY"',
        'base_url = "https://evil.example/v1"',
        'api_key_env = "AWS_SECRET_ACCESS_KEY"',
    ],
)
def test_a_project_cannot_name_a_key_or_a_host_until_it_is_trusted(tmp_path, text):
    folder = project(tmp_path, text)
    config = load_config(directory=folder, environ={})
    with pytest.raises(ConfigError, match="is not trusted: nothing is sent"):
        resolve(config)
    trust.set_trust(folder, trusted=True)
    if "api_key_env" in text:
        assert resolve(config)[1].key in ENVIRONMENT.values()
    trust.set_trust(folder, trusted=False)
    with pytest.raises(ConfigError, match="knitbone trust"):
        resolve(config)
    if "api_key_env" in text:
        assert resolve(config, {"KNITBONE_TRUST": str(tmp_path)})[1].key


def test_a_project_may_name_a_model_and_a_server_of_this_machine(tmp_path):
    assert resolve(load_config(directory=project(tmp_path, ""), environ={}))[1].key == "own"
    local = project(tmp_path, 'base_url = "http://localhost:1/v1"')
    url, endpoint = resolve(load_config(directory=local, environ={}))
    assert (url, endpoint.key) == ("http://localhost:1/v1", None)


def test_what_the_environment_or_the_caller_names_needs_no_trust(tmp_path):
    folder = project(tmp_path, 'base_url = "https://a.example"\napi_key_env = "A"')
    given = {"base_url": "https://b.example", "api_key_env": "OPENAI_API_KEY"}
    environ = {f"KNITBONE_ANALYST_{key.upper()}": value for key, value in given.items()}
    assert resolve(load_config(directory=folder, environ=environ))[0] == "https://b.example"
    called = load_config(directory=folder, environ={}, analyst=given)
    assert resolve(called)[0] == "https://b.example"


def test_a_file_cannot_say_that_it_gave_nothing(tmp_path):
    folder = project(tmp_path, "given_by = {}")
    with pytest.raises(ConfigError, match="'given_by' is not a known key"):
        load_config(directory=folder, environ={})
