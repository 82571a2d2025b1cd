"""The sentence embedder that the configuration names."""

from __future__ import annotations

from knitbone.config import EmbedderConfig
from knitbone.models.embedding_cache import CachedEmbedder, default_cache_path
from knitbone.models.minilm import MiniLmEmbedder
from knitbone.models.openai_embedder import openai_embedder
from knitbone.models.vectors import Embedder

__all__ = ["CachedEmbedder", "Embedder", "MiniLmEmbedder", "create_embedder", "openai_embedder"]


def create_embedder(config: EmbedderConfig | None = None) -> Embedder:
    """The configured embedder, behind its disk cache unless that is switched off.

    Without a configuration it is the embedded one, and nothing leaves the machine. Loads and
    contacts nothing before the first ``embed``.

    Raises:
        ConfigError: the ``openai`` provider without a model's name, or with a bad address.
        MissingExtraError: a library it needs is not installed.
        MissingKeyError: the environment variable that should hold the key is not set.
    """
    config = config or EmbedderConfig()
    embedder: Embedder = (
        openai_embedder(config) if config.provider == "openai" else MiniLmEmbedder()
    )
    if not config.cache:
        return embedder
    return CachedEmbedder(embedder, default_cache_path())
