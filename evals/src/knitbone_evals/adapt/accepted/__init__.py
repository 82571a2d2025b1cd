"""A search for harm: answers that plain code reads, through consumers of many styles."""
