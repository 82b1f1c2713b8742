"""How long a refused request waits, and whether others wait with it."""

from email.utils import formatdate

import pytest

from docgraph.adapters.endpoint.retry_delay import RetryDelay, retry_delay


def delay(status: int, headers: dict[str, str], attempt: int = 0) -> RetryDelay:
    return retry_delay(status, headers, attempt, now=1_000)


def test_a_retry_after_of_a_date_lasts_until_then() -> None:
    assert delay(500, {"retry-after": formatdate(1_020, usegmt=True)}) == RetryDelay(
        20.0, shared=False
    )


@pytest.mark.parametrize(("attempt", "seconds"), [(0, 0.5), (1, 1.0), (3, 4.0), (9, 30.0)])
def test_without_a_header_each_delay_is_twice_the_last(attempt: int, seconds: float) -> None:
    assert delay(502, {}, attempt) == RetryDelay(seconds, shared=False)


@pytest.mark.parametrize(
    ("status", "headers", "shared"),
    [
        (429, {"retry-after": "3"}, True),
        (429, {}, True),
        (503, {"retry-after": "3"}, True),
        (503, {}, False),
        (500, {"retry-after": "3"}, False),
        (200, {}, False),
    ],
)
def test_a_delay_is_shared_where_the_server_limits_requests(
    status: int, headers: dict[str, str], shared: bool
) -> None:
    assert delay(status, headers).shared == shared


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1s", 1.0),
        ("20ms", 0.02),
        ("7.66s", 7.66),
        ("0h0m2.5s", 2.5),
        ("6m0s", 30.0),
        ("12", 0.5),
        ("1790000000", 0.5),
        ("soon", 0.5),
        ("", 0.5),
    ],
)
def test_a_used_up_quota_counts_where_no_retry_after_is_given(reset: str, seconds: float) -> None:
    used_up = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
    assert delay(429, used_up).seconds == pytest.approx(seconds)
    assert delay(429, {"retry-after": "9", **used_up}).seconds == 9.0
    assert delay(500, used_up).seconds == 0.5


def test_the_reset_of_a_quota_that_is_left_does_not_count() -> None:
    quotas = {
        "x-ratelimit-remaining-requests": "12",
        "x-ratelimit-reset-requests": "20s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "3s",
    }
    assert delay(429, quotas).seconds == 3.0
    assert delay(429, quotas | {"x-ratelimit-remaining-requests": "0"}).seconds == 20.0
