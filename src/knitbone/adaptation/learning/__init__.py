"""Dynamic requirements: what code was seen to do with outputs while the application ran.

outputs -> tainted (``capture``) -> trees of operations (``learning.taint``) -> one part a process
(``parts``) -> one tree a site (``trees``), with the state that an operation depends on
(``conditions``) -> requirements beside those of the analysis (``compare``) -> the file (``write``).
Comfrey §6.2, §7: requirements that change with the program's state are out of its reach.
"""
