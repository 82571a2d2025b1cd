"""Capture: record a running agent through the entry points of the libraries it uses.

``trace.py`` opens and closes a run, in a store of ``stores.py``; ``patching.py`` puts the hooks
into the libraries and takes them out again; ``calls.py`` is what a hook does around any call,
``model_calls.py`` and ``tool_calls.py`` around one of these. One module a library says where its
entry points are, one module a protocol how its requests, answers and streams are read.
"""
