"""API keys: a secret stands for a person whom the store knows; the secret itself is not kept."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ApiKey:
    """`id` is public and stands in lists and in the audit log; times are ISO 8601 in UTC.

    The person's groups, labels, clearance and rights are those they have when the key is shown.
    """

    id: str
    tenant: str
    person: str
    created: str
    expires: str | None = None
    note: str = ""
