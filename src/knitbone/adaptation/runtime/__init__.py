"""Adaptation in the running application: how values reach the repair engine and come back."""
