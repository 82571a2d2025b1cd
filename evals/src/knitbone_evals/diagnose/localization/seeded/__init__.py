"""Simulated runs with one seeded fault each, whose place is known: what localization is developed
on, so that the labelled public runs stay a test."""
