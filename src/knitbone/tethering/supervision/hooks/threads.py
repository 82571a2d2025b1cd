"""A supervised run follows into the threads that its code starts, as a recording does."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

from knitbone.loading.patching import Patch
from knitbone.tethering.capture.threads import carrying_patches
from knitbone.tethering.supervision.active import carry_supervised

__all__ = ["patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """What is replaced in ``threading`` and in ``concurrent.futures.thread``."""
    return carrying_patches(module, carry_supervised)
