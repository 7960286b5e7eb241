"""From text to plan.

    text --options.strip--> text --parse--> tree --select.lower--> Plan

The room is an allow-list. A clause, a function or an argument that is not lowered by name is
refused by name, with its place and a hint; nothing is passed through, so nothing that we did not
understand can reach a database. What is executed later is printed from the plan, never from the
analyst's text. Names are resolved against the policy's catalogue alone: a table that the policy
does not name does not exist here.

Functions are lowered to operations that cannot fail on any row (see ``plan.scalar.Op``), and
types are checked here, since a comparison that the database would have to cast could fail on one
person's row and so tell about it.
"""

from discreet.sql.read import Options, Publishable, Question, read, read_publication
from discreet.sql.statements import Statement, statements

__all__ = ["Options", "Publishable", "Question", "Statement", "read", "read_publication", "statements"]
