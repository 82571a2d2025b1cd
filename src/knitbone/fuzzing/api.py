"""``knitbone.fuzz``: fuzz one tool and get the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from knitbone.config import FuzzConfig, load_config
from knitbone.errors import TargetError
from knitbone.fuzzing.engine import fuzz as fuzz_events
from knitbone.fuzzing.records import Campaign, CampaignFinished, CampaignStarted
from knitbone.record.events import Json

__all__ = ["fuzz", "target_of"]


def fuzz(  # noqa: PLR0913 - all but the tool have defaults and names
    tool: str | Callable[..., Any],
    *,
    calls: int | None = None,
    seed: int | None = None,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    reset: str | None = None,
    env: Sequence[str] = (),
    setup: str | None = None,
    examples: Sequence[dict[str, Json]] = (),
) -> Campaign:
    """Fuzz one tool in a sandbox and return what was found.

    Args:
        tool: a target such as ``"package.module:name"``, or a function defined in a module.
        config: limits and defaults; ``[tool.knitbone.fuzz]`` of the current folder otherwise.
        files: a folder whose copy the tool works in.
        allow_hosts: hosts that the tool may connect to; no network otherwise.
        reset: ``module:name`` or ``file.py:name`` of a function called before each call.
        env: names of environment variables that the tool sees; their values are in no record.
        setup: ``module:name`` or ``file.py:name`` of a function that makes the instance where
            ``tool`` names its class.
        examples: arguments of calls to begin with; later ones are made of them too.

    Raises:
        InputFormatError: the tool does not take an example.
        TargetError: the tool cannot be found, imported or understood, or there are several.
        SandboxError: the sandbox cannot be started or kept.
    """
    target = tool if isinstance(tool, str) else target_of(tool)
    config = config or load_config().fuzz
    finished: Campaign | None = None
    for event in fuzz_events(
        target,
        calls=calls,
        seed=seed,
        config=config,
        files=files,
        allow_hosts=allow_hosts,
        reset=reset,
        env=env,
        setup=setup,
        examples=tuple((None, arguments) for arguments in examples),
    ):
        if isinstance(event, CampaignStarted) and event.of > 1:
            raise TargetError(
                f"{target!r} names {event.of} tools.",
                next_step=f"Fuzz one at a time, such as {event.tool.target!r}.",
            )
        if isinstance(event, CampaignFinished):
            finished = event.campaign
    assert finished is not None  # noqa: S101 - a target without tools is a TargetError
    return finished


def target_of(function: Callable[..., Any]) -> str:
    """The target that names ``function``, so that another process can import it.

    Raises:
        TargetError: it is a lambda, a local function, or otherwise without an address.
    """
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name:
        raise TargetError(
            f"{function!r} has no name that another process could import.",
            next_step="Define it at the top of a module, or give a target such as "
            '"package.module:name".',
        )
    if module == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
        if file is None:
            raise TargetError(
                f"{function!r} was defined interactively.", next_step="Put it into a file."
            )
        return f"{Path(file).resolve()}:{name}"
    return f"{module}:{name}"
