"""Bearer tokens: whoever shows one is the person that its issuer says."""

from collections.abc import Sequence

from docgraph.doors.login.principals import of_token
from docgraph.doors.login.token_person import token_person
from docgraph.model.access import Principal
from docgraph.model.errors import NotKnown
from docgraph.ports.token_issuer import TokenIssuer
from docgraph.wiring.login_settings import IssuerSettings


class TokenLogin:
    """Of several issuers, a token is one's by its `iss`; no other is asked for keys."""

    def __init__(self, issuers: Sequence[tuple[TokenIssuer, IssuerSettings]]) -> None:
        self._issuers = tuple(issuers)

    def who(self, token: str) -> Principal:
        refusals: list[str] = []
        for issuer, settings in self._issuers:
            try:
                person = token_person(issuer.claims(token), settings)
            except NotKnown as error:
                refusals.append(f"{issuer.name}: {error}")
            else:
                return of_token(person, issuer.name)
        raise NotKnown("; ".join(refusals))
