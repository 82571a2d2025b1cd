"""In the running application: how values reach the engine, and what is known of their calls."""
