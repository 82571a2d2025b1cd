"""Instrumentation: the code of an application is recompiled so that its sites deliver their values
here."""
