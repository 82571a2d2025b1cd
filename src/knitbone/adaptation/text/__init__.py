"""The text of an answer: what is wrapped around what the code reads."""
