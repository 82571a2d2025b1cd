"""Arguments that make a tool's code take another way: terms computed again for other arguments
(``evaluate``), the arguments for which a term has a wanted value (``put``, ``satisfy``, ``fail``),
and the search that keeps what led there (``search``)."""
