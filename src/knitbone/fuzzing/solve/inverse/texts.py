"""Back through the methods of texts and bytes."""

from __future__ import annotations

from typing import Any

from knitbone.fuzzing.solve.inverse.view import MOST, Changes, Step, TermView

__all__ = ["STEPS"]


def _split(view: TermView, value: Any) -> Changes:
    separator = view[1] if len(view) > 1 and not view.term.names else None
    if not isinstance(separator, str):
        separator = "\n" if view.term.op.endswith("splitlines") else " "
    yield 0, separator.join(value)


def _partition(view: TermView, value: Any) -> Changes:
    separator = view[1]
    parts = list(value)
    if parts[2] or parts[0] or parts[1]:
        yield 0, parts[0] + separator + parts[2]
        yield 0, "".join(parts)


def _joined(view: TermView, value: Any) -> Changes:
    separator = view[0]
    yield 1, value.split(separator) if separator else list(value)


def _pieces(view: TermView, value: Any) -> Changes:
    """An f-string: what stands around the one part that is not known is taken away."""
    for index in range(len(view)):
        if view.is_term(index):
            before = "".join(str(view[i]) for i in range(index))
            after = "".join(str(view[i]) for i in range(index + 1, len(view)))
            if value.startswith(before) and value.endswith(after):
                wanted = value[len(before) : len(value) - len(after)]
                now = view[index]
                yield index, int(wanted) if isinstance(now, int) else wanted


def _without_prefix(view: TermView, value: Any) -> Changes:
    now = view[0]
    yield 0, view[1] + value if now.startswith(view[1]) else value


def _without_suffix(view: TermView, value: Any) -> Changes:
    now = view[0]
    yield 0, value + view[1] if now.endswith(view[1]) else value


def _stripped(view: TermView, value: Any) -> Changes:
    now, inner = view[0], view.now
    start = now.find(inner) if inner else -1
    if start >= 0:
        yield 0, now[:start] + value + now[start + len(inner) :]
    yield 0, value


def _position(view: TermView, value: Any) -> Changes:
    if 0 <= value <= MOST:
        yield 0, "a" * value + view[1]


def _count(view: TermView, value: Any) -> Changes:
    part = view[1]
    if 0 <= value <= MOST and isinstance(part, str):
        rest = view[0].replace(part, "")
        yield 0, rest + part * value
        yield 0, part.join([rest or "a", *["a"] * value])


def _path_parts(_: TermView, value: Any) -> Changes:
    yield 0, "".join(value)


def _folder_and_name(_: TermView, value: Any) -> Changes:
    yield 0, "/".join(part for part in value if part)


def _encode(_: TermView, value: Any) -> Changes:
    yield 0, value.decode("utf-8")


def _decode(_: TermView, value: Any) -> Changes:
    yield 0, value.encode("utf-8")


def _lines(_: TermView, value: Any) -> Changes:
    yield 0, "".join(line if line.endswith("\n") else line + "\n" for line in value)


def _as_it_is(_: TermView, value: Any) -> Changes:
    """What leaves a value as it is, where nothing speaks against it."""
    yield 0, value


def _second(_: TermView, value: Any) -> Changes:
    yield 1, value


STEPS: dict[str, Step] = {
    "join": _pieces, "splitlines": _lines, "shlex.split": _split, "posixpath.splitext": _path_parts,
    "posixpath.split": _folder_and_name, "unicodedata.normalize": _second,
    **dict.fromkeys(
        ("textwrap.dedent", "posixpath.basename", "posixpath.normpath"),
        _as_it_is,
    ),
    **{
        f".{kind}.{name}": step
        for kind in ("str", "bytes")
        for name, step in {
            "split": _split, "rsplit": _split, "splitlines": _split, "partition": _partition,
            "rpartition": _partition, "join": _joined, "strip": _stripped, "lstrip": _stripped,
            "rstrip": _stripped, "removeprefix": _without_prefix, "find": _position,
            "removesuffix": _without_suffix, "index": _position, "rfind": _position,
            "rindex": _position, "count": _count, "encode": _encode, "decode": _decode,
            **dict.fromkeys(
                ("lower", "upper", "title", "casefold", "capitalize", "swapcase", "replace",
                 "zfill", "ljust", "rjust", "center", "expandtabs", "translate"),
                _as_it_is,
            ),
        }.items()
    },
}  # fmt: skip
