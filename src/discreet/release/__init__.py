"""The dark room: exact values come in, noised ones go out, and nothing else is ever seen.

    Exact --draw, lists--> Noisy groups --answer--> Release

``draw`` adds fresh integer noise to every part of every group: to declared groups whether or not they
have rows, to private ones before a threshold decides which are shown. What it returns is public, and
everything after it is arithmetic on public numbers: quotients, intervals, HAVING, ORDER BY, LIMIT.
"""

from discreet.release.answer import Interval, Release
from discreet.release.batch import BatchExplanation
from discreet.release.draw import Groups, draw, find
from discreet.release.lists import draw_list
from discreet.release.observation import Observation

__all__ = ["BatchExplanation", "Groups", "Interval", "Observation", "Release", "draw", "draw_list", "find"]
