"""From a run to what broke it: units, graph, evidence planes, ranking, claims (AgentTether §III).

``engine.py`` is the flow; ``records.py`` holds what it gives.
"""
