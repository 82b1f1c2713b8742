"""The page with the tables: those of each dataset are between two marks, other text stays."""

import re

_NAME = r"[\w.-]+"
_BEGIN, _END = "<!-- quality: {name} -->", "<!-- end of {name} -->"


def set_names(page: str) -> list[str]:
    """The sets that have a place on the page, in its order."""
    return re.findall(rf"^<!-- quality: ({_NAME}) -->$", page, re.MULTILINE)


def replace_tables(page: str, name: str, tables: str) -> str:
    """The page with this set's tables; a set without a place gets one at the end."""
    begin, end = _BEGIN.format(name=name), _END.format(name=name)
    block = f"{begin}\n\n{tables}\n\n{end}"
    if name not in set_names(page):
        return f"{page.rstrip()}\n\n## {name}\n\n{block}\n"
    there = re.compile(rf"^{re.escape(begin)}$.*?^{re.escape(end)}$", re.MULTILINE | re.DOTALL)
    if len(there.findall(page)) != 1:
        raise ValueError(f"the place of {name} must begin and end once: {begin} … {end}")
    return there.sub(lambda _: block, page)
