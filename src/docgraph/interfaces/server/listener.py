"""Where a server listens: beyond this machine only where a login keeps strangers out."""

import ipaddress
import re
import socket

from docgraph.model.errors import BadInput

BACKLOG = 2048  # connections that wait to be taken


def listening(host: str, port: int, *, is_open: bool) -> socket.socket:
    """A socket on which whoever comes can wait already. `is_open`: whoever reaches it comes in."""
    found = _addresses(host, port)
    if is_open and not all(ipaddress.ip_address(place[0]).is_loopback for _, place in found):
        raise BadInput(
            f"{host} can be reached from elsewhere, and no login is configured: whoever came would "
            "be let in. Configure one (docs/login.md tells how), or listen on 127.0.0.1"
        )
    family, place = found[0]
    # Named as TCP, so that what is written goes out at once: asyncio looks for that name.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise BadInput(f"cannot listen on {host}, port {port}: {error.strerror}") from error
    return bound


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """All that a name stands for, so that none of them is overlooked."""
    try:
        known = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise BadInput(f"cannot listen on {host!r}: there is no such address") from error
    return [
        (family, (str(place[0]).partition("%")[0], int(place[1]))) for family, *_, place in known
    ]


# Names of this machine, as a request's headers may have them: the whole of it, or it is none.


_HOST = r"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
_IS_HOST = re.compile(_HOST, re.IGNORECASE | re.ASCII)
_IS_ORIGIN = re.compile(rf"https?://{_HOST}", re.IGNORECASE | re.ASCII)


def from_here(hosts: list[str]) -> bool:
    """The one `Host` that there has to be."""
    return len(hosts) == 1 and _IS_HOST.fullmatch(hosts[0]) is not None


def no_others_page(origins: list[str]) -> bool:
    """No page of another server's asks: any `Origin` that there is, is of this machine."""
    return all(_IS_ORIGIN.fullmatch(origin) for origin in origins)
