"""Small applications, put together of four parts, as people write them.

How the client is made and kept, how an answer is fetched, how it travels to its reader, and how it
is read. Every combination is a program of its own, whose ``run(prompt)`` asks a model over the wire
once or more and returns what the reader made of the answer.
"""

import textwrap
from typing import Any, NamedTuple


class Client(NamedTuple):
    """A client that is made and kept."""

    code: str
    expression: str
    """What functions write for it."""


class Fetch(NamedTuple):
    """Functions that ask, with ``<client>`` in them."""

    code: str
    answer: str
    """The expression that gives the answer; ``prompt`` is a variable where it stands."""


class Reader(NamedTuple):
    """A function ``consume(text)``, with answers that it reads and does not read."""

    code: str
    conforming: str
    drifted: str
    expected: Any


HEADER = """\
import asyncio, contextlib, functools, json, os, queue, re, threading, time
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypedDict

import knitbone
import openai
from openai import OpenAI
"""

CLIENTS = {
    "global": Client("client = OpenAI()", "client"),
    "made where it is used": Client("", "openai.OpenAI()"),
    "function": Client(
        """
        def get_client():
            return OpenAI(max_retries=2)
        """,
        "get_client()",
    ),
    "cached function": Client(
        """
        @functools.lru_cache(maxsize=1)
        def get_client():
            return OpenAI()
        """,
        "get_client()",
    ),
    "global set later": Client(
        """
        _client = None

        def get_client():
            global _client
            if _client is None:
                _client = OpenAI()
            return _client
        """,
        "get_client()",
    ),
    "attribute": Client(
        """
        class Settings:
            def __init__(self):
                self.client = OpenAI()

        settings = Settings()
        """,
        "settings.client",
    ),
    "lazy property": Client(
        """
        class Settings:
            def __init__(self):
                self._client = None

            @property
            def client(self):
                if self._client is None:
                    self._client = OpenAI()
                return self._client

        settings = Settings()
        """,
        "settings.client",
    ),
    "cached property": Client(
        """
        class Settings:
            @functools.cached_property
            def client(self):
                return OpenAI()

        settings = Settings()
        """,
        "settings.client",
    ),
    "class attribute": Client(
        """
        class Settings:
            client = OpenAI()
        """,
        "Settings.client",
    ),
    "data class": Client(
        """
        @dataclass
        class Settings:
            name: str = "main"
            client: OpenAI = field(default_factory=OpenAI)

        settings = Settings()
        """,
        "settings.client",
    ),
    "untyped field": Client(
        """
        @dataclass
        class Settings:
            name: str
            client: Any = None

            def __post_init__(self):
                if self.client is None:
                    self.client = OpenAI()

        settings = Settings("main")
        """,
        "settings.client",
    ),
    "singleton": Client(
        """
        class Settings:
            _instance = None

            def __new__(cls):
                if cls._instance is None:
                    cls._instance = super().__new__(cls)
                    cls._instance.client = OpenAI()
                return cls._instance
        """,
        "Settings().client",
    ),
    "class method": Client(
        """
        class Settings:
            _client = None

            @classmethod
            def client(cls):
                if cls._client is None:
                    cls._client = OpenAI()
                return cls._client
        """,
        "Settings.client()",
    ),
    "table": Client(
        """
        CLIENTS = {"main": OpenAI(), "spare": OpenAI()}
        """,
        "CLIENTS['main']",
    ),
    "table with a variable key": Client(
        """
        CLIENTS = {"main": OpenAI(), "spare": OpenAI()}
        which = os.environ.get("WHICH", "main")
        """,
        "CLIENTS[which]",
    ),
    "table that is filled": Client(
        """
        _clients = {}

        def client_for(name):
            if name not in _clients:
                _clients[name] = OpenAI()
            return _clients[name]
        """,
        "client_for('main')",
    ),
    "table of classes": Client(
        """
        KINDS = {"openai": OpenAI}

        def make(kind="openai", **options):
            return KINDS[kind](**options)

        client = make()
        """,
        "client",
    ),
    "table of functions": Client(
        """
        def make_openai():
            return OpenAI()

        MAKERS = {"openai": make_openai, "other": lambda: OpenAI(timeout=3)}

        def make(kind="openai"):
            maker = MAKERS.get(kind)
            if maker is None:
                raise ValueError(kind)
            return maker()

        client = make()
        """,
        "client",
    ),
    "imported late": Client(
        """
        def make():
            try:
                import openai as sdk
            except ImportError as error:
                raise RuntimeError("install openai") from error
            return sdk.OpenAI()

        client = make()
        """,
        "client",
    ),
    "imported by name": Client(
        """
        import importlib

        client = importlib.import_module("openai").OpenAI()
        """,
        "client",
    ),
    "class by name": Client(
        """
        client = getattr(openai, "OpenAI")()
        """,
        "client",
    ),
    "options spread": Client(
        """
        options = {"max_retries": 1}
        if os.environ.get("OTHER_BASE"):
            options["base_url"] = os.environ["OTHER_BASE"]
        client = OpenAI(**options)
        """,
        "client",
    ),
    "set by another function": Client(
        """
        class Settings:
            pass

        settings = Settings()

        def configure():
            settings.client = OpenAI()

        configure()
        """,
        "settings.client",
    ),
    "handed over": Client(
        """
        class Settings:
            def __init__(self, client):
                self.client = client

        settings = Settings(OpenAI())
        """,
        "settings.client",
    ),
    "context": Client(
        """
        import contextvars

        current = contextvars.ContextVar("current")
        current.set(OpenAI())
        """,
        "current.get()",
    ),
    "with": Client(
        """
        @contextlib.contextmanager
        def connected():
            client = OpenAI()
            try:
                yield client
            finally:
                client.close()

        stack = contextlib.ExitStack()
        client = stack.enter_context(OpenAI())
        """,
        "client",
    ),
    "subclass": Client(
        """
        class Traced(OpenAI):
            pass

        client = Traced()
        """,
        "client",
    ),
    "wrapped": Client(
        """
        class Traced:
            def __init__(self, inner):
                self._inner = inner

            def __getattr__(self, name):
                return getattr(self._inner, name)

        client = Traced(OpenAI())
        """,
        "client",
    ),
    "azure or plain": Client(
        """
        if os.environ.get("AZURE_ENDPOINT"):
            client = openai.AzureOpenAI(azure_endpoint=os.environ["AZURE_ENDPOINT"])
        else:
            client = openai.OpenAI()
        """,
        "client",
    ),
    "module of the sdk": Client("", "openai"),
}

