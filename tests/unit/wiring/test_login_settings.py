"""Settings of the login: strict, and never weaker than they look."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from docgraph.model.errors import BadInput
from docgraph.wiring.auth_settings import (
    AuthSettings,
    ClaimNames,
    IssuerSettings,
    is_loopback,
)
from docgraph.wiring.settings import read_settings

ISSUER = """
login:
  tokens:
    - issuer: https://id.example.com
      audience: docgraph
      jwks: https://id.example.com/certs
"""

OF_ACME = IssuerSettings("https://id.example.com", "docgraph", "keys.json", tenant="acme")


def login(folder: Path, text: str, **environment: str) -> AuthSettings:
    (folder / "docgraph.yaml").write_text(text, encoding="utf-8")
    return read_settings(environment, folder).login


def refused(folder: Path, text: str, why: str, **environment: str) -> None:
    with pytest.raises(BadInput, match=why):
        login(folder, text, **environment)


def test_without_settings_there_is_no_login(tmp_path: Path) -> None:
    assert login(tmp_path, "") == AuthSettings()
    assert not AuthSettings().keys


def test_what_is_written_is_read(tmp_path: Path) -> None:
    text = f"""{ISSUER}
      algorithms: [ES256, EdDSA]
      leeway: 0
      claims: {{tenant: org.id, groups: groups, rights: realm_access.roles}}
"""
    assert login(tmp_path, text).tokens == (
        IssuerSettings(
            "https://id.example.com",
            "docgraph",
            "https://id.example.com/certs",
            ("ES256", "EdDSA"),
            0,
            None,
            ClaimNames(tenant="org.id", groups="groups", rights="realm_access.roles"),
        ),
    )


def test_the_least_that_names_an_issuer(tmp_path: Path) -> None:
    (found,) = login(tmp_path, f"{ISSUER}      tenant: acme\n").tokens
    assert (found.algorithms, found.leeway, found.tenant) == (("RS256",), 60, "acme")
    assert found.claims == ClaimNames(id="sub")


def test_keys_are_taken_where_file_or_environment_says_so(tmp_path: Path) -> None:
    on, off = "login: {keys: true}", "login: {keys: false}"
    assert login(tmp_path, on).keys
    assert not login(tmp_path, off).keys
    assert login(tmp_path, off, DOCGRAPH_LOGIN_KEYS="on").keys
    assert not login(tmp_path, on, DOCGRAPH_LOGIN_KEYS="off").keys
    assert login(tmp_path, on, DOCGRAPH_LOGIN_KEYS="").keys
    refused(tmp_path, on, "'yes' is neither on nor off", DOCGRAPH_LOGIN_KEYS="yes")


@pytest.mark.parametrize("name", ["none", "HS256", "HS512", "rs256", "RS1", ""])
def test_only_algorithms_with_public_keys_can_be_named(tmp_path: Path, name: str) -> None:
    text = f"{ISSUER}      tenant: acme\n      algorithms: [RS256, '{name}']\n"
    refused(tmp_path, text, "not to be trusted here; (did you mean|known:)")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("algorithms: []", "algorithms"),
        ("leeway: 301", "leeway"),
        ("leeway: -1", "leeway"),
        ("leeway: 1.5", "leeway"),
        ("tenant: ''", "tenant"),
        ("tenant: 'a  b'", "cannot be a name"),
        ("claims: {tennant: org}", "did you mean 'tenant'"),
        ("claims: {groups: [a]}", "groups"),
        ("secret: x", "no setting is called 'login.tokens.0.secret'"),
        ("issuer: ''", "issuer"),
        ("audience: null", "audience"),
    ],
)
def test_what_does_not_fit_is_reported(tmp_path: Path, line: str, why: str) -> None:
    refused(tmp_path, f"{ISSUER}      {line}\n", why)


def test_a_tenant_is_everybodys_or_in_a_claim_and_not_both(tmp_path: Path) -> None:
    refused(tmp_path, ISSUER, "needs either tenant")
    refused(tmp_path, f"{ISSUER}      tenant: a\n      claims: {{tenant: b}}\n", "either tenant")


SECOND = """
    - issuer: https://b.example.com
      audience: docgraph
      jwks: b.json
