"""Broken documents, and who reads them rightly: JSON, Python literals, XML and CSV.

By an author who had read no reader: the generators were committed before any was run on them.
"""
