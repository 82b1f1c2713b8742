"""Who may read what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.access import (
    EVERYONE,
    LOCAL_ONLY,
    AccessRule,
    AccessStatement,
    Principal,
    intersect_rules,
)

names = st.frozensets(st.sampled_from(["a", "b", "c", EVERYONE]))
levels = st.integers(0, 3)
rules = st.builds(AccessRule, st.sampled_from(["t", "u"]), names, names, levels)
words = st.lists(rules.map(lambda rule: AccessStatement("access.yaml", 1, "**", rule)), max_size=4)
people = st.builds(Principal, st.just("p"), st.sampled_from(["t", "u"]), names, names, levels)


def someone(
    *groups: str, tenant: str = "t", labels: frozenset[str] = frozenset(), clearance: int = 0
) -> Principal:
    return Principal("p", tenant, frozenset(groups), labels, clearance)


@pytest.mark.requirement(35)
@given(people)
def test_a_rule_without_readers_admits_nobody(person: Principal) -> None:
    assert not person.may_read(AccessRule(person.tenant))


@pytest.mark.requirement(35)
@given(people, rules)
def test_one_group_all_labels_and_the_level_are_needed(person: Principal, rule: AccessRule) -> None:
    assert person.may_read(rule) == (
        person.tenant == rule.tenant
        and any(group in rule.readers for group in (*person.groups, EVERYONE))
        and all(label in person.labels for label in rule.labels)
        and rule.level <= person.clearance
    )


@pytest.mark.requirement(35)
@given(people, rules)
def test_losing_a_right_never_opens_a_document(person: Principal, rule: AccessRule) -> None:
    less = Principal(person.id, person.tenant, frozenset(), frozenset(), 0)
    assert not less.may_read(rule) or person.may_read(rule)


@pytest.mark.requirement(73)
@given(rules, rules)
def test_a_rule_is_within_another_if_all_whom_it_admits_may_read_the_other(
    rule: AccessRule, other: AccessRule
) -> None:
    groups = [() if group == EVERYONE else (group,) for group in sorted(rule.readers)]
    admitted = [
        someone(*own, tenant=rule.tenant, labels=rule.labels, clearance=rule.level)
        for own in groups
    ]
    assert all(person.may_read(rule) for person in admitted)
    assert rule.is_within(other) is all(person.may_read(other) for person in admitted)


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("held", "read"),
    [("", False), ("eu", False), ("hr", False), ("eu hr", True), ("eu hr x", True)],
)
def test_one_label_of_several_is_not_enough(held: str, read: bool) -> None:
    rule = AccessRule("t", frozenset({"ops"}), frozenset({"eu", "hr"}))
    assert someone("ops", labels=frozenset(held.split())).may_read(rule) is read


@pytest.mark.requirement(35)
@pytest.mark.parametrize(("clearance", "read"), [(0, False), (1, False), (2, True), (3, True)])
def test_a_clearance_is_needed_up_to_the_level(clearance: int, read: bool) -> None:
    assert (
        someone("ops", clearance=clearance).may_read(AccessRule("t", frozenset({"ops"}), level=2))
        is read
    )


@pytest.mark.requirement(35)
def test_everyone_ends_at_the_tenant() -> None:
    rule = AccessRule("t", frozenset({EVERYONE}))
    assert someone().may_read(rule)
    assert not someone(tenant="u").may_read(rule)


def test_without_rules_only_the_person_at_the_keyboard_reads() -> None:
    assert someone("local", tenant="local").may_read(LOCAL_ONLY)
    assert not someone("staff", tenant="local").may_read(LOCAL_ONLY)


@pytest.mark.requirement(33)
@pytest.mark.requirement(36)
@given(people, rules)
def test_grounds_name_nothing_but_the_readers_own_rights(
    person: Principal, rule: AccessRule
) -> None:
    if person.may_read(rule):
        wider = AccessRule(rule.tenant, rule.readers | {"strangers"}, rule.labels, rule.level)
        assert person.read_reason(wider) == person.read_reason(rule)


def test_the_reason_for_reading_names_groups_labels_and_level() -> None:
    rule = AccessRule("t", frozenset({"ops", "dev"}), frozenset({"eu", "hr"}), 2)
    reader = someone("ops", "dev", labels=frozenset({"hr", "eu"}), clearance=3)
    assert reader.read_reason(rule) == "readable by group dev, labels eu hr, level 2 cleared"
    assert someone().read_reason(AccessRule("t", frozenset({EVERYONE}))) == "readable by everyone"


@pytest.mark.requirement(35)
@given(people, rules, rules)
def test_an_intersection_admits_nobody_whom_either_rule_excludes(
    person: Principal, one: AccessRule, other: AccessRule
) -> None:
    if person.may_read(one.intersect(other)):
        assert person.may_read(one)
        assert person.may_read(other)


@pytest.mark.requirement(35)
@given(people, rules, rules, rules)
def test_rules_narrow_each_other_in_any_order(
    person: Principal, one: AccessRule, other: AccessRule, third: AccessRule
) -> None:
    assert person.may_read(one.intersect(other)) == person.may_read(other.intersect(one))
    left, right = one.intersect(other).intersect(third), one.intersect(other.intersect(third))
    assert person.may_read(left) == person.may_read(right)
    assert one.intersect(one) == one


@pytest.mark.requirement(35)
@given(people, rules)
def test_narrowing_by_everyone_changes_nothing(person: Principal, rule: AccessRule) -> None:
    everyone = AccessRule(rule.tenant, frozenset({EVERYONE}))
    assert everyone.intersect(rule) == rule
    assert person.may_read(rule.intersect(everyone)) == person.may_read(rule)


@pytest.mark.requirement(35)
@given(people, rules, rules)
def test_rules_of_two_tenants_admit_nobody(
    person: Principal, one: AccessRule, other: AccessRule
) -> None:
    if one.tenant != other.tenant:
        assert not person.may_read(one.intersect(other))


@pytest.mark.requirement(35)
@given(people, words)
def test_a_reader_of_the_intersection_satisfies_every_statement(
    person: Principal, statements: list[AccessStatement]
) -> None:
    if person.may_read(intersect_rules(person.tenant, statements)):
        assert statements
        assert all(person.may_read(statement.rule) for statement in statements)


@pytest.mark.requirement(35)
def test_without_a_statement_nobody_may_read() -> None:
    assert intersect_rules("t", ()) == AccessRule("t")
    assert not someone(EVERYONE, clearance=9).may_read(intersect_rules("t", ()))
