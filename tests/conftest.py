"""Property tests draw the same examples in every run of the suite: a run says something about the
change at hand, not about luck. ``python -m benchmarks.adapt.contracts`` draws anew, and more."""

import os

from hypothesis import settings

settings.register_profile("suite", derandomize=True)
if "KNITBONE_EXAMPLES" not in os.environ:
    settings.load_profile("suite")
