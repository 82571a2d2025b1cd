"""Which source files a command is asked to read, and the project that they belong to."""

from __future__ import annotations

from pathlib import Path

from knitbone.errors import TargetError

__all__ = ["files_of", "project_root"]

_SKIPPED = {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"}


def project_root(start: Path) -> Path:
    """The nearest folder with a pyproject.toml or .git, from ``start`` upwards; without one the
    current folder where it holds ``start``, else ``start``."""
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").is_file() or (folder / ".git").exists():
            return folder
    here = Path.cwd().resolve()
    return here if start.is_relative_to(here) else start


def files_of(target: str) -> list[Path]:
    """The Python files of a file, folder or dotted module name.

    Raises:
        TargetError: there are none.
    """
    path = Path(target)
    if path.is_file():
        return [path]
    if path.is_dir():
        found = sorted(
            file
            for file in path.rglob("*.py")
            if not any(
                part in _SKIPPED or part.startswith(".")
                for part in file.relative_to(path).parts[:-1]
            )
        )
        if not found:
            raise TargetError(f"There is no Python file in {target!r}.")
        return found
    dotted = target.replace(".", "").isidentifier()
    for root in (Path(), Path("src")) if dotted else ():
        module = root.joinpath(*target.split("."))
        if module.with_suffix(".py").is_file():
            return [module.with_suffix(".py")]
        if (module / "__init__.py").is_file():
            return files_of(str(module))
    raise TargetError(
        f"{target!r} is no file, folder or module below the current folder.",
        next_step="Name a .py file, a folder, or a module such as package.module.",
    )
