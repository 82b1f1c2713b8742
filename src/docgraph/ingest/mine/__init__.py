"""Relation miners: each reads what documents say and claims edges; none decides between rivals."""
