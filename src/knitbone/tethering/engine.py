"""The diagnosis under the path that documentation named before."""

import sys

from knitbone.tethering.diagnosis import engine

sys.modules[__name__] = engine
