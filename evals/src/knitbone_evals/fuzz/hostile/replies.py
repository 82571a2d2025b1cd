"""Tools that attack the process that reads the worker's replies, not the machine.

`attempt(text)` has variants: a text that names one of them chooses it, any other text chooses one
by its checksum. Whoever unpickles what a tool sent leaves a file `kb-unpickled` in its own folder.
"""

from __future__ import annotations

from .replies_channel import CHANNEL
from .replies_errors import ERRORS
from .replies_interpreter import INTERPRETER
from .replies_results import RESULTS
from .reply_parts import Reply

__all__ = ["REPLIES", "Reply"]

REPLIES: tuple[Reply, ...] = CHANNEL + INTERPRETER + ERRORS + RESULTS
