"""What instrumentation adds to a call: ``python -m benchmarks.instrumentation``."""
