"""The second set of shapes of secrets, written apart from the first."""

from __future__ import annotations

from second_material import Shape
from second_shapes_apps import APPS
from second_shapes_commands import COMMANDS
from second_shapes_deploy import DEPLOY
from second_shapes_files import FILES, LOGS, PROSE, TRAFFIC

__all__ = ["SHAPES", "Shape"]

SHAPES: tuple[Shape, ...] = (*DEPLOY, *APPS, *COMMANDS, *FILES, *TRAFFIC, *LOGS, *PROSE)
