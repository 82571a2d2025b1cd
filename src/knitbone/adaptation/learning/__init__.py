"""Learning of requirements: what code was seen to do with outputs while the application ran.

    an output's texts are tainted              ``output_tainting``
    -> trees of operations in one process      ``taint``
    -> files that other processes read         ``observations``
    -> one tree of uses a site                 ``observed_trees``, ``conditions``
    -> beside what the analysis read           ``comparison``
    -> the requirements file                   ``file_merge``

``session`` does the first three inside the application's process. Comfrey §6.2, §7 says that
requirements that change with the program's state are out of the reach of a static analysis.
"""