"""


def test_what_a_claim_may_name_is_listed(tmp_path: Path) -> None:
    claim = "      claims: {tenant: org}\n"
    (found,) = login(tmp_path, f"{ISSUER}{claim}      tenants: [acme, works]\n").tokens
    assert found.tenants == ("acme", "works")
    refused(tmp_path, f"{ISSUER}{claim}      tenants: []\n", "tenants")
    refused(tmp_path, f"{ISSUER}{claim}      tenants: [' a']\n", "cannot be a name")
    refused(tmp_path, f"{ISSUER}      tenant: a\n      tenants: [b]\n", "tenants: is for what")


def test_of_several_issuers_none_speaks_for_whomever_it_likes(tmp_path: Path) -> None:
    claim, constant = "      claims: {tenant: org}\n", "      tenant: acme\n"
    for text in (f"{ISSUER}{claim}{SECOND}{constant}", f"{ISSUER}{constant}{SECOND}{claim}"):
        refused(tmp_path, text, "names tenants by a claim; beside another issuer, list those")
    listed = f"{claim}      tenants: [works]\n"
    assert len(login(tmp_path, f"{ISSUER}{constant}{SECOND}{listed}").tokens) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tenant: acme", "tenant: acme"),
        ("tenant: acme", "{claims: {tenant: org}, tenants: [works, acme]}"),
        ("{claims: {tenant: o}, tenants: [acme]}", "{claims: {tenant: org}, tenants: [acme]}"),
    ],
)
def test_no_two_issuers_speak_for_one_tenant(tmp_path: Path, one: str, other: str) -> None:
    def lines(text: str) -> str:
        found = yaml.safe_load(text)
        return "".join(f"      {key}: {json.dumps(value)}\n" for key, value in found.items())

    text = f"{ISSUER}{lines(one)}{SECOND}{lines(other)}"
    refused(tmp_path, text, "may speak for tenant 'acme'")


@pytest.mark.parametrize("issuer", ["a\x07b", "a\u2028b", "é" * 251])
def test_an_issuer_is_one_line_of_some_length(tmp_path: Path, issuer: str) -> None:
    text = ISSUER.replace("issuer: https://id.example.com", f"issuer: {json.dumps(issuer)}")
    refused(tmp_path, f"{text}      tenant: acme\n", "needs one line")


@pytest.mark.parametrize(
    ("login", "only"),
    [
        (AuthSettings(), "local"),
        (AuthSettings(keys=True), "local"),
        (AuthSettings(tokens=(OF_ACME,)), "acme"),
        (AuthSettings(keys=True, tokens=(OF_ACME,)), None),
        (AuthSettings(keys=True, tokens=(replace(OF_ACME, tenant="local"),)), "local"),
        (AuthSettings(tokens=(OF_ACME, replace(OF_ACME, tenant="works"))), None),
        (AuthSettings(tokens=(replace(OF_ACME, tenant=None),)), None),
        (AuthSettings(tokens=(replace(OF_ACME, tenant=None, tenants=("a",)),)), "a"),
        (AuthSettings(tokens=(replace(OF_ACME, tenant=None, tenants=("a", "b")),)), None),
    ],
)
def test_whose_everybody_is_is_known_or_not(login: AuthSettings, only: str | None) -> None:
    assert login.only_tenant == only


def test_an_issuer_is_listed_once(tmp_path: Path) -> None:
    one = f"{ISSUER}      tenant: acme\n"
    refused(tmp_path, one + one.partition("tokens:\n")[2], "is listed twice")


@pytest.mark.parametrize(
    "jwks",
    [
        "https://id.example.com/certs?v=1",
        "http://localhost:8080/certs",
        "http://127.0.0.1/certs",
        "http://[::1]:80/certs",
        "keys.json",
        "./http/keys.json",
    ],
)
def test_keys_come_over_https_or_from_this_machine(tmp_path: Path, jwks: str) -> None:
    text = ISSUER.replace("https://id.example.com/certs", f"'{jwks}'")
    assert login(tmp_path, f"{text}      tenant: acme\n").tokens[0].jwks == jwks


@pytest.mark.parametrize(
    "jwks",
    [
        "http://id.example.com/certs",
        "http://localhost.example.com/certs",
        "http://127.0.0.1.example.com/certs",
        "HTTP://id.example.com",
        "ftp://id.example.com/certs",
        "file:///etc/keys.json",
        "https://",
        "https://ann:secret@id.example.com/certs",
        "https://id.example.com/certs#x",
        "https://id.example.com/a b",
        "https://id.example.com:port/certs",
        "https://[::1/certs",
    ],
)
def test_other_addresses_of_keys_are_refused(tmp_path: Path, jwks: str) -> None:
    text = ISSUER.replace("https://id.example.com/certs", f"'{jwks}'")
    refused(tmp_path, f"{text}      tenant: acme\n", r"login\.tokens\.0\.jwks: ")


def test_loopback_is_known_by_name_or_number() -> None:
    assert all(map(is_loopback, ("localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1")))
    others = ("", "0.0.0.0", "::", "10.0.0.1", "localhost.", "127.0.0.1.example.com", "id")
    assert not any(map(is_loopback, others))
