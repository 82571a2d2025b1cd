"""Detectors: each scores a run's units on its own evidence plane."""
