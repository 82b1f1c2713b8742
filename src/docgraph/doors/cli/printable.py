"""Text from outside, as a terminal may get it."""

# A document's text must not be able to steer a terminal: only tab and newline pass.
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    return text.translate(_CONTROLS)
