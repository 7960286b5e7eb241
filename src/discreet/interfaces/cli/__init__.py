"""The command line: a command becomes one call of the session, and its outcome an exit code.

    0 answered    1 failure    2 refused    3 the budget is spent

Results go to standard output; what is said about them (cost, what is left, notes, errors, progress) goes to
standard error, so that a result can be piped. Each command is one file: its options, and a function from the
parsed arguments to an exit code. Heavy libraries are imported by the function that needs them, never at the top:
``discreet --help`` is quick.

Whatever Discreet raises on purpose is rendered with its place. Anything else could hold a value of a private row,
so it becomes one constant line.
"""

from discreet.interfaces.cli.run import main

__all__ = ["main"]
