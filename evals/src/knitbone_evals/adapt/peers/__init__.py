"""Other tools at the same sites with the same answers.

The libraries live in an environment of their own (``requirements.txt`` here): they are heavy, and
none of them is a dependency of the project. ``worker.py`` runs there and speaks lines of JSON;
``client.py`` asks it; ``literals.py`` needs no library.
"""
