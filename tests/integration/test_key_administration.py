"""API keys are given out and taken back by those who may, and every step leaves a row."""

from dataclasses import replace

import pytest

from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import ACCESS, INGEST, ApiKey, Person
from docgraph.model.errors import BadInput, NotAuthorized, NotVisible
from tests.integration.test_administration import AdministeredStore, installation

__all__ = ["installation"]
HASH = bytes(32)
KEY = ApiKey("k1", "local", "ann", "2026-01-01T00:00:00+00:00", None, "a robot")
CLERK = impersonated(Person("clerk", "local", rights=frozenset({ACCESS})), local())


@pytest.fixture
def store_with_people(installation: AdministeredStore) -> AdministeredStore:
    installation.administration.add_person(
        local(), Person("ann", "local", rights=frozenset({INGEST}))
    )
    installation.administration.add_person(local(), Person("bob", "local"))
    return installation


def logged(installation: AdministeredStore) -> list[tuple[str, str, str]]:
    return [(row.action, row.outcome, row.detail) for row in installation.rows()][-2:]


@pytest.mark.requirement(40)
def test_issuing_listing_and_revoking_a_key_is_logged(
    store_with_people: AdministeredStore,
) -> None:
    ending = replace(KEY, expires="2027-01-01T00:00:00+00:00")
    store_with_people.administration.add_key(local(), ending, HASH)
    words = "k1: for ann until 2027-01-01T00:00:00+00:00"
    assert logged(store_with_people) == [
        ("keys add", "started", words),
        ("keys add", "succeeded", words),
    ]
    assert store_with_people.administration.keys(local()) == (ending,)
    assert store_with_people.keys.find("k1") == (ending, HASH)
    store_with_people.administration.remove_key(local(), "k1")
    assert logged(store_with_people) == [
        ("keys rm", "started", "k1"),
        ("keys rm", "succeeded", "k1"),
    ]
    assert store_with_people.administration.keys(local()) == ()


def test_nobody_issues_a_key_for_a_person_with_rights_that_they_lack(
    store_with_people: AdministeredStore,
) -> None:
    with pytest.raises(NotAuthorized, match="clerk lacks the right 'ingest' themselves"):
        store_with_people.administration.add_key(CLERK, KEY, HASH)
    store_with_people.administration.add_key(CLERK, replace(KEY, principal="bob"), HASH)
    assert [key.principal for key in store_with_people.administration.keys(CLERK)] == ["bob"]


def test_keys_need_the_right_to_manage_people(store_with_people: AdministeredStore) -> None:
    store_with_people.administration.add_key(local(), KEY, HASH)
    visitor = impersonated(Person("visitor", "local", rights=frozenset({INGEST})), local())
    for tried in (
        lambda: store_with_people.administration.add_key(visitor, replace(KEY, id="k2"), HASH),
        lambda: store_with_people.administration.keys(visitor),
        lambda: store_with_people.administration.remove_key(visitor, "k1"),
    ):
        with pytest.raises(NotAuthorized, match="needs the right 'access'"):
            tried()
    assert store_with_people.administration.keys(local()) == (KEY,)


def test_a_key_for_an_unknown_person_is_refused(store_with_people: AdministeredStore) -> None:
    with pytest.raises(NotVisible, match="nobody is called 'anna'; did you mean 'ann'"):
        store_with_people.administration.add_key(local(), replace(KEY, principal="anna"), HASH)
    with pytest.raises(BadInput, match="of the tenant"):
        store_with_people.administration.add_key(local(), replace(KEY, tenant="u"), HASH)
    for note in ("two\nlines", "x" * 201):
        with pytest.raises(BadInput, match="a note is one line"):
            store_with_people.administration.add_key(local(), replace(KEY, note=note), HASH)
    assert store_with_people.administration.keys(local()) == ()


def test_an_absent_key_cannot_be_revoked(store_with_people: AdministeredStore) -> None:
    with pytest.raises(NotVisible, match="there is no API key 'k9'"):
        store_with_people.administration.remove_key(local(), "k9")


def test_a_removed_persons_keys_are_removed_and_not_given_to_a_namesake(
    store_with_people: AdministeredStore,
) -> None:
    store_with_people.administration.add_key(local(), KEY, HASH)
    store_with_people.administration.add_key(local(), replace(KEY, id="k2", principal="bob"), HASH)
    store_with_people.administration.remove_person(local(), "ann")
    store_with_people.administration.add_person(local(), Person("ann", "local"))
    assert [key.id for key in store_with_people.administration.keys(local())] == ["k2"]
