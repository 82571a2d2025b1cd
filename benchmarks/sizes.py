"""What an installation weighs: ``python -m benchmarks.sizes [EXTRA ...]``.

Installs the core, and the core with each extra, into an empty folder each, with compiled files, as
pip does it on this machine, and counts as ``du`` does; pip itself is not counted. A package of the
index has other sizes for other machines. ``train`` (gigabytes) and ``ray`` are measured where they
are named.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
CORE = "core"
EXTRAS = (
    "embed", "tether", "language", "syntax", "fuzz", "openai", "anthropic", "langchain", "mcp",
    "otlp", "standard",
)  # fmt: skip
_BLOCKS = 2048
"""Blocks of 512 bytes in a megabyte of 1024 x 1024 bytes."""
LIMIT_MB = {"standard": 390}
"""Megabytes that an installation may have."""


def installed(extra: str) -> dict[str, float]:
    """Megabytes by top-level folder or file."""
    wanted = str(ROOT) if extra == CORE else f"{ROOT}[{extra}]"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, wanted]
        subprocess.run([*command, "--disable-pip-version-check"], check=True)
        return {
            path.name: sum(f.stat().st_blocks for f in (path, *path.rglob("*"))) / _BLOCKS
            for path in Path(folder).iterdir()
        }


def main() -> None:
    """Measure, print, write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", default=[CORE, *EXTRAS])
    table: dict[str, dict[str, object]] = {}
    lines = [
        "### What an installation weighs",
        "",
        "| extra | MB | the largest parts |",
        "| --- | --- | --- |",
    ]
    for extra in parser.parse_args().extras:
        parts = installed(extra)
        total = round(sum(parts.values()))
        largest = sorted(parts.items(), key=lambda item: -item[1])[:4]
        table[extra] = {"megabytes": total, "limit": LIMIT_MB.get(extra)}
        shown = ", ".join(f"{name} {size:.0f}" for name, size in largest if size >= 1)
        lines.append(f"| {extra} | {total} | {shown} |")
        print(lines[-1], flush=True)
    lines += ["", f"Python {platform.python_version()}, {platform.system()} {platform.machine()}."]
    (RESULTS / "sizes.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (RESULTS / "sizes.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