MESSAGES = '[{"role": "user", "content": prompt}]'
CALL = f'<client>.chat.completions.create(model="m", messages={MESSAGES})'
TEXT = f"{CALL}.choices[0].message.content"
ASK = f"""
def ask(prompt):
    response = {CALL}
    return response.choices[0].message.content
"""
ASK_LATER = f"""
async def ask(prompt):
    client = openai.AsyncOpenAI()
    response = await client.chat.completions.create(model="m", messages={MESSAGES})
    return response.choices[0].message.content
"""

FETCHES = {
    "function": Fetch(ASK, "ask(prompt)"),
    "inline": Fetch("", TEXT),
    "stripped": Fetch(
        f"""
        def ask(prompt):
            text = {TEXT}
            return (text or "").strip()
        """,
        "ask(prompt)",
    ),
    "options spread": Fetch(
        f"""
        def ask(prompt, **more):
            options = {{"model": "m", "messages": {MESSAGES}, **more}}
            options.setdefault("temperature", 0)
            completion = <client>.chat.completions.create(**options)
            return completion.choices[0].message.content
        """,
        "ask(prompt)",
    ),
    "bound method": Fetch(
        f"""
        def ask(prompt):
            create = <client>.chat.completions.create
            return create(model="m", messages={MESSAGES}).choices[0].message.content
        """,
        "ask(prompt)",
    ),
    "partial": Fetch(
        f"""
        def ask(prompt):
            create = functools.partial(<client>.chat.completions.create, model="m")
            return create(messages={MESSAGES}).choices[0].message.content
        """,
        "ask(prompt)",
    ),
    "handed to a helper": Fetch(
        f"""
        def persist(call, tries, /, **options):
            for left in reversed(range(tries)):
                try:
                    return call(**options)
                except openai.APIConnectionError:
                    if not left:
                        raise

        def ask(prompt):
            done = persist(
                <client>.chat.completions.create, 3, model="m", messages={MESSAGES}
            )
            return done.choices[0].message.content
        """,
        "ask(prompt)",
    ),
    "unknown library": Fetch(
        f"""
        import types

        def _send(messages, config=None):
            prompt = messages[-1]["content"]
            parts = [{{"content": each.message.content}} for each in {CALL}.choices]
            return types.SimpleNamespace(text=parts)

        house = types.SimpleNamespace(generate=_send)

        def ask(prompt):
            reply = house.generate(config={{}}, messages={MESSAGES})
            return reply.text[0]["content"]
        """,
        "ask(prompt)",
    ),
    "unknown library, plain text": Fetch(
        f"""
        import types

        def _send(messages):
            prompt = messages[-1]["content"]
            return "".join([each.message.content for each in {CALL}.choices])

        house = types.SimpleNamespace(chat=_send)

        def ask(prompt):
            told = [{{"role": "system", "content": "Be short."}}]
            told.append({MESSAGES}[0])
            return house.chat(messages=told).strip()
        """,
        "ask(prompt)",
    ),
    "dump": Fetch(
        f"""
        def ask(prompt):
            data = {CALL}.model_dump()
            return data["choices"][0]["message"]["content"]
        """,
        "ask(prompt)",
    ),
    "raw json": Fetch(
        f"""
        def ask(prompt):
            data = json.loads({CALL}.model_dump_json())
            return data["choices"][0]["message"]["content"]
        """,
        "ask(prompt)",
    ),
    "retries": Fetch(
        f"""
        def ask(prompt, tries=3):
            for attempt in range(tries):
                try:
                    response = {CALL}
                    return response.choices[0].message.content
                except openai.APIError:
                    if attempt == tries - 1:
                        raise
                    time.sleep(0.01)
        """,
        "ask(prompt)",
    ),
    "logged": Fetch(
        f"""
        def logged(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                started = time.time()
                result = function(*args, **kwargs)
                print(time.time() - started, file=open(os.devnull, "w"))
                return result
            return wrapper

        @logged
        def ask(prompt):
            return {TEXT}
        """,
        "ask(prompt)",
    ),
    "retry decorator": Fetch(
        f"""
        def retry(times=3, errors=(openai.APIError,)):
            def decorate(function):
                @functools.wraps(function)
                def wrapper(*args, **kwargs):
                    for number in range(times):
                        try:
                            return function(*args, **kwargs)
                        except errors:
                            if number + 1 == times:
                                raise
                return wrapper
            return decorate

        @retry(times=2)
        def ask(prompt):
            return {TEXT}
        """,
        "ask(prompt)",
    ),
    "decorator that changes arguments": Fetch(
        f"""
        def polite(function):
            def wrapper(prompt, *args, **kwargs):
                return function("Please: " + prompt, *args, **kwargs)
            return wrapper

        @polite
        def ask(prompt):
            return {TEXT}
        """,
        "ask(prompt)",
    ),
    "decorator that adds arguments": Fetch(
        f"""
        def with_model(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                kwargs["model"] = kwargs.get("model") or "m"
                return function(*args, **kwargs)
            return wrapper

        @with_model
        def ask(prompt, model=None):
            return <client>.chat.completions.create(
                model=model, messages={MESSAGES}
            ).choices[0].message.content
        """,
        "ask(prompt)",
    ),
    "decorator that injects the client": Fetch(
        f"""
        def with_client(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(<client>, *args, **kwargs)
            return wrapper

        @with_client
        def ask(client, prompt):
            response = client.chat.completions.create(model="m", messages={MESSAGES})
            return response.choices[0].message.content
        """,
        "ask(prompt)",
    ),
    "decorator class": Fetch(
        f"""
        class Counted:
            def __init__(self, function):
                functools.update_wrapper(self, function)
                self.function = function
                self.calls = 0

            def __call__(self, *args, **kwargs):
                self.calls += 1
                return self.function(*args, **kwargs)

        @Counted
        def ask(prompt):
            return {TEXT}
        """,
        "ask(prompt)",
    ),
    "cached": Fetch(
        f"""
        @functools.lru_cache(maxsize=None)
        def ask(prompt):
            return {TEXT}
        """,
        "ask(prompt)",
    ),
    "own cache": Fetch(
        f"""
        _answers = {{}}

        def ask(prompt):
            if prompt not in _answers:
                _answers[prompt] = {TEXT}
            return _answers[prompt]
        """,
        "ask(prompt)",
    ),
    "lambda": Fetch(f"ask = lambda prompt: {TEXT}", "ask(prompt)"),
    "lambda over a function": Fetch(
        f"{ASK}\nask_now = lambda p: ask(p).strip()",
        "ask_now(prompt)",
    ),
    "closure": Fetch(
        f"""
        def make_ask(model):
            def ask(prompt):
                return <client>.chat.completions.create(
                    model=model, messages={MESSAGES}
                ).choices[0].message.content
            return ask

        ask = make_ask("m")
        """,
        "ask(prompt)",
    ),
    "joined stream": Fetch(
        f"""
        def ask(prompt):
            text = ""
            for chunk in <client>.chat.completions.create(
                model="m", messages={MESSAGES}, stream=True
            ):
                text += chunk.choices[0].delta.content or ""
            return text
        """,
        "ask(prompt)",
    ),
    "list of a stream": Fetch(
        f"""
        def ask(prompt):
            parts = []
            stream = <client>.chat.completions.create(model="m", messages={MESSAGES}, stream=True)
            for chunk in stream:
                if chunk.choices and chunk.choices[0].delta.content is not None:
                    parts.append(chunk.choices[0].delta.content)
            return "".join(parts)
        """,
        "ask(prompt)",
    ),
    "generator of pieces": Fetch(
        f"""
        def pieces(prompt):
            stream = <client>.chat.completions.create(model="m", messages={MESSAGES}, stream=True)
            for chunk in stream:
                delta = chunk.choices[0].delta.content
                if delta:
                    yield delta
        """,
        '"".join(pieces(prompt))',
    ),
    "list of answers": Fetch(
        f"""
        def ask(prompt, n=1):
            response = <client>.chat.completions.create(model="m", messages={MESSAGES}, n=n)
            return [choice.message.content for choice in response.choices]
        """,
        "ask(prompt)[0]",
    ),
    "generator of answers": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def answers(prompts):
            for prompt in prompts:
                yield ask(prompt)
        """,
        "next(answers([prompt]))",
    ),
    "tuple": Fetch(
        f"""
        def ask(prompt):
            response = {CALL}
            return response.choices[0].message.content, response.usage.total_tokens
        """,
        "ask(prompt)[0]",
    ),
    "message": Fetch(
        f"""
        def ask(prompt):
            return {CALL}.choices[0].message
        """,
        "ask(prompt).content",
    ),
    "response": Fetch(
        f"""
        def ask(prompt):
            return {CALL}
        """,
        "ask(prompt).choices[0].message.content",
    ),
    "message dictionary": Fetch(
        f"""
        def ask(prompt):
            message = {CALL}.choices[0].message
            return {{"role": message.role, "content": message.content}}
        """,
        'ask(prompt)["content"]',
    ),
    "data class": Fetch(
        f"""
        @dataclass
        class Answer:
            text: str
            tokens: int = 0

        def ask(prompt):
            response = {CALL}
            return Answer(response.choices[0].message.content, tokens=response.usage.total_tokens)
        """,
        "ask(prompt).text",
    ),
    "named tuple": Fetch(
        f"""
        class Answer(NamedTuple):
            text: str
            tokens: int

        def ask(prompt):
            response = {CALL}
            return Answer(response.choices[0].message.content, response.usage.total_tokens)
        """,
        "ask(prompt).text",
    ),
    "typed dictionary": Fetch(
        f"""
        class Answer(TypedDict):
            text: str

        def ask(prompt) -> Answer:
            answer: Answer = {{"text": {TEXT}}}
            return answer
        """,
        'ask(prompt)["text"]',
    ),
    "pydantic model": Fetch(
        f"""
        import pydantic

        class Answer(pydantic.BaseModel):
            text: str
            model: str = "m"

        def ask(prompt):
            return Answer(text={TEXT})
        """,
        "ask(prompt).text",
    ),
    "history": Fetch(
        """
        def chat(messages):
            response = <client>.chat.completions.create(model="m", messages=messages)
            messages.append({"role": "assistant", "content": response.choices[0].message.content})
            return messages
        """,
        'chat([{"role": "user", "content": prompt}])[-1]["content"]',
    ),
    "history of an object": Fetch(
        """
        class Chat:
            def __init__(self, system="You are terse."):
                self.messages = [{"role": "system", "content": system}]

            def say(self, text):
                self.messages.append({"role": "user", "content": text})
                response = <client>.chat.completions.create(model="m", messages=self.messages)
                self.messages.append(
                    {"role": "assistant", "content": response.choices[0].message.content}
                )
                return self.messages[-1]["content"]
        """,
        "Chat().say(prompt)",
    ),
    "history that is read later": Fetch(
        """
        class Chat:
            def __init__(self):
                self.messages = []

            def add(self, role, content):
                self.messages.append({"role": role, "content": content})

            def step(self):
                response = <client>.chat.completions.create(model="m", messages=self.messages)
                self.add("assistant", response.choices[0].message.content)

            def last(self):
                return self.messages[-1]["content"]

        def ask(prompt):
            chat = Chat()
            chat.add("user", prompt)
            chat.step()
            return chat.last()
        """,
        "ask(prompt)",
    ),
    "history of messages": Fetch(
        """
        def ask(prompt):
            messages = [{"role": "user", "content": prompt}]
            response = <client>.chat.completions.create(model="m", messages=messages)
            messages.append(response.choices[0].message)
            return messages[-1].content
        """,
        "ask(prompt)",
    ),
    "history by tuples": Fetch(
        """
        history = []

        def ask(prompt):
            messages = [{"role": "user", "content": prompt}]
            for question, answer in history:
                messages.insert(0, {"role": "assistant", "content": answer})
            response = <client>.chat.completions.create(model="m", messages=messages)
            history.append((prompt, response.choices[0].message.content))
            return history[-1][1]
        """,
        "ask(prompt)",
    ),
    "map of an executor": Fetch(
        f"{ASK}",
        "list(ThreadPoolExecutor(2).map(ask, [prompt]))[0]",
    ),
    "map of an executor with": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_all(prompts):
            with ThreadPoolExecutor(max_workers=4) as executor:
                results = list(executor.map(ask, prompts))
            return results
        """,
        "ask_all([prompt])[0]",
    ),
    "map of a lambda": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_all(prompts):
            found = {{}}
            with ThreadPoolExecutor() as pool:
                for prompt, text in zip(prompts, pool.map(lambda p: ask(p), prompts)):
                    found[prompt] = text
            return found
        """,
        "ask_all([prompt])[prompt]",
    ),
    "futures": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_all(prompts):
            with ThreadPoolExecutor() as pool:
                futures = [pool.submit(ask, prompt) for prompt in prompts]
                return [future.result() for future in futures]
        """,
        "ask_all([prompt])[0]",
    ),
    "futures as completed": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_all(prompts):
            results = {{}}
            with ThreadPoolExecutor() as pool:
                futures = {{pool.submit(ask, prompt): prompt for prompt in prompts}}
                for future in as_completed(futures):
                    results[futures[future]] = future.result()
            return results
        """,
        "ask_all([prompt])[prompt]",
    ),
    "pool of multiprocessing": Fetch(
        f"""
        from multiprocessing.pool import ThreadPool
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_all(prompts):
            with ThreadPool(2) as pool:
                return pool.map(ask, prompts)
        """,
        "ask_all([prompt])[0]",
    ),
    "thread and list": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_in_thread(prompt):
            results = []
            thread = threading.Thread(target=lambda: results.append(ask(prompt)))
            thread.start()
            thread.join()
            return results[0]
        """,
        "ask_in_thread(prompt)",
    ),
    "queue": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def worker(prompt, answers):
            answers.put(ask(prompt))

        def ask_in_thread(prompt):
            answers = queue.Queue()
            thread = threading.Thread(target=worker, args=(prompt, answers))
            thread.start()
            thread.join()
            return answers.get()
        """,
        "ask_in_thread(prompt)",
    ),
    "async": Fetch(ASK_LATER, "asyncio.run(ask(prompt))"),
    "gather": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        async def ask_all(prompts):
            return await asyncio.gather(*[ask(prompt) for prompt in prompts])
        """,
        "asyncio.run(ask_all([prompt]))[0]",
    ),
    "gather of tasks": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        async def ask_all(prompts):
            gate = asyncio.Semaphore(3)

            async def one(prompt):
                async with gate:
                    return await ask(prompt)

            tasks = [asyncio.create_task(one(prompt)) for prompt in prompts]
            results = await asyncio.gather(*tasks, return_exceptions=True)
            return [result for result in results if not isinstance(result, Exception)]
        """,
        "asyncio.run(ask_all([prompt]))[0]",
    ),
    "async as completed": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        async def ask_all(prompts):
            found = []
            for done in asyncio.as_completed([ask(prompt) for prompt in prompts]):
                found.append(await done)
            return found
        """,
        "asyncio.run(ask_all([prompt]))[0]",
    ),
    "async generator": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        async def answers(prompts):
            for prompt in prompts:
                yield await ask(prompt)

        async def ask_all(prompts):
            return [answer async for answer in answers(prompts)]
        """,
        "asyncio.run(ask_all([prompt]))[0]",
    ),
    "async in a thread": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        async def later(prompt):
            return await asyncio.to_thread(ask, prompt)
        """,
        "asyncio.run(later(prompt))",
    ),
    "async in an executor": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        async def later(prompt):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(None, functools.partial(ask, prompt))
        """,
        "asyncio.run(later(prompt))",
    ),
    "async loop": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        def now(prompt):
            loop = asyncio.new_event_loop()
            try:
                return loop.run_until_complete(ask(prompt))
            finally:
                loop.close()
        """,
        "now(prompt)",
    ),
    "task group": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        async def later(prompt):
            return await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(ask(prompt))), 9)
        """,
        "asyncio.run(later(prompt))",
    ),
    "callback": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        def ask_then(prompt, done):
            return done(ask(prompt))
        """,
        "ask_then(prompt, lambda text: text)",
    ),
    "registry of classes": Fetch(
        f"""
        PROVIDERS = {{}}

        def register(name):
            def decorate(cls):
                PROVIDERS[name] = cls
                return cls
            return decorate

        class Provider(ABC):
            def __init__(self, model="m"):
                self.model = model

            @abstractmethod
            def complete(self, prompt): ...

        @register("openai")
        class OpenAIProvider(Provider):
            def complete(self, prompt):
                response = <client>.chat.completions.create(model=self.model, messages={MESSAGES})
                return response.choices[0].message.content

        @register("echo")
        class EchoProvider(Provider):
            def complete(self, prompt):
                return prompt

        def get_provider(name, **options):
            if name not in PROVIDERS:
                raise ValueError(name)
            return PROVIDERS[name](**options)
        """,
        'get_provider("openai").complete(prompt)',
    ),
    "registry by name in a config": Fetch(
        f"""
        class Provider:
            def complete(self, prompt):
                raise NotImplementedError

        class OpenAIProvider(Provider):
            def complete(self, prompt):
                return {TEXT}

        class EchoProvider(Provider):
            def complete(self, prompt):
                return prompt

        PROVIDERS = {{"openai": OpenAIProvider, "echo": EchoProvider}}

        class Agent:
            def __init__(self, config):
                self.provider = PROVIDERS[config["provider"]]()

            def ask(self, prompt):
                return self.provider.complete(prompt)
        """,
        'Agent({"provider": "openai"}).ask(prompt)',
    ),
    "registry of functions": Fetch(
        f"""
        BACKENDS = {{}}

        def backend(function):
            BACKENDS[function.__name__] = function
            return function

        @backend
        def call_openai(prompt):
            return {TEXT}

        @backend
        def call_echo(prompt):
            return prompt

        def complete(prompt, name="call_openai"):
            return BACKENDS[name](prompt)
        """,
        "complete(prompt)",
    ),
    "registry object": Fetch(
        f"""
        class Registry:
            def __init__(self):
                self._makers = {{}}

            def register(self, name, maker):
                self._makers[name] = maker

            def create(self, name, *args, **kwargs):
                return self._makers[name](*args, **kwargs)

        class OpenAIProvider:
            def complete(self, prompt):
                return {TEXT}

        registry = Registry()
        registry.register("openai", OpenAIProvider)
        """,
        'registry.create("openai").complete(prompt)',
    ),
    "registry of instances": Fetch(
        f"""
        class OpenAIProvider:
            name = "openai"

            def complete(self, prompt):
                return {TEXT}

        class Router:
            def __init__(self, *providers):
                self.providers = {{provider.name: provider for provider in providers}}

            def ask(self, prompt, name="openai"):
                return self.providers[name].complete(prompt)

        router = Router(OpenAIProvider())
        """,
        "router.ask(prompt)",
    ),
    "subclasses": Fetch(
        f"""
        class Provider:
            kind = ""

            @classmethod
            def make(cls, kind):
                for sub in cls.__subclasses__():
                    if sub.kind == kind:
                        return sub()
                raise ValueError(kind)

            def complete(self, prompt):
                raise NotImplementedError

        class OpenAIProvider(Provider):
            kind = "openai"

            def complete(self, prompt):
                return {TEXT}
        """,
        'Provider.make("openai").complete(prompt)',
    ),
    "init subclass": Fetch(
        f"""
        class Provider:
            known = {{}}

            def __init_subclass__(cls, kind, **kwargs):
                super().__init_subclass__(**kwargs)
                Provider.known[kind] = cls

            @classmethod
            def make(cls, kind):
                return cls.known[kind]()

            def complete(self, prompt):
                raise NotImplementedError

        class OpenAIProvider(Provider, kind="openai"):
            def complete(self, prompt):
                return {TEXT}
        """,
        'Provider.make("openai").complete(prompt)',
    ),
    "factory": Fetch(
        f"""
        class OpenAIProvider:
            def __init__(self, model):
                self.model = model

            def __call__(self, prompt):
                return {TEXT}

        class EchoProvider:
            def __init__(self, model):
                self.model = model

            def __call__(self, prompt):
                return prompt

        def create(kind, model="m"):
            if kind == "openai":
                return OpenAIProvider(model)
            elif kind == "echo":
                return EchoProvider(model)
            raise ValueError(kind)

        llm = create(os.environ.get("KIND", "openai"))
        """,
        "llm(prompt)",
    ),
    "template method": Fetch(
        f"""
        class Base(ABC):
            def complete(self, prompt):
                text = self._complete(prompt)
                return text.strip()

            @abstractmethod
            def _complete(self, prompt): ...

        class OpenAIProvider(Base):
            def _complete(self, prompt):
                return {TEXT}

        llm: Base = OpenAIProvider()
        """,
        "llm.complete(prompt)",
    ),
    "protocol": Fetch(
        f"""
        class Model(Protocol):
            def complete(self, prompt: str) -> str: ...

        class OpenAIModel:
            def complete(self, prompt: str) -> str:
                return {TEXT}

        def ask_with(model: Model, prompt: str) -> str:
            return model.complete(prompt)
        """,
        "ask_with(OpenAIModel(), prompt)",
    ),
    "injected function": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        class Agent:
            def __init__(self, llm: Callable[[str], str]):
                self.llm = llm

            def ask(self, prompt):
                return self.llm(prompt)
        """,
        "Agent(ask).ask(prompt)",
    ),
    "default function": Fetch(
        f"""
        {textwrap.indent(ASK, " " * 8).strip()}

        class Agent:
            def __init__(self, llm=None):
                self.llm = llm or ask

            def ask(self, prompt):
                return self.llm(prompt)
        """,
        "Agent().ask(prompt)",
    ),
    "method by name": Fetch(
        f"""
        class Provider:
            def complete_openai(self, prompt):
                return {TEXT}

            def complete(self, prompt, kind="openai"):
                return getattr(self, f"complete_{{kind}}")(prompt)
        """,
        "Provider().complete(prompt)",
    ),
    "mixin": Fetch(
        f"""
        class Asks:
            def ask(self, prompt):
                return {TEXT}

        class Agent(Asks):
            pass
        """,
        "Agent().ask(prompt)",
    ),
    "state of an object": Fetch(
        f"""
        class Agent:
            def __init__(self):
                self.answer = None

            def think(self, prompt):
                self.answer = {TEXT}

            def result(self):
                return self.answer

        def ask(prompt):
            agent = Agent()
            agent.think(prompt)
            return agent.result()
        """,
        "ask(prompt)",
    ),
    "global state": Fetch(
        f"""
        last = None

        def think(prompt):
            global last
            last = {TEXT}

        def ask(prompt):
            think(prompt)
            return last
        """,
        "ask(prompt)",
    ),
    "out parameter": Fetch(
        f"""
        def think(prompt, results):
            results["answer"] = {TEXT}

        def ask(prompt):
            results = {{}}
            think(prompt, results)
            return results["answer"]
        """,
        "ask(prompt)",
    ),
    "marked function": Fetch(
        f"""
        @knitbone.source
        def ask(prompt):
            return {TEXT}
        """,
        "ask(prompt)",
    ),
    "marked list": Fetch(
        f"""
        @knitbone.source
        def ask_all(prompts):
            return [ask_one(prompt) for prompt in prompts]

        def ask_one(prompt):
            return {TEXT}
        """,
        "ask_all([prompt])[0]",
    ),
    "marked list with a hint": Fetch(
        f"""
        @knitbone.source
        def ask_all(prompts) -> list[str]:
            return hidden(prompts)

        def hidden(prompts):
            return [eval("ask_one")(prompt) for prompt in prompts]

        def ask_one(prompt):
            return {TEXT}
        """,
        "ask_all([prompt])[0]",
    ),
    "marked generator": Fetch(
        f"""
        @knitbone.source
        def answers(prompts):
            for prompt in prompts:
                yield {TEXT}
        """,
        "next(answers([prompt]))",
    ),
    "marked async generator": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        @knitbone.source
        async def answers(prompts):
            for prompt in prompts:
                yield await ask(prompt)

        async def collect(prompts):
            found = []
            async for answer in answers(prompts):
                found.append(answer)
            return found
        """,
        "asyncio.run(collect([prompt]))[0]",
    ),
    "marked async list": Fetch(
        f"""
        {textwrap.indent(ASK_LATER, " " * 8).strip()}

        @knitbone.source
        async def ask_all(prompts):
            return [await ask(prompt) for prompt in prompts]

        async def collect(prompts):
            answers = await ask_all(prompts)
            return answers[0]
        """,
        "asyncio.run(collect([prompt]))",
    ),
    "marked message": Fetch(
        f"""
        @knitbone.source
        def ask(prompt):
            return {{"role": "assistant", "content": {TEXT}}}
        """,
        'ask(prompt)["content"]',
    ),
    "marked data class": Fetch(
        f"""
        @dataclass
        class Answer:
            text: str

        @knitbone.source
        def ask(prompt):
            return Answer({TEXT})
        """,
        "ask(prompt).text",
    ),
    "marked method": Fetch(
        f"""
        class Model:
            @knitbone.source
            def ask(self, prompt):
                return {TEXT}
        """,
        "Model().ask(prompt)",
    ),
}

