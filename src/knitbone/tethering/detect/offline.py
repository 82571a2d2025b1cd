"""The detector under the path that documentation named before."""

import sys

from knitbone.tethering.diagnosis.detect import offline

sys.modules[__name__] = offline
