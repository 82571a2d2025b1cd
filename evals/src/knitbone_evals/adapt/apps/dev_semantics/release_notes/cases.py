"""Lists of sentences in JSON: one comes again."""

import json

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="release_notes", half="dev_semantics", domain="task management", function="dialog"
)
FIXES = {
    "Fixed a crash when opening large files": [
        "Fixed crashes on opening large files",
        "Fixed a crash that occurred when opening large files",
    ],
    "Search now finds words with accents": [
        "Words with accents are now found by search",
        "The search now finds words with accents",
    ],
    "The sidebar no longer flickers on startup": [
        "On startup the sidebar no longer flickers",
        "Fixed flickering of the sidebar on startup",
    ],
    "Exports keep their file names": ["File names are kept by exports"],
    "Dark mode applies to dialogs": ["Dialogs now use dark mode"],
    "Corrected the German translation of the settings page": [
        "The German translation of the settings page was corrected"
    ],
    "Undo works after a paste": ["Undo now works after pasting"],
    "Faster start on old laptops": ["Faster startup on old laptops"],
    "Removed an unused permission": ["An unused permission was removed"],
}
HIGH = ("A new map view", "Offline mode", "Shared folders", "Two-factor login")


def base(rng, _pool):
    highs, fixes = rng.sample(HIGH, 2), rng.sample(list(FIXES), rng.randint(3, 6))
    indent = rng.choice((None, 2))

    def say(items):
        return (
            json.dumps(
                {"title": "Version 4.2", "highlights": highs, "fixes": items}, indent=indent
            ),
        )

    def result(items):
        return {
            "title": "Version 4.2",
            "highlights": highs,
            "fixes": ["• " + each for each in items],
        }

    return Base(
        inputs={"commits": "a1 b2 c3"},
        outputs=say(fixes),
        expected=result(fixes),
        slots={"items": fixes, "say": say, "result": result, "other": FIXES},
    )


FAULTS = (
    kit.again("fix twice", kit.exact_later),
    kit.again("fix in other words", kit.reworded),
    kit.again("fix over and over", kit.run),
    kit.again("two fixes again", kit.two),
)


def extra(_rng):
    for fixes in (
        [
            "Fixed a crash when opening large files",
            "Fixed a crash when opening empty files",
            "Fixed a crash when saving large files",
        ],
        ["Updated the German translation", "Updated the French translation"],
        ["iOS: faster start", "Android: faster start"],
        ["Undo works after a paste", "Redo works after a paste"],
        ["Fixed #1201", "Fixed #1202", "Fixed #1210"],
    ):
        yield case_of(
            SPEC,
            Base(
                inputs={"commits": "x"},
                outputs=(json.dumps({"title": "T", "highlights": [], "fixes": fixes}),),
                expected={"title": "T", "highlights": [], "fixes": ["• " + fix for fix in fixes]},
                note=fixes[0],
            ),
        )
