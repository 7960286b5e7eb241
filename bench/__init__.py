"""The measurements that the docs quote: each prints what it found, and none is a test.

Every ratio is taken within one run, beside what it is compared with: machines differ and are noisy.
"""
