"""The shapes of messages: what providers and frameworks call their fields, and tolerant readers."""
