"""The doors that people and programs come in by. Each is thin: a request becomes one call of the session."""
