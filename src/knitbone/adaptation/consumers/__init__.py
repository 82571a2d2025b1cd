"""What the application's own code makes of a text: its steps replayed, its functions rehearsed."""
