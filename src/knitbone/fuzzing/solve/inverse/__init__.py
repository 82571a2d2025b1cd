"""How each operation goes back: which part should be worth what, for the whole to be worth a wanted
value. A module a family; each has its table ``STEPS``, by the names that terms use."""
