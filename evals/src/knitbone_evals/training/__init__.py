"""Training of the shipped offline detector, from public sources (AgentTether §III.C.2).

Needs the extra ``train``. Nothing here runs at diagnosis.
"""

from pathlib import Path

__all__ = ["WITHOUT_AGENTDOJO"]

WITHOUT_AGENTDOJO = Path(__file__).with_name("without-agentdojo.onnx")
"""A model that never saw an agentdojo run: it serves every evaluation on agentdojo."""
