"""How often the diagnosis finds the step that annotators blamed; see docs/localization.md."""