_HTTP = {
    "url": ("", "os.environ['OPENAI_BASE_URL'] + '/chat/completions'"),
    "base of an object": (
        """
        class Server:
            def __init__(self, base):
                self.base_url = base.rstrip("/")

        server = Server(os.environ["OPENAI_BASE_URL"])
        """,
        'f"{server.base_url}/chat/completions"',
    ),
    "joined": (
        """
        from urllib.parse import urljoin
        """,
        'urljoin(os.environ["OPENAI_BASE_URL"] + "/", "chat/completions")',
    ),
    "unknown url": (
        'URL = os.environ["OPENAI_BASE_URL"] + "/" + "/".join(["chat", "completions"])',
        "URL",
    ),
}
_POSTS = {
    "requests": "requests.post({url}, json=body, timeout=9).json()",
    "requests data": "json.loads(requests.post({url}, data=json.dumps(body), timeout=9).text)",
    "session": "requests.Session().post({url}, json=body).json()",
    "httpx": "httpx.post({url}, json=body).json()",
    "urllib": (
        "json.loads(urllib.request.urlopen(urllib.request.Request({url}, "
        'data=json.dumps(body).encode(), headers={{"Content-Type": "application/json"}})).read())'
    ),
}
for _place, (_code, _url) in _HTTP.items():
    for _library, _post in _POSTS.items():
        FETCHES[f"{_library}, {_place}"] = Fetch(
            f"""
import requests, httpx, urllib.request
{textwrap.dedent(_code)}
def ask(prompt):
    body = {{"model": "m", "messages": {MESSAGES}}}
    data = {_post.format(url=_url)}
    return data["choices"][0]["message"]["content"]
""",
            "ask(prompt)",
        )

