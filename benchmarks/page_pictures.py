"""Pictures of every page, for docs/how-to/pages.md: ``python -m benchmarks.page_pictures``.

The pages are made by the commands themselves, on the samples that come with knitbone, and taken by
the system's Chromium at three widths, light and dark. Needs playwright and pillow, which
``make install`` brings, and a browser (``apt-get install chromium``). A minute.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

SIZES = ((390, 844), (768, 900), (1280, 860))
SCHEMES = ("light", "dark")
COLOURS = 192
"""Of a picture's palette: with so many no colour of the few on a page is lost."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SAMPLES = Path(__file__).parents[1] / "tests" / "samples" / "requirements"

PROGRAM = """
import re
import knitbone

ANSWERS = iter(["1) Find a place\\n2) Hire two people", "1. Buy flour", "- Call the bank"])

@knitbone.source
def ask(question):
    return next(ANSWERS)

def plan(goal):
    return re.findall(r"^\\d+\\. (.+)$", ask("Plan " + goal), re.M)

for goal in ("a cafe", "bread", "a loan"):
    print(plan(goal))
"""


def make_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Write the pages by the commands that make them; yields file name and fragment."""
    bank = resources.files("knitbone.samples") / "runs" / "bank_runs.json"
    (folder / "bank_runs.json").write_bytes(bank.read_bytes())
    (folder / "plan.py").write_text(PROGRAM, encoding="utf-8")
    for name in ("receipt_reader", "quiz_maker", "meal_planner"):
        shutil.copytree(SAMPLES / name, folder / "app" / name)
    tools = [f"knitbone.samples.tools:{name}" for name in ("seat_party", "column_mean", "greet")]
    pages = {
        "demo": (["demo", "--report", "demo.html"], ""),
        "check": (["check", "app", "--html", "check.html"], ""),
        "run": (["run", "--mode", "observe", "--html", "run.html", "--", "python", "plan.py"],
                ""),
        "fuzz": (["fuzz", *tools, "--no-model", "--seed", "1", "--html", "fuzz.html"], "#tool-0"),
        "runs": (["diagnose", "bank_runs.json", "--all", "--html", "runs.html"], ""),
        "diagnose": (["diagnose", "bank_runs.json", "--record", "0", "--html", "diagnose.html"],
                     ""),
    }  # fmt: skip
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for name, (arguments, fragment) in pages.items():
        done = subprocess.run(
            [sys.executable, "-m", "knitbone", *arguments], cwd=folder, check=False,
            env={**os.environ, "PATH": path},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        if not (folder / f"{name}.html").is_file():
            sys.exit(f"{name}: {done.stderr}")
        yield name, fragment


def take(browser: Browser, page: Path, fragment: str, out: Path) -> Iterator[Path]:
    """One page at every width, light and dark."""
    for scheme in SCHEMES:
        for width, height in SIZES:
            tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            tab.goto(page.as_uri())
            if fragment:
                tab.evaluate("name => { document.querySelector(name).open = true; }", fragment)
            picture = Image.open(io.BytesIO(tab.screenshot()))
            tab.close()
            file = out / f"{page.stem}-{width}-{scheme}.png"
            small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            small.save(file, optimize=True)
            yield file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    out: Path = parser.parse_args().out
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.exit(f"There is no browser; install one of {', '.join(BROWSERS)}.")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as started:
        folder = Path(temporary)
        browser = started.chromium.launch(executable_path=browser_path)
        for name, fragment in make_pages(folder):
            for file in take(browser, folder / f"{name}.html", fragment, out):
                print(f"{file}  {file.stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
