"""The charset that an HTML file declares, as far as it is one that HTML knows."""

import codecs
import re

_SEARCHED = 4096  # declarations stand at the top
_DECLARED = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# Python's other codecs make bytes of bytes, or text of what no browser reads.
_KNOWN = re.compile(
    r"big5|cp(?:125\d|866|874|932|949)|euc[-_](?:jp|kr)|gb(?:18030|k|2312)|iso8859-\d+"
    r"|koi8-[ru]|mac-roman|shift_jis"
)
# What says Latin-1 or ASCII means Windows-1252: so do all browsers.
_MEANT = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gbk"}


def declared_charset(data: bytes) -> str:
    """Python's name for it; empty for none, for UTF-8, and for what is no charset of HTML."""
    match = _DECLARED.search(data, 0, _SEARCHED)
    if match is None:
        return ""
    try:
        name = codecs.lookup((match[1] or match[2]).decode("ascii")).name
    except LookupError:
        return ""
    name = _MEANT.get(name, name)
    return name if _KNOWN.fullmatch(name) else ""