TRAVELS = {
    "direct": "return consume(<answer>)",
    "variable": """
        text = <answer>
        return consume(text)
        """,
    "stripped": """
        text = <answer>
        if not text:
            return None
        return consume(text.strip())
        """,
    "tested": """
        if (text := <answer>) is None:
            raise ValueError("no answer")
        return consume(text)
        """,
    "list": """
        found = []
        for prompt in [prompt]:
            found.append(<answer>)
        return [consume(text) for text in found][0]
        """,
    "comprehension": """
        return [consume(<answer>) for prompt in [prompt]][0]
        """,
    "dictionary": """
        results = {"answer": <answer>, "prompt": prompt}
        return consume(results["answer"])
        """,
    "dictionary with a variable key": """
        results = {}
        results[prompt] = <answer>
        return consume(results[prompt])
        """,
    "object": """
        class Box:
            pass
        box = Box()
        box.text = <answer>
        return consume(box.text)
        """,
    "default dictionary": """
        found = defaultdict(list)
        found[prompt].append(<answer>)
        for key, texts in found.items():
            for text in texts:
                return consume(text)
        """,
    "table of readers": """
        READERS = {"a": consume, "b": str.upper}
        return READERS["a"](<answer>)
        """,
    "table of readers with a variable key": """
        kind = os.environ.get("KIND", "a")
        readers = {"a": consume, "b": len}
        return readers[kind](<answer>)
        """,
    "table of readers, get": """
        kind = os.environ.get("KIND", "a")
        text = <answer>
        reader = {"a": consume, "b": str.upper}.get(kind, consume)
        return reader(text)
        """,
    "table of lambdas": """
        kind = os.environ.get("KIND", "a")
        readers = {"a": lambda text: consume(text), "b": lambda text: text}
        return readers[kind](<answer>)
        """,
    "function as an argument": """
        def apply(reader, text):
            return reader(text)
        return apply(consume, <answer>)
        """,
    "steps": """
        value = <answer>
        for step in [str.strip, consume]:
            value = step(value)
        return value
        """,
    "map": "return list(map(consume, [<answer>]))[0]",
    "map of an executor": """
        with ThreadPoolExecutor() as pool:
            return list(pool.map(consume, [<answer>]))[0]
        """,
    "partial": "return functools.partial(consume, <answer>)()",
    "object that reads": """
        class Parser:
            def parse(self, text):
                return consume(text)
        parser = Parser()
        return parser.parse(<answer>)
        """,
    "object that keeps": """
        class Step:
            def __init__(self, text):
                self.text = text
            def read(self):
                return consume(self.text)
        return Step(<answer>).read()
        """,
    "events": """
        handlers = defaultdict(list)
        seen = []
        def on(event, handler):
            handlers[event].append(handler)
        def emit(event, *args):
            for handler in handlers[event]:
                seen.append(handler(*args))
        on("answer", consume)
        emit("answer", <answer>)
        return seen[0]
        """,
    "try": """
        try:
            return consume(<answer>)
        except ZeroDivisionError:
            return None
        """,
    "match": """
        text = <answer>
        match text:
            case "":
                return None
            case str():
                return consume(text)
        """,
    "generator": """
        def texts():
            yield <answer>
        for text in texts():
            return consume(text)
        """,
    "async": """
        async def read(text):
            return consume(text)
        return asyncio.run(read(<answer>))
        """,
    "lambda": """
        read = lambda text: consume(text)
        return read(<answer>)
        """,
    "tuple": """
        text, rest = <answer>, 0
        return consume(text)
        """,
    "pair list": """
        pairs = [(prompt, <answer>)]
        for question, text in pairs:
            return consume(text)
        """,
    "sorted": """
        texts = sorted([<answer>], key=len)
        return consume(texts[0])
        """,
    "message dictionaries": """
        messages = [{"role": "user", "content": prompt}]
        messages.append({"role": "assistant", "content": <answer>})
        last = [m["content"] for m in messages if m["role"] == "assistant"][-1]
        return consume(last)
        """,
    "reversed messages": """
        messages = [{"role": "user", "content": prompt}]
        messages += [{"role": "assistant", "content": <answer>}]
        for message in reversed(messages):
            if message["role"] == "assistant":
                return consume(message["content"])
        """,
    "first good one": """
        texts = [<answer>]
        text = next((t for t in texts if t), "")
        return consume(text)
        """,
    "star": """
        def read(*texts):
            return [consume(text) for text in texts]
        return read(<answer>)[0]
        """,
    "keyword dictionary": """
        def read(text, strict=False):
            return consume(text)
        options = {"text": <answer>, "strict": True}
        return read(**options)
        """,
}

