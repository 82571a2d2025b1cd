"""Reads orders out of customers' mails."""
