"""One inference that is recorded, whole or as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from knitbone.config import ModelPrice
from knitbone.record.events import ErrorInfo, Json, ModelCall, Usage
from knitbone.record.identifiers import now_ns
from knitbone.record.recorder import Recorder
from knitbone.tethering.capture.calls import (
    Kind,
    WatchedCall,
    error_info,
    guarded,
    made_call,
    previous_call,
    recorder_for,
)
from knitbone.tethering.capture.protocol import Accumulator, Dialect, ModelAnswer, ModelRequest
from knitbone.tethering.capture.state import RunState
from knitbone.tethering.capture.streams import follow

__all__ = ["ModelWatch", "StreamRecording", "cost_usd", "model_watch"]


# What a model call costs, by the configured price list.

_MILLION = 1_000_000


def cost_usd(
    prices: Mapping[str, ModelPrice],
    models: Iterable[str],
    input_tokens: int | None,
    output_tokens: int | None,
) -> float | None:
    """US dollars; ``None`` where a price or a number of tokens is not known.

    Args:
        models: the names of the model, the most specific first (what the answer says, what was
            asked for).
    """
    if not prices or input_tokens is None or output_tokens is None:
        return None
    price = next((found for name in models if (found := _price_of(prices, name))), None)
    if price is None:
        return None
    return (
        input_tokens * price.input_usd_per_million + output_tokens * price.output_usd_per_million
    ) / _MILLION


def _price_of(prices: Mapping[str, ModelPrice], model: str) -> ModelPrice | None:
    """The entry of that name, else the longest one that the name begins with: providers add dates
    to their models' names."""
    if model in prices:
        return prices[model]
    starts = [name for name in prices if model.startswith(name)]
    return prices[max(starts, key=len)] if starts else None


@guarded
def model_watch(
    layer: str,
    provider: str,
    dialect: Dialect,
    request: Callable[[], ModelRequest],
    *,
    made: type[ModelWatch] | None = None,
) -> ModelWatch | None:
    """Watch a model call that begins now, unless a library above has it already."""
    recorder = recorder_for("model")
    if recorder is None:
        return None
    return (made or ModelWatch)(recorder, layer, dialect, request(), provider)


class ModelWatch(WatchedCall):
    """One inference, from the request to the end of the answer."""

    kind: Kind = "model"

    def __init__(
        self, recorder: Recorder, layer: str, dialect: Dialect, request: ModelRequest, provider: str
    ) -> None:
        super().__init__(recorder, layer, request.model)
        self._before = previous_call()
        made_call(self.id)
        self._dialect = dialect
        self._request = request
        self._provider = provider

    def returned(self, value: Any) -> Any:
        """Record the answer."""
        self.returned_answer(value)
        return value

    @guarded
    def returned_answer(self, value: Any) -> None:
        """Record the answer that the SDK's object, or the JSON of the body, holds."""
        self.answered(self._dialect.answer(value))

    def streamed(self, stream: Any) -> Any:
        """Record the answer as the application consumes it; the stream to give to it."""
        self.active = False  # what the application does between two chunks is not in the call
        followed = self._follow(stream)
        return stream if followed is None else followed

    @guarded
    def _follow(self, stream: Any) -> Any:
        return self.listener().follow(stream)

    def listener(self) -> StreamRecording:
        """Hears the chunks of a stream."""
        return StreamRecording(self, self._dialect.accumulator())

    @guarded
    def raised(self, error: BaseException) -> None:
        """Record the failure."""
        self.answered(ModelAnswer(None), error_info(error))

    def answered(
        self,
        answer: ModelAnswer,
        error: ErrorInfo | None = None,
        *,
        unfinished: bool = False,
        ended_ns: int | None = None,
    ) -> None:
        """Record the call with what came of it."""
        request = self._request
        state = self.recorder.state(RunState)
        attributes: dict[str, Json] = {**request.attributes, **answer.attributes, **self._before}
        if request.tools:
            attributes |= state.tools_note(request.tools, self.id)
        if unfinished:
            attributes["knitbone.stream.unfinished"] = True
        state.asked(self.id, answer.output)
        if error is None and answer.error is not None:
            error = ErrorInfo(type="error in the answer", message=answer.error)
        model = str(attributes.get("gen_ai.response.model") or request.model)
        usage = None
        if answer.input_tokens is not None or answer.output_tokens is not None:
            usage = Usage(
                input_tokens=answer.input_tokens,
                output_tokens=answer.output_tokens,
                cost_usd=cost_usd(
                    state.prices,
                    (model, request.model),
                    answer.input_tokens,
                    answer.output_tokens,
                ),
            )
        self.record(
            ModelCall(
                id=self.id,
                started_ns=self.started_ns,
                ended_ns=now_ns() if ended_ns is None else ended_ns,
                parent=self.parent,
                agent=self.agent,
                attributes=attributes,
                model=request.model,
                provider=self._provider,
                operation=self._dialect.operation,
                input=request.messages,
                output=answer.output,
                finish_reason=answer.finish_reason,
                usage=usage,
                error=error,
            )
        )


class StreamRecording:
    """Hears one stream and records its call once, at the first of: its end, its failure, that the
    application leaves it, the end of the run."""

    def __init__(self, call: ModelWatch, accumulator: Accumulator) -> None:
        self._call: ModelWatch | None = call
        self._accumulator = accumulator
        self._state = call.recorder.state(RunState)
        self._number = self._state.opened(self.left)

    def follow(self, stream: Any) -> Any:
        """The stream to give to the application."""
        return follow(stream, self)

    @guarded
    def answered(self, value: Any) -> None:
        """It was no stream after all, or was read whole."""
        call, self._call = self._call, None
        if call is not None:
            self._state.closed(self._number)
            call.returned_answer(value)

    @guarded
    def add(self, chunk: Any) -> None:
        """One chunk."""
        if self._call is not None:
            self._accumulator.add(chunk)

    def finished(self) -> None:
        """The stream ended."""
        self._record(None, unfinished=False)

    def failed(self, error: BaseException) -> None:
        """The stream raised."""
        self._record(error, unfinished=True)

    def left(self, ended_ns: int | None = None) -> None:
        """Nobody reads on, from now or from then."""
        self._record(None, unfinished=True, ended_ns=ended_ns)

    @guarded
    def _record(
        self, error: BaseException | None, *, unfinished: bool, ended_ns: int | None = None
    ) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        self._state.closed(self._number)
        info = error_info(error) if error is not None else None
        call.answered(self._accumulator.answer(), info, unfinished=unfinished, ended_ns=ended_ns)