READERS = {
    "numbered": Reader(
        """
        def consume(text):
            steps = []
            for line in text.splitlines():
                found = re.match(r"^(\\d+)\\. (.+)$", line)
                if found:
                    steps.append(found.group(2))
            return steps
        """,
        "1. Find a room\n2. Ask Ann",
        "1) Find a room\n2) Ask Ann",
        ["Find a room", "Ask Ann"],
    ),
    "json": Reader(
        """
        def consume(text):
            data = json.loads(text)
            return data["name"], data["age"]
        """,
        '{"name": "Ann", "age": 3}',
        'Here it is:\n```json\n{"name": "Ann", "age": 3,}\n```',
        ("Ann", 3),
    ),
    "fence": Reader(
        """
        def consume(text):
            found = re.search(r"```json\\n(.*?)```", text, re.DOTALL)
            return json.loads(found.group(1))["name"]
        """,
        '```json\n{"name": "Ann"}\n```',
        '```\n{"name": "Ann"}\n```',
        "Ann",
    ),
    "label": Reader(
        """
        def consume(text):
            score = None
            for line in text.split("\\n"):
                if line.startswith("Score:"):
                    score = int(line.split(":", 1)[1])
            return score
        """,
        "Name: Ann\nScore: 8",
        "Name: Ann\n**Score:** 8",
        8,
    ),
}


