"""Wrappers of an answer, and their removal: fences, labels, lead-ins, closing remarks, quotes.

All repairs take wrappers off with these functions. Where two repairs count different lines as a
wrapper (code may stand behind another fence than data does), each has its own expression here, side
by side, so that the differences can be seen.
"""
