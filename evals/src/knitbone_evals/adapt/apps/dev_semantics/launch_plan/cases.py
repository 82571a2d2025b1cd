"""Tasks as tickets; numbering must stay contiguous."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="launch_plan", half="dev_semantics", domain="task management", function="tickets"
)
TASKS = {
    "Set up the staging server": [
        "Set the staging server up",
        "Configure the staging server",
        "Setting up the staging server",
    ],
    "Write the press release": ["Draft the press release", "Prepare the press release text"],
    "Create an account on the app store": [
        "Create an app store account",
        "Register an account on the app store",
    ],
    "Collect feedback from the beta testers": [
        "Gather feedback from the beta testers",
        "Get feedback from beta testers",
    ],
    "Record a demo video of two minutes": ["Record a two-minute demo video"],
    "Translate the interface into Spanish": [
        "Translate the UI into Spanish",
        "Spanish translation of the interface",
    ],
    "Fix the login bug on Android": [
        "Resolve the login bug on Android",
        "Fix the Android login bug",
    ],
    "Send invitations to 50 journalists": [
        "Invite 50 journalists",
        "Send 50 journalists invitations",
    ],
    "Review the privacy policy with a lawyer": [
        "Have a lawyer review the privacy policy",
        "Go over the privacy policy with a lawyer",
    ],
    "Define the price of the yearly plan": [
        "Set the yearly plan's price",
        "Determine the price of the yearly plan",
    ],
    "Load test the payment service": [
        "Perform a load test of the payment service",
        "Run a load test on the payment service",
    ],
    "Train the support team": [
        "Provide training for the support team",
        "Hold a training for the support team",
    ],
}


def say(items):
    return ("\n".join(f"Task {n}: {task}" for n, task in enumerate(items, 1)),)


def result(items):
    return [{"number": n, "title": task} for n, task in enumerate(items, 1)]


def of(items, note=""):
    return Base(
        inputs={"goal": "launch the app"},
        outputs=say(items),
        expected=result(items),
        note=note,
        slots={"items": items, "say": say, "result": result, "other": TASKS},
    )


def base(rng, _pool):
    return of(rng.sample(list(TASKS), rng.randint(4, 7)))


FAULTS = (
    kit.again("task twice", kit.exact_later),
    kit.again("task in other words", kit.reworded),
    kit.again("task in other words next", kit.reworded_next),
    kit.again("task over and over", kit.run),
    kit.again("two tasks again", kit.two),
)


def extra(_rng):
    for items in (
        ["Set up the staging server", "Set up the production server", "Test the staging server"],
        [
            "Translate the interface into Spanish",
            "Translate the interface into Italian",
            "Translate the manual into Spanish",
        ],
        ["Fix the login bug on Android", "Fix the login bug on iOS"],
        [
            "Send invitations to 50 journalists",
            "Send invitations to 20 bloggers",
            "Send reminders to 50 journalists",
        ],
        ["Write the press release", "Review the press release", "Publish the press release"],
        ["Run the tests", "Fix the failing tests", "Run the tests again", "Ship it"],
        [
            "Open the feature flag for 10% of users",
            "Open the feature flag for 50% of users",
            "Open the feature flag for 100% of users",
        ],
        ["Train the support team", "Hire the support team"],
    ):
        yield case_of(SPEC, of(items, items[0]))
