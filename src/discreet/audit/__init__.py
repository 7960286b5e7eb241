"""Attack the front door, as a stranger would: ask, look at the answers, and prove how much they give away.

Theory. Take two databases that differ in one unit, and an event: "the answer is above t". If the answers are as
private as they are priced, the chances p and q of the event in the two databases are close: at most exp(epsilon) apart
in pure accounting, and of a Renyi divergence D_a(p | q) <= a * rho at every order a > 1 in zCDP (an event is a function
of the answer, and no function makes two laws easier to tell apart). So chances that are known to be further apart
prove that more was given away than was paid for.

Chances are known from counting: a question is asked many times of both databases; the event is chosen on the first
half of the answers and counted on the other half, so that choosing it does not flatter it; and p and q are replaced by
one-sided Clopper and Pearson bounds (``binomial``). What comes out holds but for a stated small chance. It is a bound
from below: it can convict a build and never acquit it. What acquits are the proofs.

    blackbox    from answers to what they prove
    binomial    how many times an event was seen, and how rare or frequent it may be at the least
    twins       two small databases that differ in one person, and the questions that are put to them

The audit knows the public interface alone: no engine, no mechanism, no ledger.
"""
