"""An interpreter for the code behind an output, which changes nothing outside itself.

What cannot be followed without an effect (a write, a request, an object of an unknown library) is
*opaque*: it takes values and gives an opaque one. Code that branches on an opaque value is not
followed: the rehearsal ends without a result. Objects of the application are read, never changed;
only objects that the rehearsal itself has made may be.
"""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import FunctionType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

__all__ = [
    "OPAQUE",
    "YIELDED",
    "Ending",
    "Environment",
    "InterpretedFunction",
    "Machine",
    "Opaque",
    "RefusedText",
    "Signal",
    "Unfinished",
    "Unfollowed",
    "is_nothing",
    "yields",
]

MAX_STEPS = 60_000
"""Nodes of the syntax tree that one rehearsal visits (ours): some tens of milliseconds."""
_MAX_DEPTH = 40
"""Calls of the application's functions inside each other (ours)."""
_MAX_COPIED = 10_000
"""Items of a container of the application that is copied, so that the code may change it (ours)."""


_COPIED = (list, dict, set, deque, Counter, defaultdict, OrderedDict, bytearray)
_WORDS = re.compile(r"\w+")
_MAX_COMPARED = 400
"""Characters of a text that may be a constant with words around it (ours)."""
_NAMING = (list, tuple, dict, set, frozenset)
_MAX_HELD = 4
"""Containers in one another that a result is looked through (ours)."""
_MAX_OPTIONS = 200
"""Texts of the application among which one is looked for (ours)."""
_NUMERIC = (int, float, bool)
_NUMERIC_NAMES = frozenset(kind.__name__ for kind in _NUMERIC)
_DENIALS = frozenset({"false", "no", "off", "0", "none", "null", "n", "f"})
_NUMERAL = re.compile(r"\s*[-+]?\d[\d.,]*\s*")
_UNCHANGING = (str, bytes, int, float, tuple, frozenset, type, type(None), FunctionType)
"""Values that nobody can change who is given them."""


class Unfollowed(BaseException):
    """The code cannot be followed. A ``BaseException``, so that no handler of the application
    catches it."""


class Unfinished(Unfollowed):
    """There is no time left to follow the code."""


class Opaque:
    """A value of which nothing is known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<opaque>"

    def __bool__(self) -> bool:
        raise Unfollowed("the code decides by a value that is not known")


OPAQUE: Final = Opaque()


class Signal(NamedTuple):
    """The way in which a block was left before its end."""

    kind: Literal["return", "break", "continue"]
    value: Any = None


class RefusedText(NamedTuple):
    """A text of which the code wanted to make a value, and could not."""

    text: str
    kind: Literal["integer", "number", "date", "option"]
    reading: str = ""
    """Of a date: how the code reads it."""
    options: tuple[str, ...] = ()
    """The texts of the application's own, of which it is none."""


class Ending(NamedTuple):
    """The end of a rehearsal: what the code made of an answer."""

    kind: Literal["returned", "raised", "asked again"]
    value: Any = None
    """The value that was returned, or the exception that was raised."""
    effects: tuple[Any, ...] = ()
    """The values that the code gave away, as arguments of calls that were not made, and the objects
    that it would have changed."""
    handled: bool = False
    """Whether an error was caught on the way."""
    complete: bool = True
    """Whether nobody of the application, as far as is known, waits for what was returned."""
    unknown: frozenset[str] = frozenset()
    """The texts for which a table of the application gave its default, and those that name a
    constant beside other words, with which the code compares them in vain."""
    stumbled: RefusedText | None = None
    """The last text of which the code could not make a value."""
    doubts: frozenset[str] = frozenset()
    """The reasons, for people, why what was read may not be what the answer says: a default where
    the answer has another key, a text where the code declares a number."""
    lacks: frozenset[str] = frozenset()
    """The keys of the answer without which the code went on."""

    @property
    def is_empty(self) -> bool:
        """True where nothing came of the answer."""
        return self.kind != "returned" or (is_nothing(self.value) and not self.effects)


