"""Tools under test: how a target is found and understood. Runs inside the sandbox."""
