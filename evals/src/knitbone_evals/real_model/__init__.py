"""Benchmarks that ask small real models, and replay what they answered."""
