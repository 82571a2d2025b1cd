"""Helpers of these tests are modules beside this file, which puts its folder on the path."""
