"""How often a property test of a contract is tried.

A module of its own, because two folders of the tests have a ``conftest.py``: which of them
``import conftest`` finds depends on the order of collection.
"""

import os

__all__ = ["contract_examples"]


def contract_examples(default: int = 1_000) -> int:
    """The examples of a contract's property test: ``KNITBONE_EXAMPLES``, else ``default``.

    Use it as ``@settings(max_examples=contract_examples())``.
    """
    return int(os.environ.get("KNITBONE_EXAMPLES", default))
