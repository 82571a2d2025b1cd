"""Which model, where, with which key; and the rules that all providers share."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import ModelConfig
from knitbone.errors import ConfigError, MissingExtraError, MissingKeyError
from knitbone.models import (
    ChatModel,
    SelfJudgingWarning,
    create_chat_model,
    warn_if_self_judging,
)
from knitbone.models.chat import clean_json, parse_arguments, with_call_ids
from knitbone.models.endpoints import is_local, resolve_endpoint
from knitbone.models.failures import Endpoint, model_error
from knitbone.models.structured import allows_strict, as_object_schema, unwrap
from knitbone.record.events import ChatMessage, ToolCallRequest

KEYS = {"OPENAI_API_KEY": "own-key", "OTHER_KEY": "other-key"}


def resolve(environ: dict[str, str], **settings: Any) -> tuple[str, Endpoint]:
    return resolve_endpoint(
        ModelConfig(**{"name": "m", **settings}),
        default_url="https://api.openai.com/v1",
        url_env="OPENAI_BASE_URL",
        key_env="OPENAI_API_KEY",
        environ=environ,
    )


@pytest.mark.parametrize("provider", ["openai", "anthropic", "recorded"])
def test_nothing_is_built_for_a_role_without_a_model(provider: Any) -> None:
    with pytest.raises(ConfigError) as raised:
        create_chat_model(ModelConfig(provider=provider), "oracle")
    assert "KNITBONE_ORACLE_NAME" in str(raised.value)
    assert "[tool.knitbone.oracle]" in str(raised.value)


def test_a_recorded_model_needs_a_cassette() -> None:
    with pytest.raises(ConfigError, match="KNITBONE_WRITER_CASSETTE"):
        create_chat_model(ModelConfig(provider="recorded", name="m"), "writer")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_local_endpoint_needs_no_key(provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"{provider.upper()}_API_KEY", raising=False)
    config = ModelConfig(provider=provider, name="m", base_url="http://localhost:11434/v1")
    model = create_chat_model(config, "agent")
    assert isinstance(model, ChatModel)
    assert model.name == "m"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_missing_library_names_its_extra(provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def blocked(name: str, package: str | None = None) -> Any:
        if name.partition(".")[0] == provider:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", blocked)
    config = ModelConfig(provider=provider, name="m", base_url="http://localhost:1/v1")
    with pytest.raises(MissingExtraError) as raised:
        create_chat_model(config, "agent")
    assert f'pip install "knitbone[{provider}]"' in str(raised.value)


def test_importing_the_models_loads_no_client_library() -> None:
    code = (
        "import sys, knitbone.models, knitbone.testing;"
        "print({'openai', 'anthropic', 'langchain_core', 'numpy', 'httpx', 'httpx2'}"
        " & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_providers_own_key_goes_to_the_provider() -> None:
    url, endpoint = resolve(KEYS)
    assert (url, endpoint.key, endpoint.key_env) == (
        "https://api.openai.com/v1",
        "own-key",
        "OPENAI_API_KEY",
    )


def test_the_providers_own_key_never_goes_to_another_host() -> None:
    with pytest.raises(MissingKeyError, match=r"openrouter\.ai .*api_key_env"):
        resolve(KEYS, base_url="https://openrouter.ai/api/v1")
    _, local = resolve(KEYS, base_url="http://127.0.0.1:8000/v1")
    assert local.key is None


def test_a_configured_variable_goes_to_any_host() -> None:
    for url in ("https://openrouter.ai/api/v1", "http://localhost:1/v1", None):
        assert resolve(KEYS, base_url=url, api_key_env="OTHER_KEY")[1].key == "other-key"
    with pytest.raises(MissingKeyError, match="export NONE"):
        resolve(KEYS, base_url="http://localhost:1/v1", api_key_env="NONE")


def test_a_url_in_the_environment_comes_with_the_key_in_the_environment() -> None:
    for url in ("https://proxy.example.com/v1", "http://127.0.0.1:9/v1"):
        found, endpoint = resolve({**KEYS, "OPENAI_BASE_URL": url})
        assert (found, endpoint.key) == (url, "own-key")
    assert resolve({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})[1].key is None


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x/v1", "http://", "http://[::1/v1", "x"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="not an http or https URL"):
        resolve(KEYS, base_url=url)


def test_a_password_in_the_url_is_not_part_of_the_host() -> None:
    _, endpoint = resolve(KEYS, base_url="http://me:pass-word@localhost:8000/v1")
    assert endpoint.host == "localhost:8000"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost:8000", True),
        ("127.0.0.1", True),
        ("[::1]:80", True),
        ("10.0.0.7:8000", True),
        ("ollama:11434", True),
        ("gpu.internal", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("localhost.example.com", False),
    ],
)
def test_local_hosts(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_a_judge_that_judges_itself_is_warned_about() -> None:
    agent, judge = ModelConfig(name="GPT-x"), ModelConfig(name="gpt-x", base_url="http://other")
    with pytest.warns(SelfJudgingWarning, match="KNITBONE_ORACLE_NAME"):
        assert warn_if_self_judging(agent, judge, "oracle")
    assert not warn_if_self_judging(agent, ModelConfig(name="other"), "oracle")
    assert not warn_if_self_judging(ModelConfig(), ModelConfig(), "oracle")


class Refused(Exception):
    """An error of a client library, as far as it is read."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__("refused")
        self.status_code = status
        self.body = body


