"""Answers by an attacker who had read nothing of adapt's code."""
