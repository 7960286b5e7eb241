"""The list of attacks that a build must withstand, and where each has its test.

 1  floating-point noise            noise/test_source.py, noise/test_algebra.py (integers and fractions alone)
 2  precision of outputs            mechanisms/test_whole_numbers.py
 3  order and overflow of sums      attacks/test_one_person_more.py, neighbours/
 4  NaN and infinities              attacks/test_one_person_more.py
 5  integer noise on fractions      mechanisms/test_whole_numbers.py
 7  generator state after a fork    noise/test_source.py, session/test_many_at_once.py
 8  errors as outputs               attacks/test_one_person_more.py, attacks/test_what_failed_is_not_told.py
 9  empty input                     attacks/test_one_person_more.py
13  identifiers                     attacks/test_names.py
14  functions and views             attacks/test_what_the_source_brings.py
15  group keys                      attacks/test_one_person_more.py
16  row order, LIMIT, HAVING        attacks/test_one_person_more.py, attacks/test_exact_clauses.py
17  COUNT DISTINCT of other things  attacks/test_exact_clauses.py
18  NULL and subqueries             attacks/test_one_person_more.py, attacks/test_exact_clauses.py
19  fan-out beyond the bound        attacks/test_one_person_more.py, neighbours/
20  NULL or duplicate units         attacks/test_one_person_more.py, neighbours/
21  missing bounds                  attacks/test_exact_clauses.py
24  prices from the client          attacks/test_prices_and_people.py
25  cache and retries               attacks/test_asked_again.py
26  injection                       attacks/test_injection.py
27  catalogue and statistics        attacks/test_injection.py
28  logs and error reports          attacks/test_what_failed_is_not_told.py
"""
