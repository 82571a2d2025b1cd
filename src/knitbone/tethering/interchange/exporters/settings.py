"""Where and how to send: arguments, else the environment variables of OpenTelemetry.

Specification: "OpenTelemetry Protocol Exporter", Configuration Options. A variable for traces
(``OTEL_EXPORTER_OTLP_TRACES_...``) goes before the one for all signals. Timeouts in the
environment are milliseconds, as the specification says.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import msgspec

from knitbone.errors import ConfigError
from knitbone.record.events import Json

__all__ = ["PROTOCOLS", "Protocol", "Settings", "resource_attributes", "settings_from"]

Protocol = Literal["http/json", "http/protobuf"]
PROTOCOLS: tuple[Protocol, ...] = ("http/json", "http/protobuf")

DEFAULT_ENDPOINT = "http://localhost:4318"
DEFAULT_TIMEOUT_S = 10.0
"""The specification's default for one request."""

_PATH = "/v1/traces"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach a collector."""

    url: str
    protocol: Protocol = "http/json"
    headers: dict[str, str] = {}
    timeout_s: float = DEFAULT_TIMEOUT_S
    compress: bool = False
    certificate: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None

    def __repr__(self) -> str:
        # Headers hold keys, which must not end in a log.
        return f"Settings(url={self.shown_url!r}, protocol={self.protocol!r})"

    @property
    def shown_url(self) -> str:
        """The address without its query, which may hold a key."""
        return urlunsplit(urlsplit(self.url)._replace(query=""))

    def tls_context(self) -> ssl.SSLContext:
        """What the certificates in the settings make of TLS.

        Raises:
            ConfigError: a certificate or key cannot be read.
        """
        try:
            context = ssl.create_default_context(cafile=self.certificate)
            if self.client_certificate is not None:
                context.load_cert_chain(self.client_certificate, self.client_key)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"The TLS certificate or key for {self.shown_url} cannot be read: {error}.",
                next_step="Check OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and"
                " _CLIENT_KEY.",
            ) from error
        return context


def settings_from(
    environ: Mapping[str, str],
    *,
    endpoint: str | None = None,
    protocol: str | None = None,
    timeout_s: float | None = None,
) -> Settings:
    """The settings; arguments go before the environment.

    Args:
        endpoint: the collector's address; ``/v1/traces`` is added unless it ends so.

    Raises:
        ConfigError: a value cannot be used; the message names its variable, never a header.
    """
    compression = _variable(environ, "COMPRESSION") or "none"
    if compression not in ("none", "gzip"):
        raise ConfigError(
            f"OTEL_EXPORTER_OTLP_COMPRESSION is {compression!r}.", next_step="Use gzip or none."
        )
    return Settings(
        url=_url(environ, endpoint),
        protocol=_protocol(protocol or _variable(environ, "PROTOCOL")),
        headers=_headers(_variable(environ, "HEADERS") or ""),
        timeout_s=_timeout(environ) if timeout_s is None else timeout_s,
        compress=compression == "gzip",
        certificate=_variable(environ, "CERTIFICATE"),
        client_certificate=_variable(environ, "CLIENT_CERTIFICATE"),
        client_key=_variable(environ, "CLIENT_KEY"),
    )


def resource_attributes(environ: Mapping[str, str]) -> dict[str, Json]:
    """``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME``, which goes before.

    Raises:
        ConfigError: not a list of ``key=value``.
    """
    found: dict[str, Json] = dict(
        _pairs(environ.get("OTEL_RESOURCE_ATTRIBUTES", ""), "OTEL_RESOURCE_ATTRIBUTES")
    )
    if name := environ.get("OTEL_SERVICE_NAME"):
        found["service.name"] = name
    return found


def _variable(environ: Mapping[str, str], name: str) -> str | None:
    """An empty variable counts as unset, as the specification demands."""
    for signal in ("TRACES_", ""):
        if value := environ.get(f"OTEL_EXPORTER_OTLP_{signal}{name}", "").strip():
            return value
    return None


def _url(environ: Mapping[str, str], endpoint: str | None) -> str:
    whole = environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    if endpoint is None and whole:
        return _checked(whole, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").geturl()
    source = "--endpoint" if endpoint is not None else "OTEL_EXPORTER_OTLP_ENDPOINT"
    parts = _checked(endpoint or _variable(environ, "ENDPOINT") or DEFAULT_ENDPOINT, source)
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(_PATH) else path + _PATH))


def _checked(url: str, source: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and all(" " < character < "\x7f" for character in url)
    except ValueError:
        usable = False
        parts = SplitResult("", "", "", "", "")
    if not usable:
        raise ConfigError(
            f"{source}: {url.rpartition('@')[2][:200]!r} is no address of a collector.",
            next_step="Give one such as http://localhost:4318 (OTLP over HTTP).",
        )
    if "@" in parts.netloc:
        raise ConfigError(
            f"{source}: the address of {parts.hostname} holds a user name or password.",
            next_step="Put it into OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20...",
        )
    return parts


def _protocol(value: str | None) -> Protocol:
    if value is None:
        return "http/json"
    if value in PROTOCOLS:
        return value
    raise ConfigError(
        f"OTLP protocol {value!r} is not supported.",
        next_step=f"Use {' or '.join(PROTOCOLS)} (--protocol); collectors serve both on port 4318.",
    )


def _timeout(environ: Mapping[str, str]) -> float:
    text = _variable(environ, "TIMEOUT")
    if text is None:
        return DEFAULT_TIMEOUT_S
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise ConfigError(
            f"OTEL_EXPORTER_OTLP_TIMEOUT is {text[:40]!r}.", next_step="Give milliseconds: 10000."
        )
    return int(text) / 1_000


def _headers(text: str) -> dict[str, str]:
    return dict(_pairs(text, "OTEL_EXPORTER_OTLP_HEADERS"))


def _pairs(text: str, variable: str) -> list[tuple[str, str]]:
    """``key1=value1,key2=value2``, percent-encoded (W3C Baggage without properties)."""
    found: list[tuple[str, str]] = []
    for number, item in enumerate(part for part in text.split(",") if part.strip()):
        key, equals, value = item.partition("=")
        key, value = unquote(key.strip()), unquote(value.strip())
        if not equals or not key or not (key + value).isprintable():
            raise ConfigError(
                f"{variable}: entry {number + 1} is not key=value.",
                next_step="Write key1=value1,key2=value2; encode other characters as %20.",
            )
        found.append((key, value))
    return found
