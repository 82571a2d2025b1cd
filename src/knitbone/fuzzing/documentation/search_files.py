"""Searches as files, to be labelled by a person later."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import msgspec

from knitbone.common.private_files import private_file
from knitbone.errors import InputFormatError
from knitbone.fuzzing.documentation.records import DocumentationCampaign
from knitbone.fuzzing.records import json_text

__all__ = ["campaign_path", "load_campaign", "save_campaign"]

_FORMAT = 1


class _SavedSearch(msgspec.Struct, frozen=True, kw_only=True):
    knitbone_documentation: int
    campaign: DocumentationCampaign


def campaign_path(target: str, folder: Path) -> Path:
    """Where the search of a tool is kept."""
    slug = re.sub(r"[^A-Za-z0-9_.-]+", "_", target)[-60:]
    digest = hashlib.sha256(target.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return folder / f"{slug}-{digest}.json"


def save_campaign(campaign: DocumentationCampaign, folder: Path) -> Path:
    """Write a search, in place of an earlier one of the same tool.

    Raises:
        InputFormatError: it cannot be written.
    """
    path = campaign_path(campaign.tool.target, folder)
    saved = _SavedSearch(knitbone_documentation=_FORMAT, campaign=campaign)
    try:
        private_file(path)
        path.write_text(json_text(msgspec.to_builtins(saved)) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.", next_step="Name another folder with --save."
        ) from error
    return path


def load_campaign(path: Path) -> DocumentationCampaign:
    """A search that was saved.

    Raises:
        InputFormatError: the file is no such search.
    """
    try:
        # Not msgspec's reader: what tools said may hold lone surrogates.
        saved = msgspec.convert(json.loads(path.read_bytes()), _SavedSearch)
    except (OSError, ValueError, RecursionError, msgspec.ValidationError) as error:
        raise InputFormatError(
            f"{path} is no search of knitbone fuzz-docs: {error}.",
            next_step="Name a file that knitbone fuzz-docs saved, or its target.",
        ) from error
    if saved.knitbone_documentation != _FORMAT:
        raise InputFormatError(
            f"{path} is of format {saved.knitbone_documentation}; this version reads {_FORMAT}.",
            next_step="Search again with this version.",
        )
    return saved.campaign
