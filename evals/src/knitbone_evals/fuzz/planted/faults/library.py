"""The faults in ``library``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

_LOAN = {"reader": "Ida", "book": "Emma"}

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("library", "loan_desk"),
        category="state between calls",
        fault=raised("KeyError", "loan_desk"),
        specification="ill",
        sentence="it names the readers with the books that they have.",
        witness={"action": "list"},
        before=({"action": "lend", **_LOAN}, {"action": "return", **_LOAN}),
        normal={"action": "lend", **_LOAN},
        more=({"action": "list"}, {"action": "return", **_LOAN}),
        hard="state",
        refusals=(raised("ValueError", "loan_desk"),),
    ),
    Planted(
        target=target_of("library", "isbn_check"),
        category="hidden format",
        fault=raised("ValueError", "isbn_check", "invalid literal"),
        specification="ill",
        sentence="which is a digit or an X, large or small.",
        witness={"isbn": "0-8044-2957-x"},
        normal={"isbn": "0-8044-2957-X"},
        more=({"isbn": "0306406152"}, {"isbn": "0306406153"}),
        deep=True,
        refusals=(raised("ValueError", "isbn_check", "nine digits"),),
    ),
    Planted(
        target=target_of("library", "shelf_order"),
        category="hidden format",
        fault=raised("TypeError", "shelf_order"),
        specification="ill",
        sentence='number or a letter with a number, as in "QA 76" or "QA M12".',
        witness={"marks": ["QA 76", "QA M12"]},
        normal={"marks": ["QA 76", "QA 9", "B 12"]},
        more=({"marks": []}, {"marks": ["QA M12", "Z 1"]}),
        deep=True,
        refusals=(raised("ValueError", "shelf_order"),),
    ),
)
