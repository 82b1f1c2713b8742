"""How long to wait before a busy server is asked again."""

from email.utils import parsedate_to_datetime

LONGEST_WAIT = 30.0


def wait(retry_after: str, attempt: int, now: float) -> float:
    """What the server asks for, else twice as long as the last time; never past the limit.

    It asks in seconds or names a moment; `now` is in seconds since 1970.
    """
    asked = _asked(retry_after.strip(), now)
    return min(0.5 * 2**attempt if asked is None else asked, LONGEST_WAIT)


def _asked(retry_after: str, now: float) -> float | None:
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        return max(parsedate_to_datetime(retry_after).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None