def is_nothing(value: Any) -> bool:
    """Return whether a value is ``None``, an empty text or an empty container."""
    return value is None or (
        isinstance(value, str | bytes | list | tuple | dict | set) and not value
    )


class _ReadObject:
    """An object of the answer, and the keys by which the code read it."""

    __slots__ = ("lacking", "members", "read")

    def __init__(self, members: dict[Any, Any]) -> None:
        self.members = members
        self.read: set[Any] = set()
        self.lacking: set[Any] = set()
        """Keys that the code looked for in vain, and went on without."""

    @property
    def doubt(self) -> str:
        """Return why what the code took instead of a key may not be what the answer says."""
        if not self.lacking:
            return ""
        unread = [key for key in self.members if key not in self.read]
        if self.read and not unread:
            return ""
        lacking = ", ".join(sorted(repr(key)[:40] for key in self.lacking))
        if not unread:
            return f"no value comes from the answer: the code goes on without {lacking}"
        keys = ", ".join(repr(key)[:40] for key in unread[:3])
        return f"the code goes on without {lacking}, and nothing reads {keys} of the answer"


class Environment:
    """The variables of one function, and the scopes around it."""

    __slots__ = ("declared", "outer", "values", "world")

    def __init__(
        self,
        world: dict[str, Any],
        outer: Environment | None = None,
        values: dict[str, Any] | None = None,
    ) -> None:
        self.values: dict[str, Any] = {} if values is None else values
        self.outer = outer
        self.world = world
        """The globals."""
        self.declared: frozenset[str] = frozenset()
        """Names that belong to an outer function or to the module."""

    def load(self, name: str) -> Any:
        scope: Environment | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        if name in self.world:
            return self.world[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise Unfollowed(f"{name} is not known there") from None

    def store(self, name: str, value: Any) -> None:
        if name in self.declared:
            raise Unfollowed(f"{name} outlives the function")
        self.values[name] = value


class InterpretedFunction:
    """A function or lambda of the application that is interpreted where it is called."""

    __slots__ = ("defaults", "keyword_defaults", "machine", "name", "node", "outer")

    def __init__(
        self,
        machine: Machine,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        outer: Environment,
        defaults: tuple[Any, ...],
        keyword_defaults: dict[str, Any],
    ) -> None:
        self.machine = machine
        self.node = node
        self.outer = outer
        self.defaults = defaults
        self.keyword_defaults = keyword_defaults
        self.name = getattr(node, "name", "<lambda>")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.machine.run(self, arguments, keywords)


Evaluate: TypeAlias = Callable[["Machine", Any, Environment], Any]
Call: TypeAlias = Callable[["Machine", Any, tuple[Any, ...], dict[str, Any]], Any]


class Machine:
    """One rehearsal.

    Args:
        expressions, statements: what each kind of node does.
        call: what a call of something does.
        check: raises where the time is spent; called now and then.
        root: folder of the application; functions from elsewhere are not interpreted.
    """

    def __init__(
        self,
        expressions: dict[type[Any], Evaluate],
        statements: dict[type[Any], Evaluate],
        call: Call,
        root: str,
        check: Callable[[], None],
    ) -> None:
        self._expressions = expressions
        self._statements = statements
        self._call = call
        self._check = check
        self._steps = 0
        self._depth = 0
        self._made: dict[int, Any] = {}
        """Objects that the rehearsal made, by ``id``; kept, so that no id is used again."""
        self._owned: dict[int, Any] = {}
        self._kept: list[Any] = []
        self.root = root
        self.replaced: ast.expr | None = None
        self.answer: Any = None
        self.effects: list[Any] = []
        self.handled = False
        self.left_loop = False
        """Whether a loop was left before its last round."""
        self.stumbled: RefusedText | None = None
        self._looked_up: dict[str, bool] = {}
        """Text -> whether a table of the application holds it."""
        self._read: dict[int, _ReadObject] = {}
        """The objects of the answer, by ``id``, until something takes one as a whole."""
        self.lists: set[int] = set()
        """The lists of the answer, by ``id``."""
        self._elements: dict[tuple[int, bool], _ReadObject] = {}
        """The same of the attributes and of the children of XML elements."""
        self._doubts: set[str] = set()
        self.lacks: set[str] = set()
        """The keys of the answer without which the code went on."""

    def value(self, node: ast.expr, env: Environment) -> Any:
        """Return the value of an expression."""
        self._steps += 1
        if self._steps % 256 == 0:
            try:
                self._check()
            except TimeoutError as error:
                raise Unfinished from error
            if self._steps > MAX_STEPS:
                raise Unfollowed("the code takes too many steps")
        if node is self.replaced:
            return self.answer
        evaluate = self._expressions.get(type(node))
        if evaluate is None:
            raise Unfollowed(f"{type(node).__name__} is not followed")
        return evaluate(self, node, env)

    def block(self, statements: Iterable[ast.stmt], env: Environment) -> Signal | None:
        """Run statements; return how they were left before their end, if they were."""
        for statement in statements:
            execute = self._statements.get(type(statement))
            if execute is None:
                raise Unfollowed(f"{type(statement).__name__} is not followed")
            self._steps += 1
            signal = execute(self, statement, env)
            if signal is not None:
                return signal
        return None

    def make(self, value: Any) -> Any:
        """Note that the rehearsal made an object: it may be changed."""
        self._made[id(value)] = value
        return value

    def was_made(self, value: Any) -> bool:
        """Return whether the rehearsal made a value."""
        return id(value) in self._made

    def current(self, value: Any) -> Any:
        """Return the copy of an application's container or object, where the code has changed it;
        an opaque value for one that was given away."""
        return self._owned.get(id(value), value) if self._owned else value

    def writable(self, value: Any) -> Any:
        """Return a container or object that the code may change: a copy of the application's own.

        Raises:
            Unfollowed: it cannot be copied, or is too large.
        """
        if self.was_made(value):
            return value
        if type(value) in _COPIED and len(value) <= _MAX_COPIED:
            copied = value.copy()
        elif hasattr(value, "__dict__") and type(value).__setattr__ is object.__setattr__:
            copied = _copied_object(value)
        else:
            raise Unfollowed("the code changes what belongs to the application")
        self._kept.append(value)
        self._owned[id(value)] = self.make(copied)
        return copied

    def look_up(self, table: dict[Any, Any], key: Any) -> None:
        """Note that a text is looked up, with a default, in a table of the application."""
        if isinstance(key, str) and table and not self.was_made(table):
            self._looked_up[key] = self._looked_up.get(key, False) or dict.__contains__(table, key)

    def compare(self, text: Any, constant: Any) -> None:
        """Note that a text is compared with a text of the application's own, which it names beside
        other words."""
        if not (isinstance(text, str) and isinstance(constant, str)) or len(text) > _MAX_COMPARED:
            return
        if text == constant or constant.casefold() in _WORDS.findall(text.casefold()):
            self._looked_up[text] = self._looked_up.get(text, False) or text == constant

    def miss(self, text: Any, options: Any) -> None:
        """Note that a text is none of those that the application names."""
        if not isinstance(text, str) or not isinstance(options, _NAMING):
            return
        if 0 < len(options) <= _MAX_OPTIONS and all(isinstance(each, str) for each in options):
            self.stumbled = RefusedText(text, "option", options=tuple(options))

    def note_object(self, members: dict[Any, Any]) -> None:
        """Note an object that was read from the answer."""
        self._read[id(members)] = _ReadObject(members)

    def note_entry(self, held: dict[Any, Any], key: Any) -> None:
        """Note that the code files a part of the answer under a key that the answer gives."""
        if id(held) not in self._read and self.is_of_answer(key) and self.was_made(held):
            self.note_object(held)

    def is_of_answer(self, text: Any) -> bool:
        """Return whether a text with something in it stands in the answer."""
        answer = self.answer
        if not (isinstance(text, str) and isinstance(answer, str)):
            return False
        return any(each.isalnum() for each in text) and text in answer

    def read_element(self, element: Any, name: str, key: Any) -> None:
        """Note that the code looks for an attribute or a child of an XML element."""
        of_attributes = name == "get"
        members = element.attrib if of_attributes else {child.tag: child for child in element}
        place = (id(element), of_attributes)
        if place not in self._elements:
            self._elements[place] = _ReadObject(members)
        known = self._elements[place]
        (known.read if key in members else known.lacking).add(key)

    def read_key(self, held: Any, key: Any) -> None:
        """Note that the code looks for a key."""
        if (known := self._read.get(id(held))) is not None:
            (known.read if key in known.members else known.lacking).add(key)

    def take_default(self, held: dict[Any, Any], key: Any, default: Any) -> None:
        """Note a default of the code that stands for a value of the answer, or a text where the
        default is a number."""
        if id(held) not in self._read:
            return
        if key in held:
            if isinstance(default, list | dict) and isinstance(held[key], str):
                kind = type(default).__name__
                self.doubt(f"{key!r:.40} would be a text, and its default is a {kind}")
            elif not isinstance(default, bool):
                self.declare(held[key], type(default), f"{key!r:.40}")
        elif not is_nothing(default):
            self.doubt(f"the code takes its default {default!r:.40} for {key!r:.40}")

    def take_for_truth(self, value: Any) -> None:
        """Note a text that says no, and counts as true all the same."""
        if isinstance(value, str) and value.strip().casefold() in _DENIALS:
            self.doubt(f"the text {value!r:.40} would count as true")

    def read_whole(self, value: Any) -> None:
        """Note that something takes a value as it is: an object of the answer with all its keys."""
        if self._read:
            self._read.pop(id(value), None)

    def doubt(self, reason: str) -> None:
        """Note why what the code makes of the answer may not be what it says."""
        self._doubts.add(reason)

    def declare(self, value: Any, kind: Any, what: str) -> None:
        """Note a text where the code declares a number.

        Args:
            kind: the declared type, or its name.
            what: what has the type, for people.
        """
        if isinstance(value, str) and (kind in _NUMERIC or kind in _NUMERIC_NAMES):
            name = kind if isinstance(kind, str) else kind.__name__
            self.doubt(f"{what} is declared as {name}, and would be the text {value[:40]!r}")

    def calculate(self, *values: Any) -> None:
        """Note that the code calculates with texts."""
        texts = [value for value in values if isinstance(value, str)]
        if all(_NUMERAL.fullmatch(text) for text in texts) or len(texts) < len(values):
            shown = ", ".join(repr(text[:40]) for text in texts)
            self.doubt(f"the code calculates with {shown}, which would be text")

    def ending(
        self, kind: Literal["returned", "raised", "asked again"], value: Any = None
    ) -> Ending:
        """Return the end of the rehearsal, with what was noted on the way."""
        for held in (value, *self.effects):
            self._hand_out(held, _MAX_HELD)
        objects = (*self._read.values(), *self._elements.values())
        doubts = self._doubts | {known.doubt for known in objects}
        return Ending(
            kind,
            value,
            self.final_state,
            self.handled,
            unknown=self.unknown,
            stumbled=self.stumbled,
            doubts=frozenset(filter(None, doubts)),
            lacks=frozenset(self.lacks.union(*(map(str, known.lacking) for known in objects))),
        )

    def _hand_out(self, value: Any, depth: int) -> None:
        """Note that a result holds objects of the answer as they are."""
        if not self._read or not depth:
            return
        self.read_whole(value)
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, list | tuple):
            return
        for inner in value:
            self._hand_out(inner, depth - 1)

    @property
    def unknown(self) -> frozenset[str]:
        """The texts that were looked up and that no table held."""
        return frozenset(key for key, found in self._looked_up.items() if not found)

    @property
    def final_state(self) -> tuple[Any, ...]:
        """Return what was given away, and the application's objects as the code would have left
        them."""
        changed = (value for value in self._owned.values() if value is not OPAQUE)
        return (*self.effects, *changed)

    def keeps_answer(self) -> bool:
        """Return whether a container or object of the application holds the answer as it came."""
        return any(self.is_answer_in(value) for value in self._owned.values())

    def is_answer_in(self, value: Any, depth: int = 3) -> bool:
        """Return whether a value is the answer as it came, or holds it."""
        answer = self.answer
        if value is answer or value is OPAQUE:
            return value is answer
        if isinstance(value, str):
            return isinstance(answer, str) and value == answer.strip()
        held: Any = value
        if isinstance(value, dict):
            held = value.values()
        elif not isinstance(value, list | tuple | set | deque):
            held = vars(value).values() if hasattr(value, "__dict__") else ()
        return depth > 0 and any(self.is_answer_in(each, depth - 1) for each in held)

    def give_away(self, what: Any) -> Opaque:
        """Note that values reach something that is not followed, and may change them.

        Args:
            what: positional and keyword arguments.
        """
        self.effects.append(what)
        given, named = what
        for value in (*given, *named.values()):
            self.read_whole(value)
            if not isinstance(value, _UNCHANGING):
                self._kept.append(value)
                self._owned[id(value)] = OPAQUE
        return OPAQUE

    def call(self, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call something, whatever it is."""
        return self._call(self, function, given, named)

    def run(
        self, function: InterpretedFunction, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Call an interpreted function."""
        if self._depth >= _MAX_DEPTH:
            raise Unfollowed("the functions call each other too deeply")
        node = function.node
        env = Environment(function.outer.world, function.outer)
        self._bind(function, arguments, keywords, env)
        self._depth += 1
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, env)
            found = yields(node)
            if found:
                env.values[YIELDED] = self.make([])
            signal = self.block(node.body, env)
        finally:
            self._depth -= 1
        if found:
            return self.make(iter(env.values[YIELDED]))
        value = signal.value if signal is not None else None
        if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name):
            self.declare(value, node.returns.id, f"what {node.name}() returns")
        return value

    def _bind(
        self,
        function: InterpretedFunction,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        env: Environment,
    ) -> None:
        """Bind arguments to parameters, as a call does."""
        given = function.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)]
        values = env.values
        if len(arguments) > len(names) and given.vararg is None:
            raise TypeError(f"{function.name}() takes {len(names)} positional arguments")
        values.update(zip(names, arguments, strict=False))
        if given.vararg is not None:
            values[given.vararg.arg] = arguments[len(names) :]
        known = {*names, *(each.arg for each in given.kwonlyargs)}
        extra: dict[str, Any] = {}
        for name, value in keywords.items():
            (values if name in known else extra)[name] = value
        if given.kwarg is not None:
            values[given.kwarg.arg] = self.make(extra)
        elif extra:
            raise TypeError(f"{function.name}() got an unexpected keyword argument")
        start = len(names) - len(function.defaults)
        for index, value in enumerate(function.defaults):
            values.setdefault(names[start + index], value)
        for name, value in function.keyword_defaults.items():
            values.setdefault(name, value)
        if missing := known - values.keys():
            raise TypeError(f"{function.name}() misses {sorted(missing)}")
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            if isinstance(each.annotation, ast.Name):
                self.declare(values.get(each.arg), each.annotation.id, f"{each.arg!r}")


def _copied_object(value: Any) -> Any:
    """Return an object with the same fields, made without running its class's code."""
    try:
        copied = object.__new__(type(value))
    except TypeError as error:
        raise Unfollowed("an object that only its class can make") from error
    copied.__dict__.update(value.__dict__)
    return copied


YIELDED: Final = "<yielded>"
"""Name of the list in which a generator's items are collected: it is run to its end at once."""


@lru_cache(maxsize=2048)
def yields(node: ast.AST) -> bool:
    """Return whether a function is a generator; cached, because that takes as long as running it.

    The trees of whole files are kept as well (``sources.py``).
    """
    pending = list(ast.iter_child_nodes(node))
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(
            inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            pending.extend(ast.iter_child_nodes(inner))
    return False
