"""Settings of the login: whether API keys are taken, whose tokens, and what those say of whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Le, MinLen

from docgraph.model.access import LOCAL
from docgraph.model.errors import BadInput
from docgraph.model.validation import check_names, suggest
from docgraph.wiring.model_settings import STRICT

# With a public key for everybody to check them; `none` and HS256 and its like are not to be had.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
DEFAULT_LEEWAY, LONGEST_LEEWAY = 60, 300
LONGEST_ISSUER = 500  # bytes
Filled = Annotated[str, MinLen(1)]


@dataclass(frozen=True, slots=True)
class ClaimNames:
    """Which claim says what of a person. What no claim is named for, nobody has."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    id: Filled = "sub"
    tenant: Filled | None = None
    groups: Filled | None = None
    labels: Filled | None = None
    clearance: Filled | None = None
    rights: Filled | None = None


@dataclass(frozen=True, slots=True)
class IssuerSettings:
    """`jwks` is an address or a file. Either `tenant` is everybody's, or a claim names it: then
    one of `tenants`, where any are listed."""

    issuer: str
    audience: str
    jwks: str
    algorithms: tuple[str, ...] = ALGORITHMS[:1]
    leeway: int = DEFAULT_LEEWAY
    tenant: str | None = None
    claims: ClaimNames = field(default_factory=ClaimNames)
    tenants: tuple[str, ...] = ()

    @property
    def named(self) -> frozenset[str] | None:
        """The tenants that it may speak of; None: whichever it names."""
        if self.tenant is not None:
            return frozenset({self.tenant})
        return frozenset(self.tenants) or None


@dataclass(frozen=True, slots=True)
class AuthSettings:
    keys: bool = False
    tokens: tuple[IssuerSettings, ...] = ()

    @property
    def open_to_local(self) -> bool:
        """No login is configured."""
        return not self.keys and not self.tokens

    @property
    def only_tenant(self) -> str | None:
        """Whose everybody is who can come in; None where there may be several."""
        tenants = {LOCAL} if self.keys or not self.tokens else set[str]()
        for issuer in self.tokens:
            if issuer.named is None:
                return None
            tenants |= issuer.named
        return tenants.pop() if len(tenants) == 1 else None


@dataclass(frozen=True, slots=True)
class IssuerConfig:
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    issuer: Filled
    audience: Filled
    jwks: Filled
    algorithms: Annotated[list[str], MinLen(1)] | None = None
    leeway: Annotated[int, Ge(0), Le(LONGEST_LEEWAY)] = DEFAULT_LEEWAY
    tenant: Filled | None = None
    tenants: Annotated[list[Filled], MinLen(1)] | None = None
    claims: ClaimNames = field(default_factory=ClaimNames)


@dataclass(frozen=True, slots=True)
class AuthConfig:
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    keys: bool | None = None
    tokens: tuple[IssuerConfig, ...] = ()


NO_LOGIN_WRITTEN = AuthConfig()


def parse_auth(environment: Mapping[str, str], written: AuthConfig) -> AuthSettings:
    tokens = tuple(
        _issuer(one, f"login.tokens.{number}") for number, one in enumerate(written.tokens)
    )
    _listed_once(tokens)
    _check_tenants(tokens)
    return AuthSettings(_keys(environment, written), tokens)


def _keys(environment: Mapping[str, str], written: AuthConfig) -> bool:
    given = environment.get("DOCGRAPH_LOGIN_KEYS")
    if not given:
        return bool(written.keys)
    if given not in ("on", "off"):
        raise BadInput(f"DOCGRAPH_LOGIN_KEYS: {given!r} is neither on nor off")
    return given == "on"


def _issuer(one: IssuerConfig, where: str) -> IssuerSettings:
    algorithms = tuple(one.algorithms) if one.algorithms else ALGORITHMS[:1]
    for name in algorithms:
        if name not in ALGORITHMS:
            fits = suggest(name, ALGORITHMS)
            raise BadInput(f"{where}.algorithms: {name!r} is not to be trusted here; {fits}")
    if (one.tenant is None) == (one.claims.tenant is None):
        raise BadInput(
            f"{where}: needs either tenant, the same for everybody, "
            "or claims.tenant, the claim that names it"
        )
    if one.tenants is not None and one.tenant is not None:
        raise BadInput(f"{where}.tenants: is for what claims.tenant may name; tenant is the same")
    check_names([*([one.tenant] if one.tenant else []), *(one.tenants or [])])
    return IssuerSettings(
        issuer=_name_of(one.issuer, where),
        audience=one.audience,
        jwks=_jwks(one.jwks, where),
        algorithms=algorithms,
        leeway=one.leeway,
        tenant=one.tenant,
        claims=one.claims,
        tenants=tuple(one.tenants or ()),
    )


def _name_of(issuer: str, where: str) -> str:
    """It stands in the audit log, and in an index beside names."""
    if not issuer.isprintable() or len(issuer.encode()) > LONGEST_ISSUER:
        raise BadInput(f"{where}.issuer: needs one line of up to {LONGEST_ISSUER} bytes")
    return issuer


def _jwks(jwks: str, where: str) -> str:
    """Who can change the keys on their way can authenticate as anyone."""
    if "://" not in jwks:
        return jwks
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(jwks)
        _ = parts.port
    except ValueError:
        raise BadInput(f"{where}.jwks: this is no address") from None
    if parts.username is not None or parts.password is not None:
        raise BadInput(f"{where}.jwks: the address holds a name or password; keys are public")
    safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    if not (safe and parts.hostname) or parts.fragment or not jwks.isprintable() or " " in jwks:
        raise BadInput(
            f"{where}.jwks: needs an address that begins with https://, or a file; "
            "http:// is for this machine alone"
        )
    return jwks


def is_loopback(host: str) -> bool:
    """By name or number; no name is looked up."""
    if host.lower() == "localhost":
        return True
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listed_once(tokens: Sequence[IssuerSettings]) -> None:
    """A token says its issuer: with two of the name it would not say which is meant."""
    names = [one.issuer for one in tokens]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"login.tokens: the issuer {name!r} is listed twice")


def _check_tenants(tokens: Sequence[IssuerSettings]) -> None:
    """An operator of one issuer must not speak for the tenants of another."""
    issuers: dict[str, str] = {}
    for one in tokens if len(tokens) > 1 else ():
        if one.named is None:
            raise BadInput(
                f"login.tokens: {one.issuer!r} names tenants by a claim; "
                "beside another issuer, list those that it may name as its tenants"
            )
        for tenant in sorted(one.named):
            if tenant in issuers:
                raise BadInput(
                    f"login.tokens: both {issuers[tenant]!r} and {one.issuer!r} may speak for "
                    f"tenant {tenant!r}; a tenant's people come from one issuer"
                )
            issuers[tenant] = one.issuer
