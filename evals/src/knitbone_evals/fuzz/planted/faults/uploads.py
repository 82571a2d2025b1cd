"""Faults of the tools for uploads."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

THEME = "uploads"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "preview_csv_upload"),
        category="embedded document",
        fault=raised("UnicodeDecodeError", "preview_csv_upload"),
        specification="under",
        lacks="that the file must be UTF-8",
        # "name,city\nJosé,Málaga\n" in Latin-1
        witness={"data_url": "data:text/csv;base64,bmFtZSxjaXR5Ckpvc+ksTeFsYWdhCg=="},
        # "name,city\nAna,Porto\n"
        normal={"data_url": "data:text/csv;base64,bmFtZSxjaXR5CkFuYSxQb3J0bwo="},
        more=(
            {"data_url": "data:text/csv;base64,"},
            {"data_url": "data:text/csv;base64,bmFtZSxjaXR5CkFuYSxQb3J0bwo=", "rows": 50},
            # "a,b\n1\n1,2,3\n"
            {"data_url": "data:text/csv;base64,YSxiCjEKMSwyLDMK"},
        ),
        hard="document",
        refusals=(
            raised("ValueError", "preview_csv_upload", "rows must be"),
            raised("ValueError", "preview_csv_upload", "the upload "),
        ),
    ),
    Sound(
        target=target_of(THEME, "decode_text"),
        accepted=(
            {"data": "SGVsbG8="},
            {"data": ""},
            {"data": "6Q==", "encoding": "latin-1"},
        ),
        refused=(
            {"data": "%%%"},
            {"data": "6Q=="},
            {"data": "SGVsbG8=", "encoding": "cp1252"},
        ),
        refusals=(raised("ValueError", "decode_text"),),
    ),
)
