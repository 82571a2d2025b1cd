"""Faults of the tools that read logs."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

THEME = "logbook"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "requests_per_hour"),
        category="embedded document",
        fault=raised("ValueError", "requests_per_hour"),
        specification="under",
        lacks="that the time of a request needs this very format, with its time zone",
        witness={"log": '10.0.0.1 - - [10/Oct/2024:13:55:36] "GET /a HTTP/1.1" 200 23'},
        normal={"log": '10.0.0.1 - - [10/Oct/2024:13:55:36 +0200] "GET /a HTTP/1.1" 200 23'},
        more=(
            {"log": ""},
            {
                "log": "server started\n"
                '::1 - - [01/Jan/2024:00:00:01 +0000] "POST /b HTTP/1.1" 404 0\n'
                '::1 - - [01/Jan/2024:00:00:02 +0000] "POST /b HTTP/1.1" 201 0\n'
            },
        ),
        hard="document",
    ),
    Planted(
        target=target_of(THEME, "pager.next_page"),
        category="state between calls",
        fault=raised("TypeError", "next_page"),
        specification="ill",
        sentence="The lines; none at the end of the log, or while no log is open.",
        witness={"size": 2},
        steps=(
            (target_of(THEME, "pager.open"), {"name": "web"}),
            (target_of(THEME, "pager.close"), {}),
        ),
        setup=((target_of(THEME, "pager.open"), {"name": "web"}),),
        normal={"size": 3},
        more=({}, {"size": 100}, {"size": 1}),
        hard="state",
        refusals=(raised("ValueError", "next_page", "size must be"),),
    ),
    Sound(
        target=target_of(THEME, "pager.open"),
        accepted=({"name": "web"}, {"name": "mail"}, {"name": "x"}),
        refusals=(answers("There is no log"),),
        companion=True,
    ),
    Sound(target=target_of(THEME, "pager.close"), accepted=({},), companion=True),
    Planted(
        target=target_of(THEME, "describe_spike"),
        category="error as text",
        fault=answers("division by zero"),
        specification="under",
        lacks="that there must have been events before the last interval",
        witness={"counts": [0, 0, 0, 0, 12]},
        normal={"counts": [3, 4, 5, 4, 12]},
        more=(
            {"counts": [1, 2]},
            {"counts": [5, 5, 5, 0], "factor": 1.5},
            {"counts": [-1, 2, 3, 4]},
        ),
        deep=True,
        refusals=(answers("Too few intervals"), answers("Counts must lie")),
    ),
    Planted(
        target=target_of(THEME, "grep"),
        category="long output",
        fault=raised("ValueError", "grep", "substring not found"),
        specification="ill",
        sentence="Answers of more than 1500 characters are cut at the end of a line.",
        witness={"text": "start\n" + "payload " * 250 + "\nend", "word": "payload"},
        normal={"text": "08:00 INFO up\n08:01 ERROR disk full\n", "word": "error"},
        more=(
            {"text": "", "word": ""},
            {"text": "a line of the log\n" * 200},
            {"text": "x" * 1500},
        ),
        deep=True,
    ),
    Sound(
        target=target_of(THEME, "search_log"),
        accepted=(
            {"name": "web", "word": "error"},
            {"name": "web"},
            {"name": "mail", "word": "Timeout"},
            {"name": "jobs", "word": "failed"},
        ),
        refused=({"name": "kernel"}, {"name": "", "word": "x"}),
        refusals=(raised("ValueError", "search_log", "no log is called"),),
    ),
)
