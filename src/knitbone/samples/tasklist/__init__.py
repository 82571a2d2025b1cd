"""A task list in the style of BabyAGI: a model plans, a regular expression reads the plan."""
