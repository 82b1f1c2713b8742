"""Who comes in, by the Authorization header alone."""

from docgraph.doors.login.key_login import KeyLogin
from docgraph.doors.login.principals import local
from docgraph.doors.login.secrets import MARK
from docgraph.doors.login.token_login import TokenLogin
from docgraph.model.access import Principal
from docgraph.model.errors import NotKnown
from docgraph.ports.token_issuer import LONGEST_TOKEN


class Login:
    """Any number of threads may ask. NotKnown says why, for the operator's log alone."""

    def __init__(self, keys: KeyLogin | None = None, tokens: TokenLogin | None = None) -> None:
        self._keys = keys
        self._tokens = tokens

    @property
    def open_to_local(self) -> bool:
        """No login is configured: whoever reaches us is the person at the keyboard.

        A door that others can reach does not open then.
        """
        return self._keys is None and self._tokens is None

    def who(self, authorization: str | None) -> Principal:
        if self.open_to_local:
            return local()
        if authorization is None:
            raise NotKnown("no Authorization header")
        if len(authorization) > LONGEST_TOKEN:
            raise NotKnown(f"an Authorization header of more than {LONGEST_TOKEN:,} characters")
        scheme, _, shown = authorization.partition(" ")
        if scheme.lower() != "bearer" or not shown.strip(" "):
            raise NotKnown("the Authorization header is not `Bearer`, with a credential")
        return self._shown(shown.strip(" "))

    def _shown(self, credential: str) -> Principal:
        if credential.startswith(MARK):
            if self._keys is None:
                raise NotKnown("an API key was shown, and none is taken here")
            return self._keys.who(credential)
        if self._tokens is None:
            raise NotKnown("a token was shown, and none is taken here")
        return self._tokens.who(credential)
