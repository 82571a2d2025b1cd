"""Lines that begin with ``Task N. ``."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import TASKS as TASK_FAULTS
from knitbone_evals.adapt.faults import repeated_item
from knitbone_evals.adapt.pools import TASKS

SPEC = AppSpec(name="goal_runner", half="unseen", domain="task management", function="run")
GOALS = ("Run the summer party", "Prepare the book fair", "Clear up after the concert")


def write(items):
    return "\n".join(f"Task {number}. {text}" for number, text in enumerate(items, 1))


def results(items):
    return [f"[{number}] {text}" for number, text in enumerate(items, 1)]


def of_items(goal, items, reworded=None, note=""):
    return Base(
        inputs={"goal": goal},
        outputs=(write(items),),
        expected=results(items),
        slots={"items": items, "reworded": reworded or {}},
        note=note,
    )


def base(rng, _pool):
    drawn = dict(rng.sample(TASKS, rng.randint(3, 6)))
    return of_items(rng.choice(GOALS), list(drawn), drawn)


FAULTS = (
    *TASK_FAULTS,
    repeated_item(write, results, reworded=False),
    repeated_item(write, results, reworded=True),
)

TRAPS = (
    (
        "the word stands in the task",
        ["Write Task cards for each helper", "Pin the Task cards to the wall"],
    ),
    ("a colon in the task", ["Buy: flour, sugar, salt", "Ask Ines: who brings the oven?"]),
    ("a dash and a number in the task", ["Book room 4 - 6 for the choir", "Print form 7)"]),
    ("the same for two persons", ["Send the contract to Ada", "Send the contract to Bruno"]),
    ("do and do not", ["Invite the press", "Do not invite the press to the rehearsal"]),
    ("a file name", ["Back up notes.txt. Then delete it", "Back up plan.txt. Then archive it"]),
)


def extra(rng):
    for note, items in TRAPS:
        yield case_of(SPEC, of_items(rng.choice(GOALS), items, note=note))
