"""How long to wait before a refused request is sent again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503
MAX_RETRY_DELAY = 30.0
_QUOTAS = ("requests", "tokens")
_DURATION = re.compile(
    r"(?=\d)(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,6}(?:\.\d{1,9})?)ms)?"
)
_SECONDS_PER_UNIT = (3600.0, 60.0, 1.0, 0.001)


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """`shared` says that no other request is to be sent to the endpoint before, either."""

    seconds: float
    shared: bool


def retry_delay(status: int, headers: Mapping[str, str], attempt: int, now: float) -> RetryDelay:
    """What the server asks for, else twice as long as the last time, within a limit.

    Names of headers are in lower case; `now` is in seconds since 1970.
    """
    requested = _retry_after(headers.get("retry-after", "").strip(), now)
    if requested is None and status == TOO_MANY_REQUESTS:
        requested = _quota_reset(headers)
    seconds = min(0.5 * 2**attempt if requested is None else requested, MAX_RETRY_DELAY)
    busy = status == UNAVAILABLE and requested is not None
    return RetryDelay(seconds, shared=status == TOO_MANY_REQUESTS or busy)


def _retry_after(value: str, now: float) -> float | None:
    """A number of seconds or a date."""
    if value.isdecimal():
        return float(value)
    try:
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def _quota_reset(headers: Mapping[str, str]) -> float | None:
    """Until every quota of which nothing is left is full again, such as 1s, 6m0s or 20ms."""
    used_up = (name for name in _QUOTAS if headers.get(f"x-ratelimit-remaining-{name}") == "0")
    resets = (_duration(headers.get(f"x-ratelimit-reset-{name}", "")) for name in used_up)
    return max((seconds for seconds in resets if seconds is not None), default=None)


def _duration(value: str) -> float | None:
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        return None
    numbers = zip(match.groups("0"), _SECONDS_PER_UNIT, strict=True)
    return sum(float(number) * unit for number, unit in numbers)
