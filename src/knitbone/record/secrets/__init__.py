"""Where secrets stand in a text, and which names announce one."""

from __future__ import annotations

from knitbone.record.secrets.fields import FieldReader, tells_of_others
from knitbone.record.secrets.finding import REDACTED, SHORTEST_SECRET, SecretFinder
from knitbone.record.secrets.names import LONGEST_NAME, Strength, strength_of
from knitbone.record.secrets.values import is_placeholder, is_secret_value, secrets_of

__all__ = [
    "LONGEST_NAME",
    "REDACTED",
    "SHORTEST_SECRET",
    "FieldReader",
    "SecretFinder",
    "Strength",
    "is_placeholder",
    "is_secret_value",
    "secrets_of",
    "strength_of",
    "tells_of_others",
]
