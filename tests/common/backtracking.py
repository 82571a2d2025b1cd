"""A backtracking matcher that does what ``re`` does, step by step, and counts the characters that
it compares. For the tests alone: it takes whatever time the expression takes."""

import re

from knitbone.common.expressions.parsing import sre, sre_parser

LIMIT = 30_000


class OverLimitError(Exception):
    """There are more steps than are worth counting."""


class Matcher:
    def __init__(self, pattern, text):
        self.tokens = list(sre_parser.parse(pattern.pattern, pattern.flags))
        self.flags = pattern.flags
        self.text = text
        self.groups = {}
        self.steps = 0

    def spans(self, method):
        """The spans that the method finds."""
        found, place, empty_at = [], 0, -1
        starts = [0] if method in ("match", "fullmatch") else range(len(self.text) + 1)
        for start in starts:
            while start >= place:
                self.groups = {}
                end = self._from(start, method, empty_at)
                if end is None:
                    break
                found.append((start, end))
                if method in ("match", "fullmatch", "search"):
                    return found
                place, empty_at = end, end if end == start else -1
                if end > start:
                    break
        return found

    def _from(self, start, method, empty_at):
        def finish(place):
            if method == "fullmatch" and place < len(self.text):
                return None
            if place == start == empty_at:
                return None
            return place

        return self._run(self.tokens, 0, start, self.flags, finish)

    def _run(self, tokens, index, place, flags, go_on):
        held = dict(self.groups)
        end = self._go(tokens, index, place, flags, go_on)
        if end is None:
            self.groups = held
        return end

    def _go(self, tokens, index, place, flags, go_on):
        if index == len(tokens):
            return go_on(place)
        operation, argument = tokens[index]

        def rest(after):
            return self._run(tokens, index + 1, after, flags, go_on)

        if operation in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return rest(place + 1) if self._takes(operation, argument, place, flags) else None
        if "REPEAT" in str(operation):
            return self._repeat(operation, argument, place, flags, rest)
        if operation is sre.SUBPATTERN:
            group, added, removed, inner = argument
            return self._group(group, list(inner), place, (flags | added) & ~removed, rest)
        if operation is sre.BRANCH:
            for branch in argument[1]:
                if (end := self._run(list(branch), 0, place, flags, rest)) is not None:
                    return end
            return None
        if operation is sre.AT:
            return rest(place) if self._at(str(argument), place, flags) else None
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            return self._assertion(operation, argument, place, flags, rest)
        if operation is sre.GROUPREF:
            return self._again(argument, place, rest)
        if operation is sre.GROUPREF_EXISTS:
            group, yes, no = argument
            chosen = yes if self.groups.get(group) else (no or ())
            return self._run(list(chosen), 0, place, flags, rest)
        if str(operation) == "ATOMIC_GROUP":
            end = self._run(list(argument), 0, place, flags, lambda after: after)
            return None if end is None else rest(end)
        if operation is sre.FAILURE:
            return None
        raise AssertionError(operation)

    def _takes(self, operation, argument, place, flags):
        self.steps += 1
        if self.steps > LIMIT:
            raise OverLimitError
        if place >= len(self.text):
            return False
        single = sre_parser.SubPattern(sre_parser.State(), [(operation, argument)])
        return _accepts(repr(single.data), single, flags, self.text[place])

    def _repeat(self, operation, argument, place, flags, rest):
        low, high, inner = int(argument[0]), argument[1], list(argument[2])
        most = float("inf") if high is sre.MAXREPEAT else int(high)
        if str(operation) == "POSSESSIVE_REPEAT":
            count = 0
            while count < most:
                end = self._run(inner, 0, place, flags, lambda after: after)
                if end is None:
                    break
                count += 1
                if end == place and count >= low:
                    break
                place = end
            return rest(place) if count >= low else None

        def body(count, at, before):
            return self._run(inner, 0, at, flags, lambda after: step(count + 1, after, before))

        def step(count, at, before):
            if count < low:
                return body(count, at, None)
            again = count < most and at != before
            if operation is sre.MIN_REPEAT:
                end = rest(at)
                return body(count, at, at) if end is None and again else end
            if again and (end := body(count, at, at)) is not None:
                return end
            return rest(at)

        return step(0, place, None)

    def _group(self, group, inner, place, flags, rest):
        if group is None:
            return self._run(inner, 0, place, flags, rest)
        before = self.groups.get(group)

        def close(after):
            held = self.groups.get(group)
            self.groups[group] = (place, after)
            if (end := rest(after)) is None:
                self.groups[group] = held
            return end

        end = self._run(inner, 0, place, flags, close)
        if end is None:
            self.groups[group] = before
        return end

    def _assertion(self, operation, argument, place, flags, rest):
        direction, inner = argument
        start = place
        if direction < 0:
            start = place - inner.getwidth()[0]
        end = None
        if start >= 0:
            end = self._run(list(inner), 0, start, flags, lambda after: after)
        return rest(place) if (end is not None) == (operation is sre.ASSERT) else None

    def _again(self, group, place, rest):
        span = self.groups.get(group)
        if span is None:
            return None
        held = self.text[span[0] : span[1]]
        self.steps += len(held)
        return rest(place + len(held)) if self.text.startswith(held, place) else None

    def _at(self, name, place, flags):
        text = self.text
        if name == "AT_BEGINNING":
            lines = flags & re.MULTILINE
            return place == 0 or bool(lines and text[place - 1] == "\n")
        if name == "AT_BEGINNING_STRING":
            return place == 0
        if name == "AT_END":
            if place == len(text) or (place == len(text) - 1 and text[place] == "\n"):
                return True
            return bool(flags & re.MULTILINE and text[place] == "\n")
        if name == "AT_END_STRING":
            return place == len(text)
        sides = (text[place - 1 : place] if place else "", text[place : place + 1])
        ascii_only = flags & re.ASCII
        words = [
            bool(side and (side.isalnum() or side == "_") and not (ascii_only and ord(side) > 127))
            for side in sides
        ]
        return (words[0] != words[1]) == (name == "AT_BOUNDARY")


_KNOWN = {}


def _accepts(key, single, flags, character):
    """Whether one token takes a character, by ``re`` itself."""
    known = (key, flags, character)
    if known not in _KNOWN:
        _KNOWN[known] = sre_compile(single, flags).match(character) is not None
    return _KNOWN[known]


def sre_compile(single, flags):
    return re.compile(_written(*single.data[0]), flags & (re.IGNORECASE | re.DOTALL | re.ASCII))


_CLASSES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


def _written(operation, argument):
    if operation is sre.LITERAL:
        return re.escape(chr(argument))
    if operation is sre.NOT_LITERAL:
        return f"[^{re.escape(chr(argument))}]"
    if operation is sre.ANY:
        return "."
    members = ""
    for kind, value in argument:
        if kind is sre.NEGATE:
            members += "^"
        elif kind is sre.LITERAL:
            members += re.escape(chr(value))
        elif kind is sre.RANGE:
            members += "-".join(re.escape(chr(bound)) for bound in value)
        else:
            written = _CLASSES[str(value).rpartition("_")[2]]
            members += written.upper() if "_NOT_" in str(value) else written
    return f"[{members}]"