def program(client: Client, fetch: Fetch, travel: str, reader: Reader) -> str:
    """Return the source of one application."""
    body = textwrap.dedent(travel).strip().replace("<answer>", fetch.answer)
    parts = [
        HEADER,
        client.code,
        fetch.code,
        reader.code,
        "@knitbone.adapt(quiet=True)\ndef run(prompt):\n" + textwrap.indent(body, "    "),
    ]
    text = "\n\n".join(textwrap.dedent(part).strip() for part in parts) + "\n"
    return text.replace("<client>", client.expression)


_OPENAI_AGENTS = """
import agents
from agents import Agent, ItemHelpers, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI

agents.set_tracing_disabled(True)

def make_agent(**options):
    model = OpenAIChatCompletionsModel(model="m", openai_client=AsyncOpenAI())
    return Agent(name="helper", instructions="Be terse.", model=model, **options)
"""
_PYDANTIC_AI = """
import pydantic_ai
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

def make_agent(**options):
    return Agent(OpenAIChatModel("m"), **options)
"""
_SMOLAGENTS = """
from smolagents import CodeAgent, OpenAIModel, OpenAIServerModel, ToolCallingAgent

model = OpenAIServerModel(model_id="m", api_base=os.environ["OPENAI_BASE_URL"], api_key="k")
"""


