"""A chat model that answers from a cassette.

A cassette is a text file, one JSON object a line: the request's hash, the request and the answer,
both without secrets, so that a person can read and commit it. The hash is taken before secrets
are removed. An answer is found by its hash alone: asking the same twice gives the same answer.
"""

from __future__ import annotations

import difflib
import fcntl
import hashlib
import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from knitbone._forks import new_lock
from knitbone.common.printable import printable
from knitbone.errors import CassetteMissError, InputFormatError
from knitbone.models.chat import (
    ChatModel,
    ChatRequest,
    Completion,
    ToolSpec,
    chat_request,
)
from knitbone.record.events import ChatMessage, Json
from knitbone.record.redaction import Redactor

__all__ = ["Recorded", "request_hash"]

CASSETTE_VERSION = 1


class _CassetteEntry(msgspec.Struct, frozen=True, kw_only=True):
    version: int = CASSETTE_VERSION
    key: str
    model: str
    request: ChatRequest
    completion: Completion


_decoder = msgspec.json.Decoder(_CassetteEntry)


def request_hash(model: str, request: ChatRequest) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON of model, messages, tools and schema.

    Canonical: keys sorted, no spaces, ASCII only (so that lone surrogates have a form too).
    """
    content = {"model": model, **msgspec.to_builtins(request, enc_hook=repr)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Recorded:
    """Answers from a cassette; with ``record``, asks that model what the cassette lacks.

    Args:
        path: the cassette. It must exist unless ``record`` is given.
        name: the model's name, which is part of the hash; by default that of ``record``.
        record: the model to ask and record. Without it, a miss is an error.
        redactor: removes secrets from what is written, on top of the built-in patterns.

    Raises:
        InputFormatError: the cassette is missing, or a line of it is not a record.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        record: ChatModel | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._path = Path(path)
        self._model = record
        self._name = name or (record.name if record is not None else "recorded")
        self._redactor = redactor or Redactor()
        self._guard = new_lock()
        self._entries = _load(self._path, may_miss=record is not None)

    @property
    def name(self) -> str:
        """The model's name, as configured."""
        return self._name

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The recorded answer; see ``ChatModel.complete``.

        Raises:
            CassetteMissError: there is none, and no model to ask.
        """
        request = chat_request(messages, tools, schema)
        key = request_hash(self._name, request)
        known = self._entries.get(key)
        if known is not None:
            return known.completion
        if self._model is None:
            raise self._miss(key, request)
        completion = await self._model.complete(messages, tools=tools, schema=schema)
        return self._append(key, request, completion)

    def _append(self, key: str, request: ChatRequest, completion: Completion) -> Completion:
        entry = self._redactor.record(
            _CassetteEntry(key=key, model=self._name, request=request, completion=completion)
        )
        # The hash is ours and must survive whatever the user's patterns match.
        entry = msgspec.structs.replace(entry, key=key)
        line = msgspec.json.encode(entry) + b"\n"
        # What is written has no secrets; whoever asks again here gets what was answered.
        answered = msgspec.structs.replace(entry, completion=completion)
        with self._guard:
            _append_line(self._path, line)
            return self._entries.setdefault(key, answered).completion

    def _miss(self, key: str, request: ChatRequest) -> CassetteMissError:
        return CassetteMissError(
            f"The cassette {self._path} has no answer of {printable(self._name, limit=80)!r} to "
            f"request {key[:16]} ({len(self._entries)} recorded). "
            f"{_difference(self._name, request, list(self._entries.values()))}",
            next_step="Record it: Recorded(path, record=model), with a model that is configured.",
        )


def _load(path: Path, *, may_miss: bool) -> dict[str, _CassetteEntry]:
    entries: dict[str, _CassetteEntry] = {}
    try:
        with path.open("rb") as file, _locked(file.fileno(), fcntl.LOCK_SH):
            for number, line in enumerate(file, start=1):
                if line.strip():
                    entry = _entry(path, number, line)
                    entries.setdefault(entry.key, entry)
    except FileNotFoundError:
        if may_miss:
            return {}
        raise InputFormatError(
            f"The cassette {path} does not exist.",
            next_step="Check the path, or record it: Recorded(path, record=model).",
        ) from None
    except OSError as error:
        raise InputFormatError(
            f"The cassette {path} cannot be read: {error.strerror}.", next_step="Check the path."
        ) from error
    return entries


def _entry(path: Path, number: int, line: bytes) -> _CassetteEntry:
    try:
        entry = _decoder.decode(line.decode("utf-8"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        said = printable(line[:200].decode("utf-8", "replace"), limit=60)
        raise InputFormatError(
            f"The cassette {path}, line {number}, is not a record: {error} ({said!r}).",
            next_step="Delete that line and record the request again.",
        ) from None
    if entry.version != CASSETTE_VERSION:
        raise InputFormatError(
            f"The cassette {path}, line {number}, has version {entry.version}; this knitbone "
            f"reads version {CASSETTE_VERSION}.",
            next_step="Record it again, or update knitbone.",
        )
    return entry


def _append_line(path: Path, line: bytes) -> None:
    """Append whole lines only, also when several processes record into one cassette."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # 0o600: answers may be confidential.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        with _locked(descriptor, fcntl.LOCK_EX):
            size = os.fstat(descriptor).st_size
            # A process that was killed while it wrote left half a line: ours starts on its own.
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


@contextmanager
def _locked(descriptor: int, how: int) -> Generator[None, None, None]:
    fcntl.flock(descriptor, how)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _difference(name: str, request: ChatRequest, entries: list[_CassetteEntry]) -> str:
    """What sets the request apart from the nearest recorded one, in words."""
    if not entries:
        return "The cassette is empty."
    wanted = _last_text(request)
    nearest = max(
        entries,
        key=lambda entry: (
            entry.model == name,
            entry.request.tools == request.tools,
            entry.request.schema == request.schema,
            _shared(entry.request, request),
            difflib.SequenceMatcher(
                None, _last_text(entry.request), wanted, autojunk=False
            ).quick_ratio(),
        ),
    )
    if nearest.model != name:
        return f"The nearest one was asked of {printable(nearest.model, limit=80)!r}."
    if nearest.request.tools != request.tools:
        return "The nearest one offered other tools."
    if nearest.request.schema != request.schema:
        return "The nearest one asked for another schema."
    shared = _shared(nearest.request, request)
    if shared >= len(nearest.request.messages) or shared >= len(request.messages):
        lengths = f"{len(nearest.request.messages)} messages instead of {len(request.messages)}"
        return f"The nearest one has {lengths}."
    theirs, ours = nearest.request.messages[shared], request.messages[shared]
    return (
        f"The nearest one differs from message {shared + 1} on: recorded "
        f"{printable(theirs.content, limit=60)!r}, asked {printable(ours.content, limit=60)!r}."
    )


def _last_text(request: ChatRequest) -> str:
    return request.messages[-1].content[:2000] if request.messages else ""


def _shared(one: ChatRequest, other: ChatRequest) -> int:
    """How many messages both begin with."""
    count = 0
    for left, right in zip(one.messages, other.messages, strict=False):
        if left != right:
            break
        count += 1
    return count
