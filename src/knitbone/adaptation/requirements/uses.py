"""Operations of code on an output: the tree from which requirements are read.

``int(text.split(":")[1])`` is ``source`` with below it ``.split``, ``getitem`` and ``int``. The
analysis of the source makes the tree without running anything; ``knitbone learn`` makes it from
what it sees while the application runs. The readers of requirements see only this tree.

Names of operations
    ``source``            the root: the output itself; its argument is the ``Form`` of the value
    ``.name``             a method of the value: ``.strip``, ``.split``, ``.get``, ``.items``
    ``dotted.name``       a function that receives the value: ``json.loads``, ``ast.parse``;
                          builtins stand without a dot: ``int``, ``exec``, ``len``, ``str``.
                          A method of an object of a library is written with the calls that made
                          the object: ``sqlite3.connect().cursor().execute``. The methods of
                          a compiled pattern are ``re.findall`` and so on: ``(pattern, flags)``
                          are their arguments, whatever way the code calls them
    ``getattr``           an attribute of the value: ``(name,)``
    ``getitem``           ``value[key]``: ``(key,)``; ``slice``: ``(start, stop, step)``
    ``index``             the value is the index or key in another: ``other[value]``; of
                          a dictionary that is written out: ``((keys...),)``
    ``unpack``            one target of ``a, b = value``: ``(index, count)``; the count is
                          ``None`` where one target takes any number: ``a, *b = value``
    ``key``               the value is the key of an entry of a dictionary that the code makes, and
                          the code looks for this one: ``(key, whether there must be one)``;
                          ``field``: what stands under that key is taken: ``(key,)``
    ``named``             the value gets a name that says that it is a number: ``(name,)``
    ``iterate``           a loop, comprehension or ``*`` over the value: its items
    ``listed``            the value stands in a list or tuple: ``(index, (items...))``
    ``keyed``             the value stands in a dictionary: ``(key,)``
    ``concat``            joined with other text: ``(before, after)``; ``format`` where that
                          text is an f-string, ``%`` or ``.format``
    ``join``              the value is one of the items that are joined: ``(separator,)``
    ``arithmetic``        calculated with a constant number: ``value - 1``
    ``eq`` ``ne`` ``lt`` ``le`` ``gt`` ``ge``  compared with a constant: ``(constant,)``
    ``in``                the value is one of ``((constants...),)``; ``contains``: a constant is
                          in the value: ``(constant,)``
    ``truth``             the code branches on the value; ``is_none``: on its being ``None``;
                          ``is``: on its being that truth value: ``(constant,)``
    ``construct``         keyword or splat construction of a class of the application:
                          ``(shape,)``; ``annotate``: the value is declared to have that shape
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from knitbone.adaptation.requirements.records import Evidence, OnViolation

__all__ = ["Argument", "Branch", "Computed", "Form", "Operation", "Use"]

Form = Literal["text", "arguments", "message", "response", "documents", "texts", "object"]
"""The form of a site's value: a text, the arguments of a tool call (text), a message or response
object, retrieved entries, pieces of a split text, or a structured object."""

Branch = Literal["core", "handler", "fallback"]
"""The part of the code that an operation stands in: on the way to the function's core work, in an
exception handler, or on a way that only gives up (Comfrey §4.2)."""


class Computed(msgspec.Struct, frozen=True, tag="computed"):
    """An argument that is not a constant, as it is written."""

    expression: str


Argument = Any
"""``str``, ``int``, ``float``, ``bool``, ``bytes``, ``None``, a tuple of these, a ``Shape`` (for a
class of the application) or ``Computed``."""


class Operation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that code does with a value."""

    name: str
    arguments: tuple[Argument, ...] = ()
    """The other positional arguments, without the value itself."""
    keywords: tuple[tuple[str, Argument], ...] = ()
    settings: tuple[tuple[str, Argument], ...] = ()
    """The arguments that made the object whose method this is; positional ones under "0", "1", ...
    Of a cut into lines, and of a loop, ``passing_over``: how the function around it may pass over
    lines by their place (words of ``slice``, ``taken``, ``counted``)."""
    position: str = ""
    """Which parameter the value is: "0", "1", ... or a keyword's name."""

    def keyword(self, name: str, position: int | None = None) -> Argument:
        """Return a keyword argument, or the positional one at that place; ``None`` if not given."""
        for key, value in self.keywords:
            if key == name:
                return value
        if position is not None and position < len(self.arguments):
            return self.arguments[position]
        return None

    def setting(self, name: str, position: int | None = None) -> Argument:
        """Return the same of what the receiver was made with."""
        wanted = {name} if position is None else {name, str(position)}
        return next((value for key, value in self.settings if key in wanted), None)


class Use(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An operation, and what is done with its result."""

    operation: Operation
    uses: tuple[Use, ...] = ()
    """In the order of the source."""
    evidence: Evidence
    on_violation: OnViolation = "unknown"
    """The code's treatment of a failing operation, or of one that finds nothing."""
    branch: Branch = "core"
    alternative: str = ""
    """Operations of one value with the same mark are tried in turn: one that succeeds is
    enough."""
    when: str = ""
    """The state in which the operation was seen, where it was not seen always (``learn``)."""

    def walk(self) -> Iterator[Use]:
        """Yield this use and all below it, depth first."""
        pending: list[Use] = [self]
        while pending:
            use = pending.pop()
            yield use
            pending.extend(reversed(use.uses))
