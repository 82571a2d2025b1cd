"""Consumers: the application's code that reads an answer, replayed or rehearsed on a text."""
