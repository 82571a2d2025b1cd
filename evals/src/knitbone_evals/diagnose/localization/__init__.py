"""How often the diagnosis finds the step that annotators blamed; see evals/docs/localization.md."""
