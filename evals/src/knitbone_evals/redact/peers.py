"""What removes secrets from a value: ours, and tools that others keep, for the comparison."""

from __future__ import annotations

# ruff: noqa: PLC0415, PLW2901 - each tool has an environment of its own
import io
from collections.abc import Callable
from typing import Any

__all__ = ["CLEANERS", "Cleaner"]

Cleaner = Callable[[Any], Any]

_ENTERED: list[Any] = []


def knitbone() -> Cleaner:
    from knitbone.record.redaction import Redactor

    return Redactor().value


def detect_secrets() -> Cleaner:
    """Yelp's detect-secrets, all plugins with their default settings; a line at a time, as it
    works."""
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    settings = default_settings()
    settings.__enter__()  # for the whole run: it loads all plugins
    _ENTERED.append(settings)  # a context that is collected leaves itself, and unloads them

    def clean(text: str) -> str:
        for line in text.splitlines():
            for found in scan_line(line):
                if found.secret_value:
                    text = text.replace(found.secret_value, "[redacted]")
        return text

    return over_texts(clean)


def credsweeper() -> Cleaner:
    """Samsung's CredSweeper with its rules and its model, on each text as a file."""
    from credsweeper import CredSweeper
    from credsweeper.common.constants import ThresholdPreset
    from credsweeper.file_handler.text_content_provider import TextContentProvider

    sweeper = CredSweeper(ml_threshold=ThresholdPreset.medium)

    def clean(text: str) -> str:
        provider = TextContentProvider(("x.txt", io.BytesIO(text.encode())))
        found = sweeper.file_scan(provider)
        sweeper.credential_manager.set_credentials(found)
        sweeper.post_processing(None)
        for candidate in sweeper.credential_manager.get_credentials():
            for line in candidate.line_data_list:
                if line.value:
                    text = text.replace(line.value, "[redacted]")
        return text

    return over_texts(clean)


def over_texts(clean: Callable[[str], str]) -> Cleaner:
    """The same for each text of a value; a field is shown with its name, as a file would."""

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, dict):
            made: dict[Any, Any] = {}
            for key, item in value.items():
                if isinstance(item, str):
                    before = f"{key}: "
                    shown = clean(before + item)
                    item = shown.removeprefix(before)
                else:
                    item = walk(item)
                made[key] = item
            return made
        if isinstance(value, (list, tuple)):
            return [walk(item) for item in value]
        return value

    return walk


CLEANERS: dict[str, Callable[[], Cleaner]] = {
    "knitbone": knitbone,
    "detect-secrets": detect_secrets,
    "credsweeper": credsweeper,
}
