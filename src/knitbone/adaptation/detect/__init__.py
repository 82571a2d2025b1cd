"""Find the records of an answer that drifted from the template (Comfrey §4.3.1)."""
