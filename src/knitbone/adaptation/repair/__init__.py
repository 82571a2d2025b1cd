"""The repair of an answer: detect what its consumers cannot read, mend it, prove the result.

``engine.py`` is the flow of one value, ``plan.py`` compiles a site's requirements into checks, and
``checks.py`` holds what engine and checks pass to each other. What code demands has a package here:
``positional`` ``structured`` ``fenced`` for the forms of template discrepancy, and ``syntax``. What
only the scenario asks for are the plug-ins of ``adaptation/scenario/``, of which ``scenarios.py``
has the protocol and the registry. Each package offers ``prepare``, which compiles a requirement
into a check (Comfrey Table 2).
"""
