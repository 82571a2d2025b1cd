"""Training of the offline detector: success-only corpus, heterogeneous graph transformer, export.

Needs the extra ``train``. Nothing here runs at diagnosis.
"""
