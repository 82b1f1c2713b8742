"""API keys are given out and taken back by those who may, and every step leaves a row."""

from dataclasses import replace

import pytest

from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import ACCESS, INGEST, ApiKey, Person
from docgraph.model.errors import BadInput, NotAllowed, NotVisible
from tests.integration.test_administration import AdministeredStore, house

__all__ = ["house"]
HASH = bytes(32)
KEY = ApiKey("k1", "local", "ann", "2026-01-01T00:00:00+00:00", None, "a robot")
CLERK = impersonated(Person("clerk", "local", rights=frozenset({ACCESS})), local())


@pytest.fixture
def desk(house: AdministeredStore) -> AdministeredStore:
    house.desk.add_person(local(), Person("ann", "local", rights=frozenset({INGEST})))
    house.desk.add_person(local(), Person("bob", "local"))
    return house


def told(house: AdministeredStore) -> list[tuple[str, str, str]]:
    return [(row.action, row.outcome, row.detail) for row in house.rows()][-2:]


@pytest.mark.requirement(40)
def test_a_key_is_given_out_listed_and_taken_back_and_the_log_says_so(
    desk: AdministeredStore,
) -> None:
    ending = replace(KEY, expires="2027-01-01T00:00:00+00:00")
    desk.desk.add_key(local(), ending, HASH)
    words = "k1: for ann until 2027-01-01T00:00:00+00:00"
    assert told(desk) == [("keys add", "begun", words), ("keys add", "answered", words)]
    assert desk.desk.keys(local()) == (ending,)
    assert desk.keys.find("k1") == (ending, HASH)
    desk.desk.remove_key(local(), "k1")
    assert told(desk) == [("keys rm", "begun", "k1"), ("keys rm", "answered", "k1")]
    assert desk.desk.keys(local()) == ()


def test_nobody_gives_out_a_key_for_one_with_rights_that_they_lack(desk: AdministeredStore) -> None:
    with pytest.raises(NotAllowed, match="clerk lacks the right 'ingest' themselves"):
        desk.desk.add_key(CLERK, KEY, HASH)
    desk.desk.add_key(CLERK, replace(KEY, person="bob"), HASH)
    assert [key.person for key in desk.desk.keys(CLERK)] == ["bob"]


def test_keys_need_the_right_to_say_who_is_who(desk: AdministeredStore) -> None:
    desk.desk.add_key(local(), KEY, HASH)
    visitor = impersonated(Person("visitor", "local", rights=frozenset({INGEST})), local())
    for tried in (
        lambda: desk.desk.add_key(visitor, replace(KEY, id="k2"), HASH),
        lambda: desk.desk.keys(visitor),
        lambda: desk.desk.remove_key(visitor, "k1"),
    ):
        with pytest.raises(NotAllowed, match="needs the right 'access'"):
            tried()
    assert desk.desk.keys(local()) == (KEY,)


def test_a_key_for_nobody_is_refused(desk: AdministeredStore) -> None:
    with pytest.raises(NotVisible, match="nobody is called 'anna'; did you mean 'ann'"):
        desk.desk.add_key(local(), replace(KEY, person="anna"), HASH)
    with pytest.raises(BadInput, match="of the tenant"):
        desk.desk.add_key(local(), replace(KEY, tenant="u"), HASH)
    for note in ("two\nlines", "x" * 201):
        with pytest.raises(BadInput, match="a note is one line"):
            desk.desk.add_key(local(), replace(KEY, note=note), HASH)
    assert desk.desk.keys(local()) == ()


def test_a_key_that_is_not_there_cannot_be_taken_back(desk: AdministeredStore) -> None:
    with pytest.raises(NotVisible, match="there is no API key 'k9'"):
        desk.desk.remove_key(local(), "k9")


def test_a_persons_keys_go_with_them_and_are_not_their_namesakes(desk: AdministeredStore) -> None:
    desk.desk.add_key(local(), KEY, HASH)
    desk.desk.add_key(local(), replace(KEY, id="k2", person="bob"), HASH)
    desk.desk.remove_person(local(), "ann")
    desk.desk.add_person(local(), Person("ann", "local"))
    assert [key.id for key in desk.desk.keys(local())] == ["k2"]
