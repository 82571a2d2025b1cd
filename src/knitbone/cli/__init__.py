"""The ``knitbone`` command: one file a command, loaded when it is called."""

from knitbone.cli.app import main

__all__ = ["main"]
