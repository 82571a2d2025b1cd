"""Readers of the benchmarks' own files: τ-bench, τ²-bench, Who&When and AgentRx.

Each module is an entry point of the group ``knitbone.run_formats``, so that ``knitbone diagnose``
and ``knitbone runs import`` read these files wherever this package is installed.
"""
