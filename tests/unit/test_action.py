"""A signature is a contract."""

from collections.abc import Mapping

import pytest

from docgraph.action import Action, action, contract_of
from docgraph.model.errors import ContractViolation, PreconditionViolation
from docgraph.model.question import Question
from docgraph.model.seeds import Seed, Seeds


def not_empty(seeds: Seeds) -> bool:
    """There is at least one seed."""
    return bool(seeds.ranked)


def no_nonsense(options: Mapping[str, object]) -> str | None:
    return "nonsense" if options.get("many") == 0 else None


@action(ensures=(not_empty,), options=(no_nonsense,))
def find_things(
    question: Question, before: Seeds, *, many: int = 3, how: str | None = None
) -> Seeds:
    if how == "wrongly":
        return "not seeds"  # type: ignore[return-value]
    return Seeds(before.ranked[:many], ())


THINGS = contract_of(find_things)
ONE = Seeds((Seed("r:a", 1.0, ""),), ())


@pytest.mark.requirement(41)
def test_positional_parameters_are_what_an_action_requires() -> None:
    assert THINGS.requires == (("question", Question), ("before", Seeds))


@pytest.mark.requirement(41)
def test_keyword_only_parameters_are_its_options() -> None:
    assert [(o.name, o.annotation, o.default) for o in THINGS.options] == [
        ("many", int, 3),
        ("how", str | None, None),
    ]
    assert THINGS.option("many") is THINGS.options[0]
    assert THINGS.option("few") is None


@pytest.mark.requirement(41)
def test_the_return_type_is_what_it_makes() -> None:
    assert THINGS.makes is Seeds
    assert (THINGS.name, THINGS.implicit) == ("find_things", False)
    assert THINGS.option_rules[0]({"many": 0}) == "nonsense"


@pytest.mark.requirement(41)
def test_an_action_that_keeps_its_contract_is_simply_called() -> None:
    assert THINGS.call((None, ONE), {"many": 1}) == ONE


@pytest.mark.requirement(41)
def test_an_action_that_returns_another_type_breaks_its_contract() -> None:
    with pytest.raises(ContractViolation, match="find_things returned str, not Seeds"):
        THINGS.call((None, ONE), {"how": "wrongly"})


@pytest.mark.requirement(41)
def test_a_violated_postcondition_is_named() -> None:
    message = "find_things: not not_empty: There is at least one seed."
    with pytest.raises(ContractViolation, match=message):
        THINGS.call((None, ONE), {"many": 0})


@pytest.mark.requirement(41)
def test_a_violated_precondition_is_named_and_the_action_does_not_run() -> None:
    ran: list[Seeds] = []

    @action(requires=(not_empty,))
    def follow(question: Question, before: Seeds) -> Seeds:
        ran.append(before)
        return before

    contract = contract_of(follow)
    assert contract.preconditions == ((Seeds, not_empty),)
    assert contract.call((None, ONE), {}) == ONE
    message = "follow: not not_empty: There is at least one seed."
    with pytest.raises(PreconditionViolation, match=message):
        contract.call((None, Seeds((), ())), {})
    assert ran == [ONE]


def test_a_marked_function_is_still_the_function() -> None:
    assert find_things.__name__ == "find_things"
    assert isinstance(THINGS, Action)
    assert THINGS.function is find_things


def test_what_is_not_marked_is_no_action() -> None:
    with pytest.raises(
        ContractViolation, match=r"not_empty is no action: write @action\(\) above it"
    ):
        contract_of(not_empty)
