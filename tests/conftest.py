"""Property tests draw the same examples in every run of the suite: a run says something about the
change at hand, not about luck, and nothing about how busy the machine is. ``python -m
benchmarks.adapt.contracts`` draws anew, and more."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", settings.get_profile("busy"), derandomize=True)
settings.load_profile("busy" if "KNITBONE_EXAMPLES" in os.environ else "suite")