def _framework(setup: str, code: str, answer: str = "ask(prompt)") -> Fetch:
    return Fetch(textwrap.dedent(setup).strip() + "\n\n" + textwrap.dedent(code).strip(), answer)


FRAMEWORKS = {
    "agents": {
        "run_sync": _framework(
            _OPENAI_AGENTS,
            """
            def ask(prompt):
                return Runner.run_sync(make_agent(), prompt).final_output
            """,
        ),
        "run": _framework(
            _OPENAI_AGENTS,
            """
            async def ask(prompt):
                result = await Runner.run(make_agent(), input=prompt)
                return result.final_output
            """,
            "asyncio.run(ask(prompt))",
        ),
        "run of a list": _framework(
            _OPENAI_AGENTS,
            """
            def ask(prompt):
                items = [{"role": "user", "content": prompt}]
                result = Runner.run_sync(starting_agent=make_agent(), input=items, max_turns=3)
                return str(result.final_output)
            """,
        ),
        "final_output_as": _framework(
            _OPENAI_AGENTS,
            """
            def ask(prompt):
                return Runner.run_sync(make_agent(), prompt).final_output_as(str)
            """,
        ),
        "message outputs": _framework(
            _OPENAI_AGENTS,
            """
            def ask(prompt):
                result = Runner.run_sync(make_agent(), prompt)
                return ItemHelpers.text_message_outputs(result.new_items)
            """,
        ),
        "message output of an item": _framework(
            _OPENAI_AGENTS,
            """
            def ask(prompt):
                for item in Runner.run_sync(make_agent(), prompt).new_items:
                    if item.type == "message_output_item":
                        return ItemHelpers.text_message_output(item)
            """,
        ),
        "streamed, final": _framework(
            _OPENAI_AGENTS,
            """
            async def ask(prompt):
                result = Runner.run_streamed(make_agent(), prompt)
                async for event in result.stream_events():
                    pass
                return result.final_output
            """,
            "asyncio.run(ask(prompt))",
        ),
        "streamed, deltas": _framework(
            _OPENAI_AGENTS,
            """
            from openai.types.responses import ResponseTextDeltaEvent

            async def ask(prompt):
                text = ""
                result = Runner.run_streamed(make_agent(), input=prompt)
                async for event in result.stream_events():
                    if event.type == "raw_response_event":
                        if isinstance(event.data, ResponseTextDeltaEvent):
                            text += event.data.delta
                return text
            """,
            "asyncio.run(ask(prompt))",
        ),
        "runner object": _framework(
            _OPENAI_AGENTS,
            """
            class Desk:
                def __init__(self):
                    self.agent = make_agent()
                    self.runner = Runner()

                async def ask(self, prompt):
                    outcome = await self.runner.run(self.agent, prompt)
                    return outcome.final_output
            """,
            "asyncio.run(Desk().ask(prompt))",
        ),
        "input list": _framework(
            _OPENAI_AGENTS,
            """
            def ask(prompt):
                result = Runner.run_sync(make_agent(), prompt)
                return result.to_input_list()[-1]["content"][0]["text"]
            """,
        ),
    },
    "smolagents": {
        "model called": _framework(
            _SMOLAGENTS,
            """
            def ask(prompt):
                return model([{"role": "user", "content": prompt}]).content
            """,
        ),
        "generate": _framework(
            _SMOLAGENTS,
            """
            def ask(prompt):
                messages = [{"role": "user", "content": [{"type": "text", "text": prompt}]}]
                message = model.generate(messages, stop_sequences=["END"])
                return message.content
            """,
        ),
        "generate_stream": _framework(
            _SMOLAGENTS,
            """
            def ask(prompt):
                text = ""
                for delta in model.generate_stream([{"role": "user", "content": prompt}]):
                    text += delta.content or ""
                return text
            """,
        ),
        "own model": _framework(
            _SMOLAGENTS,
            """
            from smolagents import ChatMessage, Model

            class Wrapped(Model):
                def generate(self, messages, **options):
                    return model.generate(messages, **options)

            def ask(prompt):
                return Wrapped().generate([{"role": "user", "content": prompt}]).content
            """,
        ),
    },
    "pydantic_ai": {
        "run_sync": _framework(
            _PYDANTIC_AI,
            """
            def ask(prompt):
                return make_agent().run_sync(prompt).output
            """,
        ),
        "run": _framework(
            _PYDANTIC_AI,
            """
            async def ask(prompt):
                result = await make_agent(system_prompt="Be terse.").run(prompt)
                return result.output
            """,
            "asyncio.run(ask(prompt))",
        ),
        "output_type of text": _framework(
            _PYDANTIC_AI,
            """
            agent = make_agent(output_type=str)

            def ask(prompt):
                return agent.run_sync(prompt).output
            """,
        ),
        "typed agent": _framework(
            _PYDANTIC_AI,
            """
            @dataclass
            class Desk:
                agent: Agent[None, str] = field(default_factory=make_agent)

            def ask(prompt):
                return Desk().agent.run_sync(user_prompt=prompt).output
            """,
        ),
        "streamed output": _framework(
            _PYDANTIC_AI,
            """
            async def ask(prompt):
                async with make_agent().run_stream(prompt) as result:
                    return await result.get_output()
            """,
            "asyncio.run(ask(prompt))",
        ),
        "streamed deltas": _framework(
            _PYDANTIC_AI,
            """
            async def ask(prompt):
                parts = []
                async with make_agent().run_stream(prompt) as result:
                    async for piece in result.stream_text(delta=True):
                        parts.append(piece)
                return "".join(parts)
            """,
            "asyncio.run(ask(prompt))",
        ),
        "iter": _framework(
            _PYDANTIC_AI,
            """
            async def ask(prompt):
                async with make_agent().iter(prompt) as run:
                    async for node in run:
                        pass
                return run.result.output
            """,
            "asyncio.run(ask(prompt))",
        ),
        "direct": _framework(
            _PYDANTIC_AI,
            """
            from pydantic_ai import ModelRequest
            from pydantic_ai.direct import model_request_sync

            def ask(prompt):
                request = ModelRequest.user_text_prompt(prompt)
                response = model_request_sync(OpenAIChatModel("m"), [request])
                return response.parts[0].content
            """,
        ),
    },
}
"""Ways to run the agents of frameworks, by the module that has to be installed."""
for _module, _ways in FRAMEWORKS.items():
    FETCHES.update({f"{_module}: {_way}": _fetch for _way, _fetch in _ways.items()})
