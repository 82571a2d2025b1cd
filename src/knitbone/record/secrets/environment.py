"""Secrets that a process was given in its environment."""

from __future__ import annotations

from collections.abc import Mapping

from knitbone.record.secrets.names import Strength, strength_of
from knitbone.record.secrets.values import is_random, is_secret_value

__all__ = ["secrets_of"]


def secrets_of(environ: Mapping[str, str]) -> list[str]:
    """Values of variables whose names announce a secret. Only those that look random: ``postgres``
    may be a password, and is a word of many texts."""
    return [
        value
        for name, value in environ.items()
        if (strength := strength_of(name)) >= Strength.POSSIBLE
        and is_random(value)
        and is_secret_value(value, strength)
    ]
