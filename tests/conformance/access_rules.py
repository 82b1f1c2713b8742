"""Rules about rules: who decides, what counts at once, and what no branch can widen."""

import contextlib

import pytest

from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import (
    EVERYONE,
    FRONT_MATTER,
    LOCAL_ONLY,
    AccessRule,
    AccessStatement,
    Person,
    Principal,
)
from docgraph.model.access_policy import AccessFileRule, AccessFileRules, ManualRule, PathAccess
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import Store
from tests.conformance.published import publish
from tests.conformance.store_rules import HIDDEN, NOWHERE, writing
from tests.support.small_world import document, granted, write

OPEN = AccessRule("local", frozenset({EVERYONE}))
STAFF = AccessRule("local", frozenset({"staff"}))


def someone(*groups: str, tenant: str = "local") -> Principal:
    return impersonated(Person("someone", tenant, frozenset(groups)), local())


def seen(store: Store, *wanted: SnapshotSelector, reader: Principal | None = None) -> list[str]:
    with store.open_session(reader or local(), wanted or (SnapshotSelector(),)) as reads:
        return sorted(reads.versions())


def of(store: Store, path: str, branch: str = "main") -> PathAccess:
    with store.access_policy("local") as book:
        return next(one for one in book.explain(path) if one.branch == branch)


def set_manual_rule(store: Store, path: str, rule: AccessRule | None) -> None:
    with store.access_policy("local") as book:
        if rule is None:
            book.reset("r", (path,))
        else:
            book.set_manual_rule("r", (path,), rule)


def revoke(store: Store, path: str, *groups: str) -> None:
    with store.access_policy("local") as book:
        book.revoke("r", (path,), frozenset(groups))


def lines(*told: tuple[str, AccessRule]) -> AccessFileRules:
    return AccessFileRules(
        tuple(AccessFileRule(n, pattern, rule) for n, (pattern, rule) in enumerate(told, start=1))
    )


