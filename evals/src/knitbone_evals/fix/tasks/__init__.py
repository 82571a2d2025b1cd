"""FMB with a real model: what the documentation that ``knitbone fix`` writes is good for."""
