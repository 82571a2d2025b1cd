"""Let the values of sites pass through the hook registry, in functions as they run."""
