"""Libraries that validate a model's answer before the application gets it.

Such an answer can only be repaired where the library hands it to its validator. ``table.py`` names
the libraries; a module each says which functions those are; ``answers.py`` serves them all.
"""
