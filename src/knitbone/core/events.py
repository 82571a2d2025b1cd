"""The events under the path that documentation named before."""

import sys

from knitbone.record import events

sys.modules[__name__] = events
