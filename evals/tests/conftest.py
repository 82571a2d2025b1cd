"""Property tests draw the same examples in every run, as in the product's suite. Helpers of that
suite are imported from where they lie."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", settings.get_profile("busy"), derandomize=True)
settings.load_profile("busy" if "KNITBONE_EXAMPLES" in os.environ else "suite")

TESTS = Path(__file__).parents[2] / "tests"
sys.path[:0] = [str(TESTS / "tethering"), str(TESTS / "fuzzing")]
