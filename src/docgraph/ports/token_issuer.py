"""Who signs bearer tokens that docgraph believes."""

from collections.abc import Mapping
from typing import Protocol

# Of tokens and of HTTP headers; longer ones are not looked at.
LONGEST_TOKEN = 16 * 1024


class TokenIssuer(Protocol):
    name: str

    def claims(self, token: str) -> Mapping[str, object]:
        """What a token says whose signature, issuer, audience and times hold; JSON's own types.

        Raises NotKnown on all others, in words for the operator that repeat nothing of the token.
        """
        ...
