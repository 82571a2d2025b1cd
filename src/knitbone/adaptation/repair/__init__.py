"""From a value to the value that the application gets: detect, repair, verify.

``engine.py`` is the flow, ``plan.py`` compiles a site's requirements into checks, and ``checks.py``
is what the two say to each other. Each of the seven defects (Comfrey Table 2) has a package,
template discrepancy one for each form: ``positional`` ``structured`` ``fenced`` ``segmentation``
``context`` (format), ``syntax`` ``lexical`` (syntax), ``behaviour`` ``semantics`` (repetition).
Each offers ``prepare``: a requirement compiled into a check.
"""
