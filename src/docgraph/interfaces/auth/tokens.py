"""Bearer tokens: a valid token authenticates the person that its issuer describes."""

from collections.abc import Mapping, Sequence

from docgraph.engine.administration import HIGHEST
from docgraph.interfaces.auth.principals import principal_of_token
from docgraph.model.access import EVERYONE, LOCAL, RIGHTS, Person, Principal
from docgraph.model.errors import BadInput, NotAuthenticated
from docgraph.model.validation import check_names
from docgraph.ports.auth import TokenVerifier
from docgraph.wiring.auth_settings import IssuerSettings

# The person of a token: its claims, read as the settings say.


# Names with a meaning of their own: the person at the keyboard, and everyone.
RESERVED_NAMES = (LOCAL, EVERYONE)


def token_person(claims: Mapping[str, object], settings: IssuerSettings) -> Person:
    """An id and a tenant are required; any other missing claim grants nothing."""
    names = settings.claims
    person = _name(claims, names.id, "id")
    if person in RESERVED_NAMES:
        raise NotAuthenticated(f"the token is for {person!r}, which has a meaning of its own")
    tenant = settings.tenant
    if tenant is None:
        tenant = _name(claims, names.tenant or "", "tenant")
        if settings.tenants and tenant not in settings.tenants:
            raise NotAuthenticated(
                f"the token is for tenant {tenant!r}, which its issuer may not name"
            )
    rights = frozenset(_texts(claims, names.rights, "rights"))
    return Person(
        id=person,
        tenant=tenant,
        groups=_names(claims, names.groups, "groups") - frozenset(RESERVED_NAMES),
        labels=_names(claims, names.labels, "labels"),
        clearance=_clearance(claims, names.clearance),
        rights=rights & frozenset(RIGHTS),  # an issuer lists the roles of other programs too
    )


def read_claim(claims: Mapping[str, object], name: str) -> object:
    """By its exact name, else by a path of keys separated by dots; None if missing."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _name(claims: Mapping[str, object], where: str, what: str) -> str:
    found = read_claim(claims, where)
    if not isinstance(found, str) or not _is_name(found):
        raise NotAuthenticated(f"the token's claim {where!r}, the {what}, is missing or no name")
    return found


def _names(claims: Mapping[str, object], where: str | None, what: str) -> frozenset[str]:
    """Without those that no rule could name."""
    return frozenset(name for name in _texts(claims, where, what) if _is_name(name))


def _texts(claims: Mapping[str, object], where: str | None, what: str) -> list[str]:
    """One text is one name, also with blanks or commas."""
    found = None if where is None else read_claim(claims, where)
    if found is None:
        return []
    listed = [found] if isinstance(found, str) else found
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise NotAuthenticated(f"the token's claim {where!r}, the {what}, is no list of texts")
    return listed


def _clearance(claims: Mapping[str, object], where: str | None) -> int:
    found = None if where is None else read_claim(claims, where)
    if found is None:
        return 0
    if type(found) is not int or not 0 <= found <= HIGHEST:
        raise NotAuthenticated(f"the token's claim {where!r}, the clearance, is no number from 0")
    return found


def _is_name(text: str) -> bool:
    try:
        check_names([text])
    except BadInput:
        return False
    return True


class TokenAuthentication:
    """Of several issuers, the token's `iss` selects one; no other is asked for keys."""

    def __init__(self, issuers: Sequence[tuple[TokenVerifier, IssuerSettings]]) -> None:
        self._issuers = tuple(issuers)

    @property
    def issuers(self) -> tuple[str, ...]:
        return tuple(issuer.name for issuer, _ in self._issuers)

    def issuer_of(self, token: str) -> str | None:
        """The issuer that the token names; None where it is none of these."""
        return next((one.name for one, _ in self._issuers if one.names_issuer(token)), None)

    def authenticate(self, token: str) -> Principal:
        refusals: list[str] = []
        for issuer, settings in self._issuers:
            try:
                person = token_person(issuer.verify(token), settings)
            except NotAuthenticated as error:
                refusals.append(f"{issuer.name}: {error}")
            else:
                return principal_of_token(person, issuer.name)
        raise NotAuthenticated("; ".join(refusals))
