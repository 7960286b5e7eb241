"""The corridor: a question walks once through the house, and every door is here.

    read -> bound -> choose -> reserve -> fetch -> draw -> settle

Up to ``choose`` nothing private is touched, so ``explain`` and ``quote`` are the same walk, stopped
early. From ``reserve`` on the price is spent, whatever happens.

    price       what was said about the price        database    the front door: Database, connect
    planning    the walk up to the price             engines     one engine a process
    answering   from the reservation to the release
"""

from discreet.session.database import Database, connect

__all__ = ["Database", "connect"]
