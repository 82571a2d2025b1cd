"""The ground that the three capabilities share; imports nothing above it."""
