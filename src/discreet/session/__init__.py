"""The corridor: a question walks once through the house, and every door is here.

    read -> bound -> choose -> reserve -> fetch -> draw -> settle

Up to ``choose`` nothing private is touched, so ``explain`` and ``quote`` are the same walk, stopped
early. From ``reserve`` on the price is spent, whatever happens.

    price       what was said about the price        database    the front door: Database, connect
    planning    the walk up to the price             engines     one engine a process
    answering   from the reservation to the release  fetching    the one touch of private data
    batches     lists of counting queries            orders      what is paid for at once
    wish        what was said about a watch          watch       a watch in an analyst's hands
    lookout     where watches are opened and asked
"""

from discreet.session.database import Database, connect
from discreet.session.watch import Watch

__all__ = ["Database", "Watch", "connect"]
