"""Names of this machine, as a request's headers may have them: the whole of it, or it is none."""

import re

_HOST = r"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
_IS_HOST = re.compile(_HOST, re.IGNORECASE | re.ASCII)
_IS_ORIGIN = re.compile(rf"https?://{_HOST}", re.IGNORECASE | re.ASCII)


def from_here(hosts: list[str]) -> bool:
    """The one `Host` that there has to be."""
    return len(hosts) == 1 and _IS_HOST.fullmatch(hosts[0]) is not None


def no_others_page(origins: list[str]) -> bool:
    """No page of another server's asks: any `Origin` that there is, is of this machine."""
    return all(_IS_ORIGIN.fullmatch(origin) for origin in origins)
