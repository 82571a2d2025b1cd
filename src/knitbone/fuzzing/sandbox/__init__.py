"""Where tools under test run: worker processes with a private directory and limits.

``client.Sandbox`` (in the user's process) talks to a *keeper*, which owns the directory and the
clock; the keeper forks a *template*, which confines itself and imports the tool; the template
forks *workers*, which run the calls. Only the template and the workers ever run the user's code.
"""
