"""Sentence embeddings of any endpoint that speaks OpenAI's protocol.

Source: the OpenAI API reference, ``POST /v1/embeddings``. Errors, retries and the handling of
keys are those of the chat models.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from knitbone.config import EmbedderConfig, ModelConfig
from knitbone.errors import ConfigError, ModelError, import_extra
from knitbone.models.endpoints import NO_KEY, resolve_endpoint
from knitbone.models.failures import BrokenAnswerError, Endpoint, model_error
from knitbone.models.vectors import Vectors, clean, place_rows, unit_rows

if TYPE_CHECKING:
    import numpy as np
else:
    np = import_extra("numpy", extra="embed", purpose="Sentence embedding")

__all__ = ["MAX_CHARACTERS", "openai_embedder"]

MAX_CHARACTERS = 24_000
"""What of a text is sent. OpenAI's models take 8,192 tokens, some 30,000 characters of English;
an endpoint that takes less refuses the request, and its words are in the error."""
_BATCH_TEXTS = 64
_BATCH_CHARACTERS = 200_000
"""Texts and characters of one request; OpenAI's limit is 300,000 tokens."""
_TIMEOUT_S = 30.0
"""Longest wait for one request."""
_RETRIES = 3
"""Of one request, by the library, which decides what it tries again."""
_URL = "https://api.openai.com/v1"


def openai_embedder(
    config: EmbedderConfig,
    *,
    environ: Mapping[str, str] | None = None,
) -> OpenAIEmbedder:
    """An embedder behind an OpenAI-compatible endpoint. Nothing is sent before ``embed``.

    Raises:
        ConfigError: no name, or an unusable ``base_url``.
        MissingExtraError: the ``openai`` package is not installed.
        MissingKeyError: the environment variable that should hold the key is not set.
    """
    if not config.name:
        raise ConfigError(
            "An embedder of the provider 'openai' needs the name of its model.",
            next_step='Set it, such as name = "Qwen/Qwen3-Embedding-0.6B" in '
            "[tool.knitbone.embedder].",
        )
    url, endpoint = resolve_endpoint(
        ModelConfig(
            name=config.name,
            base_url=config.base_url,
            api_key_env=config.api_key_env,
            given_by=config.given_by,
        ),
        default_url=_URL,
        url_env="OPENAI_BASE_URL",
        key_env="OPENAI_API_KEY",
        environ=environ,
    )
    library = import_extra("openai", extra="openai", purpose="An OpenAI-compatible embedder")
    return OpenAIEmbedder(library, config, url, endpoint)


class OpenAIEmbedder:
    """One model behind one endpoint. Made by ``openai_embedder``.

    Longer text than ``MAX_CHARACTERS`` is cut off at its end. A blank text is not sent (the
    protocol refuses it). Safe to call from several threads, and in a forked process.
    """

    def __init__(self, library: Any, config: EmbedderConfig, url: str, endpoint: Endpoint) -> None:
        self._library = library
        self._config = config
        self._url = url
        self._endpoint = endpoint
        self._client: tuple[int, Any] | None = None
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._endpoint!r}>"

    @property
    def name(self) -> str:
        """The model's name, as configured."""
        return self._endpoint.model

    @property
    def identity(self) -> str:
        """The model and its host: another server may serve another model under the name."""
        return f"{self.name}@{self._endpoint.host}:{MAX_CHARACTERS}"

    @property
    def dimension(self) -> int | None:
        """Length of a vector; None before the first answer."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder.embed``.

        Raises:
            ModelError: one of its subclasses, by what the endpoint did.
        """
        cleaned = [clean(text, max_characters=MAX_CHARACTERS) for text in texts]
        places = [place for place, text in enumerate(cleaned) if text]
        batches = [self._ask(batch) for batch in _batches([cleaned[place] for place in places])]
        if not batches:
            return np.zeros((len(cleaned), self._dimension or 0), dtype=np.float32)
        return place_rows(np.concatenate(batches), places, count=len(cleaned))

    def _ask(self, texts: Sequence[str]) -> Vectors:
        try:
            rows = _rows(self._request(texts), count=len(texts))
        except Exception as error:
            told = model_error(error, self._endpoint, timeout_s=_TIMEOUT_S)
            if told is None:
                raise
            # The cause is suppressed: its text may repeat the key.
            raise told from None
        known = self._dimension or rows.shape[1]
        if rows.shape[1] != known:
            raise ModelError(
                f"{self._endpoint} answered with vectors of {rows.shape[1]} numbers, and with "
                f"{known} before.",
                next_step="Check that one model serves this name.",
            )
        self._dimension = known
        return rows

    def _request(self, texts: Sequence[str]) -> Any:
        return self._open().embeddings.create(
            model=self.name,
            input=list(texts),
            # The library would ask for base64, which not every server knows.
            encoding_format="float",
        )

    def _open(self) -> Any:
        """This process's client: connections must not cross a fork."""
        known = self._client
        if known is not None and known[0] == os.getpid():
            return known[1]
        client = self._library.OpenAI(
            base_url=self._url,
            api_key=self._endpoint.key or NO_KEY,
            timeout=_TIMEOUT_S,
            max_retries=_RETRIES,
        )
        weakref.finalize(self, client.close)
        # Two threads may both come here; the loser's client serves its one call.
        self._client = (os.getpid(), client)
        return client


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = characters = 0
    for place, text in enumerate(texts):
        full = place - start == _BATCH_TEXTS or characters + len(text) > _BATCH_CHARACTERS
        if full and place > start:
            yield texts[start:place]
            start, characters = place, 0
        characters += len(text)
    if start < len(texts):
        yield texts[start:]


def _rows(answer: Any, *, count: int) -> Vectors:
    """The vectors in the order of the texts; the library has not checked any of it."""
    data = getattr(answer, "data", None)
    if not isinstance(data, list):
        raise BrokenAnswerError("it has no list of embeddings")
    items = cast("list[Any]", data)
    if len(items) != count:
        raise BrokenAnswerError(f"it has {len(items)} embeddings for {count} texts")
    rows: list[Any] = [None] * count
    for position, item in enumerate(items):
        index = getattr(item, "index", None)
        place = index if isinstance(index, int) else position
        if not 0 <= place < count or rows[place] is not None:
            raise BrokenAnswerError(f"it has an embedding at the index {place} of {count} texts")
        rows[place] = getattr(item, "embedding", None)
    try:
        vectors = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise BrokenAnswerError("its embeddings are not numbers of one length") from error
    if vectors.ndim != 2 or vectors.shape[1] == 0 or not np.isfinite(vectors).all():
        raise BrokenAnswerError("its embeddings are not finite numbers")
    return unit_rows(vectors)
