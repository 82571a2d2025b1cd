"""The tasks: what each measures, and what it needs."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["TASKS", "Task"]

Data = Literal["development", "blind once", "held back", "none"]
"""``development``: looked at while knitbone was built. ``blind once``: by an author who knew no
detector and committed before the first run, looked at since. ``held back``: a part was never
opened. ``none``: nothing to look at, such as drawn inputs or counts."""


class Task(NamedTuple):
    """One way to measure knitbone."""

    name: str
    """What follows ``knitbone_evals.`` in the name of its module."""
    measures: str
    data: Data
    public: bool = False
    """Whether it needs ``--data DIR``: public sets that are not part of this repository."""
    quick: tuple[str, ...] | None = None
    """The arguments of a run of some seconds that writes nothing; ``None`` where there is none."""


TASKS = (
    # adapt
    Task("adapt", "what adapt detects, repairs and harms in 38 applications with seeded faults and "
         "natural answers, judged by the downstream code's result", "held back", public=True),
    Task("adapt.golden", "nothing by itself: prints each of 24,622 decisions of adapt that "
         "differs from the record, by class (`compare`)", "development",
         quick=("compare", "--set", "harm")),
    Task("adapt.values", "a value within words: right, missed, wrong over 55 consumers",
         "development"),
    Task("adapt.harm", "harm on 1,055 answers that do not conform, half of them traps",
         "blind once", quick=()),
    Task("adapt.attack", "4,610 answers of an attacker to 81 small applications, and 960 of two "
         "fresh authors (`--set`); half of them traps", "development", quick=()),
    Task("adapt.accepted", "harm on answers that plain code reads: 407 kinds of programs",
         "held back"),
    Task("adapt.applications", "forty whole applications under `knitbone run`; needs the "
         "frameworks of its requirements.txt", "held back"),
    Task("adapt.prose", "what adapt changes in 3,357 texts that are right as they are",
         "development", public=True),
    Task("adapt.context", "which retrieved entries are taken out, rightly and wrongly",
         "development", public=True),
    Task("adapt.requirements", "recall and precision of `knitbone check` against labels by hand",
         "blind once"),
    Task("adapt.similarity.calibrate", "the thresholds of the embedded embedder", "development"),
    Task("adapt.suites", "test suites of real packages, bare and observed; an hour", "none"),
    Task("adapt.contracts", "the property tests of adapt's contracts with many examples; hours",
         "none"),
    Task("adapt.catastrophic", "regular expressions of public lists that take exponential time",
         "development"),
    Task("adapt.concurrency", "that nothing hangs among forks, threads and tasks; half an hour",
         "none"),
    Task("adapt.touched", "which files of knitbone one answer comes through", "none", quick=()),
    # documents
    Task("documents.blind", "broken JSON, Python, XML and CSV of 67 shapes, every token and "
         "random characters, beside json-repair and parsantic", "held back", quick=("--quick",)),
    Task("documents.named", "216 named faults of what models write for JSON, beside the same",
         "held back", quick=("--quick",)),
    Task("documents.peer_cases", "the test cases of json-repair and jsonrepair, and a reading by "
         "hand of each outcome that differs", "development", public=True),
    Task("documents.tool_calls", "tool calls that two small models wrote for requests that fix "
         "every value, beside json-repair and parsantic", "development", quick=()),
    Task("documents.streams", "what `repair(partial=True)` shows of 1,000 documents in chunks, and "
         "whether it is ever taken back", "none", quick=("--count", "100")),
    # fuzz, fuzz-docs, fix
    Task("fuzz", "faults found in 87 planted tools and in real ones, beside Hypothesis; hours",
         "held back", quick=("--planted", "--calls", "50", "--seeds", "0", "--only", "travel")),
    Task("fuzz.hints", "whether fresh calls contradict the hints of findings", "none",
         quick=("--only", "generated", "--tools", "60")),
    Task("fuzz.classification", "whether findings get the kind that the tool's author wrote down",
         "held back"),
    Task("fuzz.hostile_run", "hostile schemas, answers and escapes against the fuzzer",
         "blind once"),
    Task("fuzz.servers", "four real MCP servers, fuzzed end to end", "none"),
    Task("fuzz_docs", "documentation that misleads an agent: the cascade and each check of it, "
         "over forty tools with a simulated reader", "blind once"),
    Task("fuzz_docs.real_models", "the same with two small real models, replayed", "blind once"),
    Task("fuzz_docs.understood", "the same with a reader whose requests a large model understood",
         "blind once"),
    Task("fuzz_docs.tables", "temperatures, agents, writers and token budgets", "blind once"),
    Task("fuzz_docs.tool_groups", "tools that are confused with one another", "blind once"),
    Task("fuzz_docs.label_sheet", "labels by two labellers, and their agreement", "blind once"),
    Task("fix", "what `knitbone fix` states of tools, and whether a small model's calls improve",
         "held back"),
    Task("agent_tasks", "that the judge of 311 tasks passes each reference and fails each wrong "
         "attempt", "none"),
    # diagnose
    Task("diagnose.localization", "how often the step that annotators blamed ranks first, beside "
         "seven baselines", "held back", public=True),
    Task("diagnose.localization.seeded", "how often a seeded fault of a simulated run is found",
         "development"),
    Task("diagnose.localization.forests", "the Isolation Forest beside scikit-learn's", "none",
         public=True),
    Task("diagnose.claims", "how often a step is blamed in good and in bad runs, and how rightly",
         "blind once", public=True),
    Task("diagnose.claims.facts", "whether what a diagnosis says holds in the record", "none",
         public=True),
    Task("diagnose.tool_errors", "whether failed tool results are seen, and good ones left alone",
         "blind once", public=True),
    Task("diagnose.misreading", "whether a changed file is ever read without its tool calls",
         "none", public=True),
    Task("diagnose.analyst", "what weak analysts do to a diagnosis", "development", public=True),
    Task("diagnose.offline_detector", "the graph transformer on simulated runs of held-out tasks",
         "held back"),
    # recover
    Task("recover", "how often `knitbone recover` gets a failed task done, by strategy",
         "held back"),
    Task("recover.guidance.injections", "whether guidance passes on an order out of a tool's "
         "answer", "none"),
    Task("recover.supervision.sequences", "stuck and unstuck sequences of calls, beside peers",
         "blind once"),
    Task("recover.supervision.recorded", "what supervision would have said to recorded runs",
         "development", public=True),
    Task("recover.supervision.ablations", "supervision without one check or guard", "development",
         public=True),
    Task("recover.many_repairs", "memory and disk over 1,000 supervised runs", "none"),
    # the record
    Task("redact", "secrets left of 583 shapes in 25 carriers, and harmless texts touched",
         "held back", quick=("--seeds", "1")),
    Task("damage", "damaged stores, journals and files: tracebacks, and silent changes", "none"),
    Task("real_model", "the lane of small real models; 1.6 GB", "development"),
)  # fmt: skip
