"""Hooks of supervision in the libraries that ask models and call tools.

``table.py`` puts them in place; ``forms.py`` is what each protocol's messages are read as,
``turn.py`` one request and its answers, ``call_history.py`` what was already judged.
"""
