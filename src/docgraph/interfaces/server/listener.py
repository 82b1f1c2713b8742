"""Listening sockets: beyond this machine only with a login."""

import ipaddress
import re
import socket
import sys

from docgraph.model.errors import BadInput

BACKLOG = 2048  # connections that wait to be accepted
IS_LINUX = sys.platform == "linux"


def open_listener(host: str, port: int, *, is_open: bool) -> socket.socket:
    """A socket that listens already. `is_open`: there is no login."""
    found = _addresses(host, port)
    if is_open and not all(ipaddress.ip_address(address[0]).is_loopback for _, address in found):
        raise BadInput(
            f"{host} can be reached from elsewhere, and no login is configured: every "
            "caller would be admitted. Configure one (docs/login.md), or listen on 127.0.0.1"
        )
    family, address = found[0]
    try:
        return _listen(family, address)
    except OSError as error:
        raise BadInput(f"cannot listen on {host}, port {port}: {error.strerror}") from error


def share_listener(first: socket.socket, count: int) -> list[socket.socket]:
    """A socket for each of `count` processes on the address of `first`, which is one of them.

    Linux spreads connections evenly over sockets of one port. Of a socket that is shared, asyncio
    accepts several connections at once, so that one process may get all. `first` listened alone,
    so nobody else has the port.
    """
    if not IS_LINUX:
        return [first] * count
    first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    address = first.getsockname()
    further = [_listen(first.family, address, reuse_port=True) for _ in range(count - 1)]
    return [first, *further]


def _listen(
    family: socket.AddressFamily, address: tuple[str, int], *, reuse_port: bool = False
) -> socket.socket:
    # IPPROTO_TCP explicitly: only then asyncio sets TCP_NODELAY.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    return bound


def listener_url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """All addresses of a name."""
    try:
        known = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise BadInput(f"cannot listen on {host!r}: there is no such address") from error
    return [
        (family, (str(address[0]).partition("%")[0], int(address[1])))
        for family, *_, address in known
    ]


# Names of this machine in the headers of a request.


_HOST = r"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
_IS_HOST = re.compile(_HOST, re.IGNORECASE | re.ASCII)
_IS_ORIGIN = re.compile(rf"https?://{_HOST}", re.IGNORECASE | re.ASCII)


def is_local_host(hosts: list[str]) -> bool:
    """There is one `Host`, and it names this machine."""
    return len(hosts) == 1 and _IS_HOST.fullmatch(hosts[0]) is not None


def are_local_origins(origins: list[str]) -> bool:
    """No page of another server sends this: every `Origin` names this machine."""
    return all(_IS_ORIGIN.fullmatch(origin) for origin in origins)
