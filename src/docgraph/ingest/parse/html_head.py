"""What the head of an HTML page says about it: `meta` and `link` elements as fields."""

from collections.abc import Mapping

from docgraph.ingest.parse.html_writer import readable
from docgraph.ingest.parsed import Field, field_name

# What tells browsers and robots something, but readers nothing.
_TECHNICAL = frozenset(
    {"alternate", "apple_touch_icon", "color_scheme", "dns_prefetch", "generator", "icon"}
    | {"manifest", "mask_icon", "modulepreload", "preconnect", "prefetch", "preload", "referrer"}
    | {"robots", "search", "shortcut_icon", "stylesheet", "theme_color", "viewport"}
)
_TOLD_BY = {"link": ("rel", "href"), "meta": ("name", "content")}


def head_field(tag: str, told: Mapping[str, str], line: int) -> Field | None:
    """It has a line, but no place in the text: it begins and ends at 0."""
    if tag not in _TOLD_BY:
        return None
    key, content = _TOLD_BY[tag]
    name = field_name(readable(told.get(key, "")))
    value = readable(told.get(content, "")).strip()
    if not name or not value or name in _TECHNICAL:
        return None
    return Field(name, value, line, 0, 0)
