"""A search for harm: answers that plain code reads, through consumers of many styles.

The grammars (``scalars``, ``structures``, ``shapes``, ``held_back``) are as their authors wrote
them and are not edited, so they are one archive (``knitbone_evals.archives``).
"""

from pathlib import Path

ARCHIVE = Path(__file__).with_name("grammars.zip")
__path__.append(str(ARCHIVE))
