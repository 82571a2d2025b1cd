"""The repair of an answer: detect what its consumers cannot read, mend it, prove the result.

``engine.py`` is the flow of one value, ``plan.py`` compiles a site's requirements into checks, and
``checks.py`` holds what engine and checks pass to each other. There is a package for each of the
seven defects of Comfrey Table 2, for template discrepancy one for each form: ``positional``
``structured`` ``fenced`` ``segmentation`` ``context`` (format), ``syntax`` ``lexical`` (syntax),
``behaviour`` ``semantics`` (repetition). Each offers ``prepare``, which compiles a requirement
into a check.
"""
