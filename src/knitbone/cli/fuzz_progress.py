"""How far a fuzzing campaign is, on standard error, and only where that is a terminal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from knitbone.cli.output import console, is_terminal
from knitbone.common.printable import printable
from knitbone.fuzzing.records import CallFinished, CampaignFinished, CampaignStarted, FuzzEvent

__all__ = ["FuzzProgress"]


class FuzzProgress:
    """A bar for each tool that is being fuzzed, with its unique failures so far."""

    def __init__(self, *, quiet: bool) -> None:
        screen = console(stderr=True)
        self._bars: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("unique failures: {task.fields[unique]}{task.fields[note]}"),
            console=screen,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            disable=quiet or not is_terminal(screen),
        )

    def __enter__(self) -> FuzzProgress:
        self._progress.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._progress.stop()

    def show(self, event: FuzzEvent) -> None:
        """Take one event in."""
        if isinstance(event, CampaignStarted):
            name = printable(event.tool.name, limit=40)
            note = f"  ({event.resumed} calls from the journal)" if event.resumed else ""
            self._bars[event.tool.target] = self._progress.add_task(
                name, total=event.calls, unique=0, note=note
            )
        elif isinstance(event, CallFinished):
            bar = self._bars[event.tool]
            self._progress.update(bar, completed=event.call, unique=event.unique)
        elif isinstance(event, CampaignFinished):
            self._progress.remove_task(self._bars.pop(event.campaign.tool.target))

    @contextmanager
    def paused(self) -> Generator[None]:
        """No bar on the screen while something else is printed."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()