class AccessRules:
    """Subclasses provide the fixture `store`."""

    @pytest.mark.requirement(35)
    def test_only_who_is_let_in_by_all_who_speak_may_read(self, store: Store) -> None:
        words = (
            AccessStatement(
                "access.yaml", 3, "*.md", AccessRule("local", frozenset({"staff", "board"}))
            ),
            AccessStatement(FRONT_MATTER, 2, "", STAFF),
        )
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.access.set_statements({"a.md": words})
            writes.publish()
        assert seen(store, reader=someone("staff")) == ["r:a.md"]
        assert seen(store, reader=someone("board")) == []
        found = of(store, "a.md")
        assert (found.told, found.rule, found.by_hand) == (words, STAFF, None)

    @pytest.mark.requirement(35)
    def test_a_document_of_which_nobody_speaks_is_read_by_nobody(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.access.set_statements({"a.md": ()})
            writes.publish()
        assert seen(store, reader=someone("staff", "local", EVERYONE)) == []
        assert of(store, "a.md").rule == NOWHERE

    @pytest.mark.requirement(37)
    def test_a_rule_by_hand_counts_at_once_and_on_old_snapshots(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        publish(store, document("a.md", "two"))
        set_manual_rule(store, "a.md", NOWHERE)
        old = SnapshotSelector("r", "main", 1)
        for wish in (SnapshotSelector("r"), old):
            with pytest.raises(NotVisible):
                seen(store, wish)
        set_manual_rule(store, "a.md", OPEN)
        assert seen(store, old, reader=someone()) == ["r:a.md"]
        set_manual_rule(store, "a.md", None)
        with pytest.raises(NotVisible):
            seen(store, old, reader=someone())
        assert seen(store, old) == ["r:a.md"]

    @pytest.mark.requirement(37)
    def test_a_rule_by_hand_survives_ingests(self, store: Store) -> None:
        publish(store, document("a.md", "one"), document("b.md", "b"))
        set_manual_rule(store, "a.md", STAFF)
        publish(store, document("a.md", "two"))
        with writing(store) as writes:
            writes.access.set_statements({"a.md": granted(OPEN), "b.md": granted(OPEN)})
            writes.publish()
        assert seen(store) == ["r:b.md"]
        assert seen(store, reader=someone("staff")) == ["r:a.md", "r:b.md"]
        found = of(store, "a.md")
        assert (found.by_hand, found.told) == (ManualRule(STAFF), granted(OPEN))
        set_manual_rule(store, "a.md", None)
        assert of(store, "a.md").rule == OPEN

    @pytest.mark.requirement(37)
    def test_a_rule_by_hand_survives_that_its_document_is_gone_for_a_while(
        self, store: Store
    ) -> None:
        publish(store, document("a.md", "one"), document("b.md", "b"))
        set_manual_rule(store, "a.md", NOWHERE)
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        publish(store, document("a.md", "again"))
        assert seen(store) == ["r:b.md"]

    @pytest.mark.requirement(37)
    def test_a_change_by_hand_publishes_nothing_and_waits_for_no_ingest(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        before = store.snapshots(local())
        with writing(store) as writes:
            write(writes, [document("b.md", "two")])
            set_manual_rule(store, "a.md", NOWHERE)
            assert store.snapshots(local()) == ()
            set_manual_rule(store, "a.md", None)
            assert store.snapshots(local()) == before
            set_manual_rule(store, "a.md", NOWHERE)
            writes.publish()
        assert seen(store) == ["r:b.md"]

    def test_a_rule_by_hand_for_a_document_that_is_not_there_is_refused(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        for path, repository in (("z.md", "r"), ("a.md", "s")):
            with store.access_policy("local") as book, pytest.raises(NotVisible):
                book.set_manual_rule(repository, (path,), OPEN)
        with store.access_policy("elsewhere") as book, pytest.raises(NotVisible):
            book.set_manual_rule("r", ("a.md",), OPEN)
        assert of(store, "a.md").rule == LOCAL_ONLY

    def test_of_several_paths_all_are_set_or_none(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        with store.access_policy("local") as book, pytest.raises(NotVisible):
            book.set_manual_rule("r", ("a.md", "z.md"), NOWHERE)
        assert seen(store) == ["r:a.md"]

    @pytest.mark.requirement(35)
    def test_another_branch_can_narrow_and_never_widen(self, store: Store) -> None:
        publish(store, document("a.md", "one", rule=STAFF), document("b.md", "b", rule=OPEN))
        publish(
            store,
            document("a.md", "one", rule=OPEN),
            document("b.md", "b", rule=STAFF),
            document("new.md", "n", rule=OPEN),
            branch="topic",
        )
        there = SnapshotSelector("r", "topic")
        assert seen(store, there, reader=someone()) == ["r:new.md"]
        assert seen(store, there, reader=someone("staff")) == ["r:a.md", "r:b.md", "r:new.md"]
        assert [word.source for word in of(store, "a.md", "topic").told] == [
            "ingest options",
            "ingest options of branch main",
        ]

    @pytest.mark.requirement(35)
    def test_what_the_default_branch_says_later_counts_on_the_others_too(
        self, store: Store
    ) -> None:
        topic = SnapshotSelector("r", "topic")
        publish(store, document("b.md", "b"))
        publish(store, document("a.md", "one", rule=OPEN), branch="topic")
        assert seen(store, topic, reader=someone()) == ["r:a.md"]
        publish(store, document("a.md", "one", rule=STAFF))
        assert seen(store, topic, reader=someone("staff")) == ["r:a.md"]
        with pytest.raises(NotVisible):
            seen(store, topic, reader=someone())
        with writing(store) as writes:
            writes.access.set_statements({"a.md": granted(OPEN)})
            writes.publish()
        assert seen(store, topic, reader=someone()) == ["r:a.md"]

    @pytest.mark.requirement(35)
    def test_the_default_branchs_file_speaks_of_paths_it_never_held(self, store: Store) -> None:
        topic = SnapshotSelector("r", "topic")
        publish(store, document("a.md", "one"))
        publish(store, document("secret/x.md", "x", rule=OPEN), branch="topic")
        assert seen(store, topic, reader=someone()) == ["r:secret/x.md"]
        with writing(store) as writes:
            writes.access.set_file_rules(lines(("**", OPEN), ("secret/", STAFF)))
            assert writes.has_changes()
            writes.publish()
        with pytest.raises(NotVisible):
            seen(store, topic, reader=someone())
        assert seen(store, topic, reader=someone("staff")) == ["r:secret/x.md"]
        publish(store, document("secret/y.md", "y", rule=OPEN), branch="topic")
        assert seen(store, topic, reader=someone("staff")) == ["r:secret/x.md", "r:secret/y.md"]
        word = of(store, "secret/y.md", "topic").told[-1]
        assert (word.source, word.line, word.says) == ("access.yaml of branch main", 2, "secret/")
        with writing(store) as writes:
            writes.access.set_file_rules(None)
            writes.publish()
        assert seen(store, topic, reader=someone()) == ["r:secret/x.md", "r:secret/y.md"]

    @pytest.mark.requirement(35)
    def test_no_name_makes_a_branch_the_default_one(self, store: Store) -> None:
        """Whoever was published first stays it, until someone with the right names another."""
        publish(store, document("a.md", "one", rule=STAFF), branch="trunk")
        publish(store, document("a.md", "one", rule=OPEN))
        main = SnapshotSelector("r", "main")
        with pytest.raises(NotVisible):
            seen(store, main, reader=someone())
        with store.access_policy("local") as book:
            book.set_default_branch("r", "main")
        assert seen(store, main, reader=someone()) == ["r:a.md"]
        assert [word.source for word in of(store, "a.md", "trunk").told] == [
            "ingest options",
            "ingest options of branch main",
        ]
        with store.access_policy("local") as book, pytest.raises(NotVisible):
            book.set_default_branch("r", "absent")

    @pytest.mark.requirement(35)
    def test_an_ingest_that_failed_has_no_say(self, store: Store) -> None:
        topic = SnapshotSelector("r", "topic")
        with contextlib.suppress(ZeroDivisionError), writing(store, branch="aborted") as writes:
            write(writes, [document("a.md", "one", rule=OPEN)])
            raise ZeroDivisionError
        publish(store, document("a.md", "one", rule=STAFF), branch="trunk")
        with contextlib.suppress(ZeroDivisionError), writing(store) as writes:
            raise ZeroDivisionError
        publish(store, document("a.md", "two", rule=OPEN), branch="topic")
        set_manual_rule(store, "a.md", None)
        with pytest.raises(NotVisible):
            seen(store, topic, reader=someone())
        assert seen(store, topic, reader=someone("staff")) == ["r:a.md"]
        assert store.verify().is_sound

    @pytest.mark.requirement(37)
    def test_what_is_revoked_stays_revoked_whatever_files_say(self, store: Store) -> None:
        both = AccessRule("local", frozenset({"staff", "board", "local"}))
        publish(store, document("a.md", "one", rule=both))
        revoke(store, "a.md", "staff")
        assert of(store, "a.md").rule.readers == {"board", "local"}
        revoke(store, "a.md", "board")
        assert of(store, "a.md").rule.readers == {"local"}
        publish(store, document("a.md", "two", rule=STAFF))
        assert of(store, "a.md").rule.readers == frozenset()
        publish(store, document("a.md", "three", rule=OPEN))
        assert seen(store, reader=someone("staff")) == []
        set_manual_rule(store, "a.md", None)
        assert seen(store, reader=someone()) == ["r:a.md"]
        revoke(store, "a.md")
        assert seen(store, reader=someone("local")) == []
        assert of(store, "a.md").by_hand == ManualRule(closed=True)

    def test_of_several_paths_all_are_revoked_or_none(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        with store.access_policy("local") as book:
            with pytest.raises(NotVisible):
                book.revoke("r", ("a.md", "z.md"), frozenset())
            with pytest.raises(BadInput, match="may be read by local, so board cannot"):
                book.revoke("r", ("a.md",), frozenset({"board"}))
        assert seen(store) == ["r:a.md"]

    @pytest.mark.requirement(37)
    def test_a_decision_by_hand_follows_a_renamed_file(self, store: Store) -> None:
        publish(store, document("a.md", "one"), document("b.md", "b"))
        revoke(store, "a.md")
        with writing(store) as writes:
            write(writes, [document("new.md", "one")])
            writes.documents.remove(["a.md"])
            writes.access.move_manual_rules([("a.md", "new.md")])
            writes.publish()
        assert seen(store) == ["r:b.md"]
        assert of(store, "new.md").by_hand == ManualRule(closed=True)

    @pytest.mark.requirement(37)
    def test_a_name_is_the_same_in_every_unicode_form(self, store: Store) -> None:
        composed, taken_apart = "caf\u00e9.md", "cafe\u0301.md"
        publish(store, document(taken_apart, "one"), document("b.md", "b"))
        revoke(store, composed)
        assert seen(store) == ["r:b.md"]
        with writing(store) as writes:
            write(writes, [document(composed, "one")])
            writes.documents.remove([taken_apart])
            writes.publish()
        assert seen(store) == ["r:b.md"]

    @pytest.mark.requirement(37)
    def test_a_decision_on_what_is_gone_is_listed_and_can_be_taken_back(self, store: Store) -> None:
        publish(store, document("a.md", "one"), document("b.md", "b"))
        set_manual_rule(store, "a.md", OPEN)
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        store.prune("local", "r", "main", 1)
        with store.access_policy("local") as book:
            left = next(one for one in book.documents() if one.path == "a.md")
            assert (left.branch, left.by_hand, left.rule) == ("", ManualRule(OPEN), OPEN)
            book.reset("r", ("a.md",))
            assert [one.path for one in book.documents()] == ["b.md"]
        publish(store, document("a.md", "secret", rule=STAFF))
        assert seen(store, reader=someone()) == []

    def test_rules_are_counted_over_the_newest_snapshot(self, store: Store) -> None:
        publish(store, document("a.md", "a"), document("b.md", "b"), document("c.md", "c"))
        with writing(store) as writes:
            writes.documents.remove(["c.md"])
            writes.access.set_statements({"b.md": granted(STAFF)})
            writes.publish()
        with store.access_policy("local") as book:
            counted = {one.rule: (one.documents, one.example) for one in book.rules("r", "main")}
        assert counted == {LOCAL_ONLY: (1, "a.md"), STAFF: (1, "b.md")}

    def test_all_that_was_ever_said_is_remembered(self, store: Store) -> None:
        publish(store, document("a.md", "one", rule=STAFF), document("b.md", "b"))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        with writing(store) as writes:
            assert writes.access.statements() == {
                "a.md": granted(STAFF),
                "b.md": granted(LOCAL_ONLY),
            }
            writes.access.set_statements({"a.md": granted(NOWHERE)})
            writes.publish()
        old = SnapshotSelector("r", "main", 1)
        assert seen(store, old, reader=someone("staff", "local")) == ["r:b.md"]

    def test_words_are_handed_back_to_the_next_ingest(self, store: Store) -> None:
        word = AccessStatement(FRONT_MATTER, 2, "what it says", STAFF)
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.access.set_statements({"a.md": (word,)})
            writes.publish()
        with writing(store) as writes:
            assert writes.access.statements()["a.md"] == (word,)
            writes.access.set_statements({"a.md": (word,)})
            assert not writes.has_changes()

    @pytest.mark.requirement(34)
    def test_the_book_of_one_tenant_says_nothing_of_another(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        publish(store, document("b.md", "two"), repository="r", tenant="elsewhere")
        with store.access_policy("local") as book:
            assert [one.path for one in book.documents()] == ["a.md"]
            book.add_person(Person("ann", "local"))
        with store.access_policy("elsewhere") as book:
            assert [one.path for one in book.documents()] == ["b.md"]
            assert book.people() == ()

    def test_the_book_lists_what_any_snapshot_holds_and_nothing_unpublished(
        self, store: Store
    ) -> None:
        publish(store, document("a.md", "one"), document("h.md", "hidden", rule=HIDDEN))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            write(writes, [document("new.md", "new")])
            with store.access_policy("local") as book:
                assert [one.path for one in book.documents("r")] == ["a.md", "h.md"]
            writes.publish()
        with store.access_policy("local") as book:
            assert [one.path for one in book.documents()] == ["a.md", "h.md", "new.md"]
            assert book.documents("s") == ()

    @pytest.mark.requirement(38)
    def test_people_are_kept_changed_and_forgotten(self, store: Store) -> None:
        ann = Person("ann", "local", frozenset({"staff"}), frozenset({"eu"}), 2, frozenset())
        bob = Person("bob", "local", rights=frozenset({"auditor"}))
        with store.access_policy("local") as book:
            book.add_person(bob)
            book.add_person(Person("ann", "local"))
            book.add_person(ann)
            assert book.people() == (ann, bob)
            assert book.remove_person("bob")
            assert not book.remove_person("bob")
        with store.access_policy("local") as book:
            assert book.people() == (ann,)