def test_an_exhausted_quota_sends_to_the_bill() -> None:
    error = Refused(429, {"error": {"code": "insufficient_quota", "message": "pay"}})
    assert "billing" in str(model_error(error, Endpoint(model="m"), timeout_s=1))


@given(st.text(), st.text(), st.sampled_from([400, 401, 408, 429, 500, 599]))
def test_messages_are_one_bounded_printable_line(words: str, model: str, status: int) -> None:
    error = Refused(status, {"message": words * 50})
    text = str(model_error(error, Endpoint(model=model), timeout_s=1.0))
    assert f"answered {status}" in text
    assert len(text) < 1000
    assert text.isprintable() or not {c for c in text if ord(c) < 32}


def test_what_is_no_failure_of_a_call_is_not_translated() -> None:
    assert model_error(ValueError("x"), Endpoint(model="m"), timeout_s=1.0) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(json_values)
def test_cleaned_json_encodes_and_is_the_same_where_it_could(value: Any) -> None:
    assert clean_json(value) == value  # st.text() holds no surrogates


@given(st.lists(st.text(st.characters(categories=["Cs", "L"]))))
def test_lone_surrogates_are_replaced(texts: list[str]) -> None:
    for text in clean_json({"k": texts})["k"]:
        text.encode()


@given(st.dictionaries(st.text(), json_values), st.integers(1, 50))
def test_arguments_are_parsed_or_kept(table: dict[str, Any], cut: int) -> None:
    text = json.dumps(table)
    assert parse_arguments(text) == table
    if cut < len(text):
        assert parse_arguments(text[:-cut]) == text[:-cut]


def test_absurd_arguments_are_kept_raw() -> None:
    deep = "[" * 100_000
    assert parse_arguments(deep) == deep
    assert parse_arguments("") == {}


@given(st.dictionaries(st.text(), json_values))
def test_unwrapping_undoes_wrapping(value: dict[str, Any]) -> None:
    for schema, answer in (({"type": "object"}, value), ({"type": "array"}, [value])):
        wrapped = as_object_schema(schema)
        assert wrapped["type"] == "object"
        arguments = answer if wrapped == schema else {"value": answer}
        assert unwrap(arguments, schema) == answer


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"type": "string"}, True),
        ({"type": "object", "properties": {}, "additionalProperties": False}, True),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, False),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, False),
        ({"type": "array", "items": {"type": "object"}}, False),
        ({"anyOf": [{"type": "string"}, {"properties": {"a": {}}}]}, False),
    ],
)
def test_strict_mode_is_asked_for_only_where_it_is_allowed(schema: Any, strict: bool) -> None:
    assert allows_strict(schema) is strict


def test_results_without_identifiers_answer_calls_in_order() -> None:
    call = ToolCallRequest(name="f")
    named = with_call_ids(
        [
            ChatMessage(
                role="assistant", tool_calls=(call, ToolCallRequest(name="g", call_id="g1"))
            ),
            ChatMessage(role="tool", tool_call_id="g1", content="g"),
            ChatMessage(role="tool", content="f"),
            ChatMessage(role="tool", content="nobody asked"),
        ]
    )
    first = named[0].tool_calls[0].call_id
    assert [message.tool_call_id for message in named[1:]][:2] == ["g1", first]
    assert named[3].tool_call_id
