"""Which folders a person trusts to say where requests go and which key goes with them.

A project's file comes with the project, from whoever wrote it. What it names as a key would be sent
to the host that it names, so both need the folder to be trusted, as editors ask it before they run
what a folder brings along. Names of models, prices and limits need no trust.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_config_path

from knitbone.common.printable import printable
from knitbone.errors import ConfigError

__all__ = ["require_trust", "set_trust", "trusted_folders"]

TRUST_VARIABLE = "KNITBONE_TRUST"
"""Folders that are trusted, separated as in PATH; for machines on which nobody answers."""


def _list_path() -> Path:
    return user_config_path("knitbone", appauthor=False) / "trusted"


def trusted_folders(environ: Mapping[str, str] | None = None) -> list[Path]:
    """The folders that were trusted, on this account or by the environment."""
    environ = os.environ if environ is None else environ
    try:
        lines = _list_path().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    given = environ.get(TRUST_VARIABLE, "").split(os.pathsep)
    return [Path(line).resolve() for line in (*lines, *given) if line.strip()]


def is_trusted(folder: Path, environ: Mapping[str, str] | None = None) -> bool:
    """Whether a folder, or one above it, is trusted."""
    folder = folder.resolve()
    return any(each == folder or each in folder.parents for each in trusted_folders(environ))


def set_trust(folder: Path, *, trusted: bool) -> None:
    """Remember whether a folder is trusted.

    Raises:
        ConfigError: the list cannot be written.
    """
    path = _list_path()
    folder = folder.resolve()
    kept = [each for each in trusted_folders({}) if each != folder]
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(f"{each}\n" for each in [*kept, *([folder] if trusted else [])])
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error}.",
            next_step=f"Set {TRUST_VARIABLE} to the folder instead.",
        ) from error


def require_trust(file: str, what: str, environ: Mapping[str, str] | None = None) -> None:
    """Go on only if the folder of a project's file is trusted.

    Args:
        what: what the file asks for, as the message names it.

    Raises:
        ConfigError: it is not.
    """
    folder = Path(file).parent
    if is_trusted(folder, environ):
        return
    shown = printable(str(folder))
    raise ConfigError(
        f"{printable(file)} {what}, and the folder {shown} is not trusted: nothing is sent.",
        next_step=f"If you know who wrote it: knitbone trust {shown} (or {TRUST_VARIABLE}).",
    )
