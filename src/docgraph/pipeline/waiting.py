"""Moved to docgraph.ports.waiting: import it from there. This file goes away."""

from docgraph.ports.waiting import Waiting, still_wanted, waited_for  # noqa: F401
