"""Every error that knitbone raises on purpose.

A message says what was wrong, where, the offending value, and what to do next. Findings,
violations found in ``observe`` mode, and verdicts are values, never exceptions.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from knitbone._forks import unforked

__all__ = [
    "CassetteMissError",
    "ConfigError",
    "DamagedStoreError",
    "ExportError",
    "InputFormatError",
    "KnitboneError",
    "MissingExtraError",
    "MissingKeyError",
    "ModelAuthenticationError",
    "ModelError",
    "ModelRateLimitError",
    "ModelRequestError",
    "ModelServerError",
    "ModelTimeoutError",
    "RepairRefused",
    "RequirementViolation",
    "RunFinishedError",
    "SandboxError",
    "SchemaError",
    "StoreBusyError",
    "StoreError",
    "TargetError",
    "import_extra",
]


class KnitboneError(Exception):
    """The root of the hierarchy. ``next_step`` is what the user can do about it."""

    def __init__(self, message: str, *, next_step: str | None = None) -> None:
        self.message = message
        self.next_step = next_step
        super().__init__(message if next_step is None else f"{message} {next_step}")


class ConfigError(KnitboneError):
    """A configuration file, environment variable or argument that cannot be used."""


class MissingExtraError(KnitboneError):
    """An optional library is needed and not installed."""


class StoreError(KnitboneError):
    """The run store cannot be read or written."""


class DamagedStoreError(StoreError):
    """The content of the run store's file cannot be read; other runs of it may be whole."""


class StoreBusyError(StoreError):
    """Another process holds the run store; it may be free a moment later."""


class RunFinishedError(StoreError):
    """An event was recorded into a run that is already finished, hence immutable."""


class InputFormatError(KnitboneError):
    """A file is truncated, foreign, or not what its format promises."""


class ExportError(KnitboneError):
    """A collector cannot be reached, or did not take what it was sent."""


class TargetError(KnitboneError):
    """A tool under test cannot be found, imported or understood."""


class SchemaError(KnitboneError):
    """A schema, type or format that was given as a target describes no value."""


class RepairRefused(KnitboneError):  # noqa: N818 - what happened, as in RequirementViolation
    """A text was not read, and its value was asked for. ``result`` is the whole record."""

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message)
        self.result = result


class SandboxError(KnitboneError):
    """The worker process that runs tools under test cannot be started or kept."""


class RequirementViolation(KnitboneError):  # noqa: N818 - the paper's own word
    """An output violates a requirement and the mode is ``strict``.

    The only error of ours that may reach the application, because it asked for it.
    """


class ModelError(KnitboneError):
    """A call to a chat model or an embedder failed."""

    completion: object = None
    """The model's answer (a ``Completion``) where one came and could not be used: it was paid for,
    and a reader that knows more of what was asked may still understand it."""


class MissingKeyError(ModelError):
    """No API key was found for a model that needs one."""


class ModelAuthenticationError(ModelError):
    """The model's server refused the key (HTTP 401 or 403)."""


class ModelRequestError(ModelError):
    """The model's server refused the request itself (another HTTP 4xx)."""


class ModelRateLimitError(ModelError):
    """The model's server answered 429 and the retries are used up."""


class ModelServerError(ModelError):
    """The model's server failed (HTTP 5xx, broken answer) and the retries are used up."""


class ModelTimeoutError(ModelError):
    """The model's server did not answer, or a stream stalled, within the time allowed."""


class CassetteMissError(ModelError):
    """A recorded model has no answer for this request."""


def import_extra(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional library, or say which extra brings it.

    Raises:
        MissingExtraError: the library is not installed.
    """
    try:
        with unforked:
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        root = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != root:
            raise
        raise MissingExtraError(
            f"{purpose} needs the package {root!r}, which is not installed.",
            next_step=f'Install it with: pip install "knitbone[{extra}]"',
        ) from error
