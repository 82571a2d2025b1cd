"""What a tool does with its arguments, recorded while it runs: values that know how they were
computed (``values``), the tool's own code rewritten so that it tells (``rewrite``, ``helpers``),
and the record of one call (``terms``, ``recorder``)."""
