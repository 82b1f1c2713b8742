"""Whom a token speaks of: as settings say, and never wider than its claims are."""

from dataclasses import replace
from typing import Any

import pytest

from docgraph.interfaces.auth.tokens import read_claim, token_person
from docgraph.model.access import RIGHTS, Person
from docgraph.model.errors import NotAuthenticated
from docgraph.wiring.auth_settings import ClaimNames, IssuerSettings

NAMES = ClaimNames("sub", "org", "groups", "labels", "level", "roles")
SETTINGS = IssuerSettings("i", "a", "k.json", claims=NAMES)
CLAIMS: dict[str, Any] = {"sub": "ann", "org": "acme"}


def person(**claims: object) -> Person:
    return token_person({**CLAIMS, **claims}, SETTINGS)


def test_claims_become_a_person() -> None:
    assert person(groups=["b", "a"], labels=["eu"], level=3, roles=["ingest"]) == Person(
        "ann", "acme", frozenset({"a", "b"}), frozenset({"eu"}), 3, frozenset({"ingest"})
    )


def test_what_is_missing_nobody_has() -> None:
    assert person() == person(groups=None, labels=None, level=None, roles=None)
    assert person() == Person("ann", "acme")


def test_what_no_claim_is_named_for_nobody_has() -> None:
    plain = IssuerSettings("i", "a", "k.json", tenant="acme")
    said = {**CLAIMS, "groups": ["a"], "labels": ["eu"], "clearance": 9, "rights": list(RIGHTS)}
    assert token_person(said, plain) == Person("ann", "acme")


@pytest.mark.parametrize("name", ["sub", "org"])
@pytest.mark.parametrize(
    "value", [None, "", " ", "a  b", "a\n", "\0", "\ud800", 5, True, ["ann"], {"a": 1}, "x" * 201]
)
def test_nobody_comes_in_without_an_id_and_a_tenant(name: str, value: object) -> None:
    with pytest.raises(NotAuthenticated, match="missing or no name"):
        person(**{name: value})


@pytest.mark.parametrize("name", ["local", "everyone"])
def test_nobody_is_called_as_what_has_a_meaning_of_its_own(name: str) -> None:
    with pytest.raises(NotAuthenticated, match="meaning of its own"):
        person(sub=name)


def test_the_groups_of_the_keyboard_and_of_everyone_come_from_no_token() -> None:
    assert person(groups=["local", "everyone", "staff"]).groups == {"staff"}


def test_one_text_is_one_group_whatever_is_in_it() -> None:
    assert person(groups="staff board").groups == {"staff board"}
    assert person(groups="staff,board").groups == {"staff,board"}


def test_a_name_that_no_rule_could_have_is_left_out() -> None:
    assert person(groups=["staff", "", " a", "***", "Everyone", "x" * 201]).groups == {"staff"}
    assert person(labels=["eu", "a\tb"]).labels == {"eu"}


@pytest.mark.parametrize("name", ["groups", "labels", "roles"])
@pytest.mark.parametrize("value", [5, True, {"staff": True}, [1], ["staff", None], [["staff"]]])
def test_what_is_no_list_of_texts_lets_nobody_in(name: str, value: object) -> None:
    with pytest.raises(NotAuthenticated, match="no list of texts"):
        person(**{name: value})


@pytest.mark.parametrize("value", [True, -1, 2**31, "3", 3.0, [3], 10**400])
def test_a_clearance_is_a_whole_number(value: object) -> None:
    with pytest.raises(NotAuthenticated, match="no number from 0"):
        person(level=value)


def test_an_issuer_names_no_tenant_but_those_it_may() -> None:
    bound = replace(SETTINGS, tenants=("acme", "works"))
    for tenant in bound.tenants:
        assert token_person({**CLAIMS, "org": tenant}, bound).tenant == tenant
    for tenant in ("local", "Acme", "acme2"):
        with pytest.raises(NotAuthenticated, match="which its issuer may not name"):
            token_person({**CLAIMS, "org": tenant}, bound)


def test_roles_of_other_programs_are_no_rights() -> None:
    assert person(roles=["admin", "Ingest", "INGEST", "ingest ", "auditor"]).rights == {"auditor"}


def test_a_claim_lies_where_its_name_says() -> None:
    said = {"a": {"b": {"c": 1}}, "https://x.example/groups": 2, "a.b": 3, "n": None}
    assert read_claim(said, "a.b.c") == 1
    assert read_claim(said, "https://x.example/groups") == 2
    assert read_claim(said, "a.b") == 3
    for missing in ("a.c", "a.b.c.d", "z", "n", "n.a", "", ".", "a."):
        assert read_claim(said, missing) is None
