"""A fenced Python function that is executed. What it gives is computed here, by other code."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import PYTHON

SPEC = AppSpec(name="snippet_lab", half="unseen", domain="program synthesis", function="try_out")
WORDS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath")


def words_reversed(rng):
    words = rng.sample(WORDS, 4)
    code = 'def solve(text):\n    words = text.split(" ")\n    return " ".join(reversed(words))'
    return "turn the order of the words", code, [" ".join(words)], " ".join(words[::-1])


def total_of_even(rng):
    numbers = [rng.randint(1, 40) for _ in range(6)]
    code = (
        "def solve(numbers):\n    total = 0\n    for number in numbers:\n"
        "        if number % 2 == 0 and number > 10:\n            total += number\n    return total"
    )
    right = sum(each for each in numbers if not each % 2 and each > 10)
    return "add the even numbers over ten", code, [numbers], right


def initials(rng):
    words = rng.sample(WORDS, 3)
    code = 'def solve(name):\n    return "".join(part[0].upper() for part in name.split(" "))'
    return "the initials of a name", code, [" ".join(words)], "".join(w[0] for w in words).upper()


def longest(rng):
    words = rng.sample(WORDS, 4)
    words.append("chestnut")
    rng.shuffle(words)
    code = "def solve(words):\n    return max(words, key=lambda word: len(word))"
    return "the longest word", code, [words], "chestnut"


def counted(rng):
    letters = [rng.choice("abc") for _ in range(8)]
    code = (
        "def solve(letters):\n    counts = {}\n    for letter in letters:\n"
        "        counts[letter] = counts.get(letter, 0) + 1\n    return sorted(counts.items())"
    )
    right = [[each, letters.count(each)] for each in sorted(set(letters))]
    return "count the letters", code, [letters], right


def in_range(rng):
    low, high = rng.randint(1, 9), rng.randint(20, 40)
    numbers = [rng.randint(0, 50) for _ in range(7)]
    code = (
        "def solve(numbers, low, high):\n"
        "    return [number for number in numbers if low <= number and number <= high]"
    )
    right = [each for each in numbers if low <= each <= high]
    return "keep the numbers between two limits", code, [numbers, low, high], right


def grade(rng):
    points = rng.randint(0, 100)
    code = (
        'def solve(points):\n    if points >= 90:\n        mark = "excellent"\n'
        '    elif points >= 50:\n        mark = "passed"\n    else:\n        mark = "failed"\n'
        '    return mark + " (" + str(points) + ")"'
    )
    mark = "excellent" if points >= 90 else "passed" if points >= 50 else "failed"
    return "the mark for some points", code, [points], f"{mark} ({points})"


MAKERS = (words_reversed, total_of_even, initials, longest, counted, in_range, grade)


def of_code(task, code, example, result, note=""):
    return Base(
        inputs={"task": task, "example": example},
        outputs=(f"```python\n{code}\n```",),
        expected={"ok": True, "result": result},
        note=note,
    )


def base(rng, _pool):
    return of_code(*rng.choice(MAKERS)(rng))


FAULTS = PYTHON

TRAPS = (
    (
        "British words in comments",
        "# normalise the colour's neighbours\ndef solve(x):\n    return x",
        [1],
        1,
    ),
    (
        "one line twice, on purpose",
        "def solve(x):\n    x = x * 2\n    x = x * 2\n    return x",
        [3],
        12,
    ),
    ("tabs, all through", "def solve(x):\n\tif x:\n\t\treturn 1\n\treturn 0", [5], 1),
    ("texts that look broken", "def solve(x):\n    return '“(' + \"[{\" + x", ["!"], "“([{!"),
    ("a fence's sign in a text", "def solve(x):\n    return '`' * 2 + x", ["a"], "``a"),
    (
        "true division, an ellipsis, a walrus",
        "def solve(x):\n    ...\n    return (y := x / 2) and y",
        [3],
        1.5,
    ),
)


def extra(_rng):
    for note, code, example, result in TRAPS:
        yield case_of(SPEC, of_code("do what the code says", code, example, result, note))
    spoken = of_code(
        "double it", "def solve(x):\n    return 2 * x", [4], 8, "prose around the block"
    )
    text = (
        f"Here you are:\n\n{spoken.outputs[0]}\n\nIt doubles the number.\nCall it with `solve(4)`."
    )
    yield case_of(SPEC, spoken, outputs=(text,))
