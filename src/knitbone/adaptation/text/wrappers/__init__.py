"""Wrappers of an answer: fences, labels, lead-ins, closing remarks, marks around a short value.

All defects take them off here. Where two of them count other marks as a wrapper, both expressions
stand side by side, each with its reader.
"""
