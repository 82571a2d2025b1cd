"""What an application's own tests can use: a local server that speaks the providers' protocols.

```python
from knitbone.testing import ModelServer, Reply

with ModelServer(["first answer", Reply(status=429, retry_after=0), "second answer"]) as server:
    client = openai.OpenAI(base_url=server.base_url, api_key="unused")
    ...
    assert server.requests[0].body["messages"][-1]["content"] == "hello"
```

A model that asks for a tool: ``Reply(tool_calls=(ToolCallRequest(name="add", arguments={"a": 1},
call_id="call_1"),))``.
"""

from knitbone.record.events import ToolCallRequest
from knitbone.testing.embedding import simulated_embedding
from knitbone.testing.replies import COUNTED, Reply
from knitbone.testing.server import ModelServer, ReceivedRequest

__all__ = [
    "COUNTED",
    "ModelServer",
    "ReceivedRequest",
    "Reply",
    "ToolCallRequest",
    "simulated_embedding",
]
