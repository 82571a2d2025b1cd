"""The record of what happened: events, what records them, what is removed, and where they rest."""
