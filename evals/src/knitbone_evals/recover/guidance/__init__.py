"""Guidance measured on runs of others."""
