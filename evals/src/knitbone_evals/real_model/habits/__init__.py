"""Which form a small real model gives a value where the documentation leaves it open."""
