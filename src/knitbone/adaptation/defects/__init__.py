"""The seven defects (Comfrey Table 2): one package each, template discrepancy one for each form.

``positional`` ``structured`` ``fenced`` ``segmentation`` ``context`` (format), ``syntax``
``lexical`` (syntax), ``behaviour`` ``semantics`` (repetition). Each offers ``prepare``: a
requirement compiled into a check (``adaptation/checks.py``).
"""
