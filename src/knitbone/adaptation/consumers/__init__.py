"""The application's own code on a text: its steps replayed, its functions rehearsed."""
