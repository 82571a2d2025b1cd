"""What a scenario asks of an answer and no line of code does: plug-ins of ``repair/scenarios.py``.

A package each: ``segmentation`` and ``context`` look at lists, ``lexical`` and ``semantics`` at
texts, ``behaviour`` at calls of tools. ``blocks.py`` reads the layout of prose, ``facts.py`` what a
sentence says, ``paraphrase.py`` whether another one says the same.
"""
