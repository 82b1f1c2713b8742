"""Kinds of credential: by what somebody came in, as `by` of a Principal tells it."""

KEY, TOKEN = "key", "token"


def by_key(key_id: str) -> str:
    return f"{KEY} {key_id}"


def by_token(issuer: str) -> str:
    return f"{TOKEN} {issuer}"


def key_in(by: str) -> str | None:
    """The id of the key that was shown, if one was."""
    kind, _, key_id = by.partition(" ")
    return key_id if kind == KEY and key_id else None


def issuer_in(by: str) -> str | None:
    kind, _, issuer = by.partition(" ")
    return issuer if kind == TOKEN and issuer else None


def credential_of(by: str) -> str:
    """All keys are one kind: whoever changes theirs stays who they are. Each issuer is one."""
    return by if key_in(by) is None else KEY
