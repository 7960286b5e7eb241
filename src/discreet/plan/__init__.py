"""What is asked, as a value: a closed set of relational nodes and scalar expressions.

A plan is made by ``sql`` and read by ``privacy``, ``engines`` and ``release``. It is frozen, it
prints itself (``show``), and equal questions make equal plans: places in the text are kept for
messages but take no part in comparison. The set of nodes is closed on purpose. A new node must
be understood by every transfer function before a question that holds it can be answered.

    Scan        the rows of a table that the policy names
    Join        rows of two relations, side by side
    Filter      the rows that satisfy a condition
    Aggregate   groups and numbers: above it everything is released, below it nothing is
    Having      released rows that satisfy a condition on released columns
    Sort        released rows in the order of released columns
    Limit       the first released rows
    Project     the columns that the analyst asked to see, by their names
"""
