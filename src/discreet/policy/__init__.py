"""The owner's word: what a dataset is, whose privacy is protected, and how much may be spent.

    discreet.toml --load--> Policy --resolve, with the live schema--> Catalogue

``model`` is the policy as a value and ``load`` reads it: the file becomes one Policy in which nothing
is left open, or one PolicyError that says what was found, what is allowed and on which line. No
bound has a default, because a bound that nobody chose protects nobody. ``catalogue`` lays the
policy over the live schema, and that is all that exists for an analyst. ``draft`` writes a first
policy from a schema.

Two rules hold the room. Everything in it is public: names, types and the owner's own numbers, never
anything read from a row, so an error message here can quote whatever it likes from the file. And
nothing in it is believed for privacy's sake: ``rows_per_unit = 10`` is enforced by the SQL that is
emitted later, however many rows a unit really has.
"""
