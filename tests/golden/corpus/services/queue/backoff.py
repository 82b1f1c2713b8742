"""The pause between attempts, as ADR-5 decides."""

LONGEST = 3600


def backoff(attempt):
    """Doubles from a minute up to an hour."""
    return min(60 * 2 ** (attempt - 1), LONGEST)
