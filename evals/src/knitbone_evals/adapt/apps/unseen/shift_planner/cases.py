"""A numbered list with minutes."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import NUMBERED, repeated_item
from knitbone_evals.adapt.pools import TASKS

SPEC = AppSpec(name="shift_planner", half="unseen", domain="task management", function="schedule")
EVENTS = ("Street festival, Saturday", "School concert", "Book fair", "Village run", "Open day")


def write(items):
    return "\n".join(
        f"{number}. {task} ({minutes} min)" for number, (task, minutes) in enumerate(items, 1)
    )


def results(items):
    rows, clock = [], 0
    for number, (task, minutes) in enumerate(items, 1):
        rows.append({"no": number, "task": task, "start": clock})
        clock += minutes
    return {"rows": rows, "total": clock}


def of_items(event, items, reworded=None, note=""):
    return Base(
        inputs={"event": event},
        outputs=(write(items),),
        expected=results(items),
        slots={"items": items, "reworded": reworded or {}},
        note=note,
    )


def base(rng, _pool):
    drawn = rng.sample(TASKS, rng.randint(4, 7))
    items, reworded = [], {}
    for task, other in drawn:
        item = (task, 5 * rng.randint(1, 9))
        items.append(item)
        if other:
            reworded[item] = (other, item[1])
    return of_items(rng.choice(EVENTS), items, reworded)


FAULTS = (
    *(each for each in NUMBERED if each.name != "full-width number"),
    repeated_item(write, results, reworded=False),
    repeated_item(write, results, reworded=True),
)

TRAPS = (
    (
        "places differ",
        [("Lock the north gate", 5), ("Lock the south gate", 5), ("Count the cash", 20)],
    ),
    (
        "times differ",
        [("Feed the pony at 9", 10), ("Feed the pony at 12", 10), ("Feed the pony at 15", 10)],
    ),
    (
        "opposites",
        [("Open the side doors", 5), ("Serve the soup", 60), ("Close the side doors", 5)],
    ),
    (
        "first and second round",
        [("Collect glasses, first round", 15), ("Collect glasses, second round", 15)],
    ),
    ("amounts differ", [("Bring 10 chairs to hall A", 10), ("Bring 40 chairs to hall B", 30)]),
    (
        "numbers and marks in the task",
        [("Check gate 3. Call Ann if it is shut", 5), ("Stack boxes 1) to 9)", 15)],
    ),
    ("persons differ", [("Brief Ada on the fire exits", 5), ("Brief Hugo on the fire exits", 5)]),
)


def extra(rng):
    for note, items in TRAPS:
        yield case_of(SPEC, of_items(rng.choice(EVENTS), items, note=note))
    items = [("Wash the cups", 15), ("Sweep the hall", 20)]
    wide = of_items(EVENTS[1], items, note="full-width digits, which the expression and int() read")
    text = write(items).replace("1. ", "\uff11. ").replace("2. ", "\uff12. ")
    yield case_of(SPEC, wide, outputs=(text,))
    spoken = of_items(EVENTS[0], items, note="prose around a list that is read line by line")
    text = f"Here are 2 things to do:\n\n{write(items)}\n\nThat makes 35 minutes. 1 break is left."
    yield case_of(SPEC, spoken, outputs=(text,))
