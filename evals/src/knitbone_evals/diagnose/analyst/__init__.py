"""Small real models as analysts."""
