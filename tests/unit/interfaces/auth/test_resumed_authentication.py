"""The owner of a job is authenticated again when the job runs, where that is possible."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from docgraph.interfaces.auth.api_keys import (
    LONGEST_WAIT,
    ApiKeyAuthentication,
    ResumedAuthentication,
)
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import ApiKey, Person
from docgraph.model.errors import NotAuthenticated
from docgraph.model.ingest_job import IngestJob, IngestJobRequest
from tests.support.memory_keys import MemoryKeys

NOW = datetime(2026, 1, 15, tzinfo=UTC)
ANN = Person("ann", "t", frozenset({"staff"}), rights=frozenset({"ingest"}))
ISSUER = "https://id.example.com"


class Installation:
    def __init__(self) -> None:
        self.people = {("t", "ann"): ANN}
        self.now = NOW
        self.keys = MemoryKeys()
        self.keys.add(ApiKey("k1", "t", "ann", NOW.isoformat(), "2026-01-16T00:00:00+00:00"), b"")
        login = ApiKeyAuthentication(
            self.keys, lambda *who: self.people.get(who), now=lambda: self.now
        )
        self.before = ResumedAuthentication(login, frozenset({ISSUER}), lambda: self.now)

    def refuses(self, asked: IngestJob, why: str) -> None:
        with pytest.raises(NotAuthenticated, match=why):
            self.before.authenticate(asked)


@pytest.fixture
def place() -> Installation:
    return Installation()


def asked(by: str, who: Person = ANN) -> IngestJob:
    message = NOW.isoformat()
    return IngestJob("i", who, by, IngestJobRequest("p", "r"), "queued", 0, message, message)


def test_of_a_key_the_rights_of_now_count(place: Installation) -> None:
    richer = replace(ANN, groups=frozenset({"board"}), rights=frozenset({"ingest", "access"}))
    found = place.before.authenticate(asked("key k1", richer))
    assert (found.id, found.groups, found.rights) == ("ann", ANN.groups, ANN.rights)
    assert found.by == "key k1"
    place.people["t", "ann"] = Person("ann", "t")
    assert place.before.authenticate(asked("key k1")).rights == frozenset()


def test_a_key_or_person_that_is_gone_or_expired_is_nobody(place: Installation) -> None:
    place.now = NOW + timedelta(days=1)
    place.refuses(asked("key k1"), "expired")
    place.now = NOW
    place.people.clear()
    place.refuses(asked("key k1"), "not known any more")
    place.keys.remove("t", "k1")
    place.refuses(asked("key k1"), "taken back")


def test_a_key_that_stands_for_somebody_else_is_not_theirs(place: Installation) -> None:
    place.refuses(asked("key k1", replace(ANN, id="bob")), "somebody else")
    place.refuses(asked("key k1", replace(ANN, tenant="u")), "somebody else")


def test_where_keys_are_not_taken_any_more_they_count_for_nothing(place: Installation) -> None:
    place.before = replace(place.before, keys=None)
    place.refuses(asked("key k1"), "none is taken here any more")


def test_what_a_token_said_counts_for_a_day(place: Installation) -> None:
    place.people.clear()
    place.now = NOW + LONGEST_WAIT
    found = place.before.authenticate(asked(f"token {ISSUER}"))
    assert (found.id, found.rights, found.by) == ("ann", ANN.rights, f"token {ISSUER}")
    place.now += timedelta(seconds=1)
    place.refuses(asked(f"token {ISSUER}"), "more than 1 day")


def test_an_issuer_that_is_not_trusted_any_more_speaks_for_nobody(place: Installation) -> None:
    place.refuses(asked("token https://other.example.com"), "not trusted any more")


def test_the_keyboard_is_what_it_was(place: Installation) -> None:
    me = Person("local", "local", frozenset({"local"}), rights=local().rights)
    place.now = NOW + timedelta(days=9)
    assert place.before.authenticate(asked("", me)) == local()
