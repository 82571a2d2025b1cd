"""Where a provider's requests go, and which key goes with them.

A key travels only to the place it belongs to: a provider's default variable is never sent to
another host that a configuration file names.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from knitbone.config import ModelConfig
from knitbone.errors import ConfigError, MissingKeyError
from knitbone.models.failures import Endpoint
from knitbone.models.trust import require_trust

__all__ = ["NO_KEY", "is_local", "resolve_endpoint"]

NO_KEY = "no-key"
"""What the client libraries, which insist on a key, send to a local server that needs none."""


def resolve_endpoint(
    config: ModelConfig,
    *,
    default_url: str,
    url_env: str,
    key_env: str,
    environ: Mapping[str, str] | None = None,
) -> tuple[str, Endpoint]:
    """The base URL and the endpoint, key included.

    The URL is the configured one, else the provider's environment variable, else its own. The
    key comes from ``api_key_env`` where that is configured, else from the provider's variable;
    a local server needs none, and another host needs ``api_key_env``.

    Raises:
        ConfigError: the model has no name, the URL is not an http(s) URL, or a project's file that
            is not trusted names the key or another host.
        MissingKeyError: the environment variable that should hold the key is not set.
    """
    environ = os.environ if environ is None else environ
    name = config.name
    if not name:
        raise ConfigError("A chat model needs a name.", next_step="Set its configuration's name.")
    paired = environ.get(url_env)
    url = config.base_url or paired or default_url
    host = _host(url)
    _check_trust(config, host, key_env, environ)
    variable = config.api_key_env
    if variable is None:
        # A URL in the provider's variable comes with the key in the provider's variable.
        own = {_host(default_url), _host(paired or default_url)}
        if host in own:
            variable = key_env
        if is_local(host) and not (variable and environ.get(variable)):
            return url, Endpoint(model=name, host=host)
    if variable is None:
        raise MissingKeyError(
            f"The model {name!r} at {host} needs a key, and none is configured for that host "
            f"({key_env} is the provider's own and is not sent elsewhere).",
            next_step="Set api_key_env to the name of the environment variable that holds it.",
        )
    key = environ.get(variable, "").strip()
    if not key:
        raise MissingKeyError(
            f"The model {name!r} at {host} needs a key, and the environment variable "
            f"{variable} is not set.",
            next_step=f"Set it: export {variable}=...",
        )
    return url, Endpoint(model=name, host=host, key_env=variable, key=key)


def _check_trust(config: ModelConfig, host: str, key_env: str, environ: Mapping[str, str]) -> None:
    """A project's file says neither which key is sent nor where to, unless it is trusted."""
    by_url, by_key = config.given_by.get("base_url"), config.given_by.get("api_key_env")
    if by_url and not is_local(host):
        require_trust(by_url, f"sends requests to {host}", environ)
    if by_key and (config.api_key_env != key_env or config.base_url):
        require_trust(by_key, f"sends the variable {config.api_key_env} as a key", environ)


def is_local(host: str) -> bool:
    """Whether a host is this machine or its private network."""
    bare = host.rpartition("@")[2]
    name = (urlsplit(f"//{bare}").hostname or "").lower()
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith((".localhost", ".local", ".internal"))
    return address.is_loopback or address.is_private or address.is_link_local


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        # Without user information: that may be a password.
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        parts, host = None, ""
    if parts is None or parts.scheme not in ("http", "https") or not host:
        raise ConfigError(
            f"base_url is {url!r}, not an http or https URL.",
            next_step="Write it whole, such as http://localhost:8000/v1.",
        )
    return host.lower()
