"""``knitbone fix``: mend a tool's documentation by what fuzzing learned of the tool."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from knitbone.cli.fuzz_progress import FuzzProgress
from knitbone.cli.output import console, json_option
from knitbone.cli.tool_options import tool_options
from knitbone.config import load_config
from knitbone.errors import InputFormatError
from knitbone.fuzzing.examine import roles_of
from knitbone.fuzzing.fixing.engine import DocumentationFixed, EarlierFixes, FixSetting, fix
from knitbone.fuzzing.fixing.overlays import write_overlay
from knitbone.fuzzing.fixing.records import DocumentationFix
from knitbone.fuzzing.generate.examples import read_examples, read_findings
from knitbone.fuzzing.records import json_text
from knitbone.report.fix import fix_lines, fix_record

__all__ = ["command"]

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_OVERLAYS = Path(".knitbone") / "overlays"


@click.command("fix")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--write", is_flag=True, help="Change the source files, or write the overlays.")
@click.option(
    "--check",
    is_flag=True,
    help="Fuzz the tool with its new documentation, too, and count unique errors.",
)
@click.option("--patch", type=_FILE, metavar="FILE", help="Write the diff, for git apply.")
@click.option(
    "--overlays",
    type=_FOLDER,
    default=_OVERLAYS,
    show_default=True,
    metavar="FOLDER",
    help="Where --write puts the documentation of tools whose source is not here.",
)
@click.option(
    "--findings",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Findings of an earlier campaign to begin with: a file or folder of knitbone fuzz.",
)
@click.option("--calls", type=click.IntRange(min=1), help="Calls for each tool.  [default: 200]")
@click.option("--seed", type=int, help="The same seed gives the same calls.  [default: 0]")
@tool_options
@click.option(
    "--examples",
    "examples_file",
    type=_FILE,
    metavar="FILE",
    help="Calls to begin with: JSON Lines, or a list, of argument objects.",
)
@click.option("--no-model", is_flag=True, help="Use no language model, whatever is configured.")
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Descriptions that the model of the role writer makes, to choose from.",
)
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    targets: tuple[str, ...],
    *,
    write: bool,
    check: bool,
    patch: Path | None,
    overlays: Path,
    findings: Path | None,
    calls: int | None,
    seed: int | None,
    time_s: float | None,
    timeout: float | None,
    files: Path | None,
    allow_hosts: tuple[str, ...],
    reset: str | None,
    env: tuple[str, ...],
    setup: str | None,
    examples_file: Path | None,
    no_model: bool,
    candidates: int,
    as_json: bool,
) -> None:
    """Fuzz the tools that TARGET names, and propose what their documentation should say.

    TARGET is written as for knitbone fuzz. What is proposed (values, formats, limits, relations, an
    example) was tried in the sandbox: what keeps to it is taken, what breaks it is refused. It
    comes as a diff of the docstring, description or schema; nothing is changed without --write,
    and nothing in a file that has uncommitted changes, may not be written or is generated. For an
    MCP server it comes as an overlay, a JSON file of its own. Where a model is named for the role
    writer, it writes descriptions, too, and the best is taken if it does better.

    Exit codes: 0 done; 1 with --write: something could not be written; 2 the target, an argument
    or a file is wrong, or the sandbox failed; 130 interrupted.
    """
    given = {"call_timeout_s": timeout, "time_s": time_s}
    loaded = load_config()
    config = loaded.fuzz
    config = msgspec.structs.replace(config, **{k: v for k, v in given.items() if v is not None})
    if (examples_file is not None or findings is not None) and len(targets) != 1:
        raise click.UsageError("--examples and --findings take exactly one TARGET.")
    examples = () if examples_file is None else read_examples(examples_file)
    setting = FixSetting(
        config=config,
        calls=calls,
        seed=seed,
        files=files,
        allow_hosts=allow_hosts,
        reset=reset,
        env=env,
        setup=setup,
        examples=(*examples, *(() if findings is None else read_findings(findings))),
        check=check,
        write=write,
        writer=None if no_model else roles_of(loaded).writer,
        candidates=candidates,
    )
    try:
        fixes = _run(targets, setting, overlays, as_json=as_json)
    except KeyboardInterrupt:
        console(stderr=True).print("interrupted; files are as they were, or written whole")
        sys.exit(130)
    if patch is not None:
        _write_patch(patch, fixes)
    if write and any(each.refusal is not None and not each.written for each in fixes):
        sys.exit(1)


def _run(
    targets: Sequence[str], setting: FixSetting, overlays: Path, *, as_json: bool
) -> list[DocumentationFix]:
    """Fix the tools one after the other, and tell each as it is done."""
    fixes: list[DocumentationFix] = []
    earlier = EarlierFixes()
    with FuzzProgress(quiet=as_json) as progress:
        for target in targets:
            for event in fix(target, setting, earlier=earlier):
                if not isinstance(event, DocumentationFixed):
                    progress.show(event)
                    continue
                made = event.fix
                if setting.write and made.overlay is not None and not made.patches:
                    path = write_overlay(made.overlay, overlays)
                    made = msgspec.structs.replace(made, overlay_file=str(path))
                fixes.append(made)
                with progress.paused():
                    _tell(made, setting, as_json=as_json)
    return fixes


def _tell(made: DocumentationFix, setting: FixSetting, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json_text(fix_record(made)) + "\n")
    else:
        screen = console()
        for text, style in fix_lines(made, checked=setting.check, asked_to_write=setting.write):
            screen.print(text, style=style or None, soft_wrap=True)
    sys.stdout.flush()


def _write_patch(path: Path, fixes: Sequence[DocumentationFix]) -> None:
    patches = [each for made in fixes for each in made.patches]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # As it is: a diff has the line ends and the encoding of its file.
        path.write_bytes(
            b"".join(patch.diff.encode(patch.encoding, "surrogateescape") for patch in patches)
        )
    except (OSError, UnicodeEncodeError) as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.", next_step="Name another file with --patch."
        ) from error
