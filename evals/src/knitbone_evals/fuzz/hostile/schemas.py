"""Input schemas by which a remote server may try to ruin the client that makes example values.

Every schema is what `inputSchema` of one tool may hold once it was read from JSON: a tree, in which
parts are shared by `$ref` only, so that a copy is as large as it was on the wire. `deep_schema` is
too deep for Python's own `json`, and `numbers` and `large_enums` hold NaN and infinity. All but
`wrong_top` say `"type": "object"` at the top, so that no early check of that word throws them out.
"""

from __future__ import annotations

from .schema_parts import Hostile
from .schemas_nonsense import NONSENSE
from .schemas_references import REFERENCES
from .schemas_sizes import SIZES

__all__ = ["SCHEMAS", "Hostile"]

SCHEMAS: tuple[Hostile, ...] = SIZES + REFERENCES + NONSENSE
