"""Access rules that every store keeps: what counts at once, and what no branch can widen."""

import contextlib
from dataclasses import replace

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
from docgraph.model.access_policy import (
    AccessFileRule,
    AccessFileRules,
    ManualRule,
    PathAccess,
    VersionAccess,
)
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import BranchSource, SnapshotSelector, SourceLocation
from docgraph.ports.store import Store
from tests.conformance.published import publish
from tests.conformance.store_rules import HIDDEN, NOWHERE, writing
from tests.support.small_world import document, statements_of, write

OPEN = AccessRule("local", frozenset({EVERYONE}))
STAFF = AccessRule("local", frozenset({"staff"}))


def someone(*groups: str, tenant: str = "local") -> Principal:
    return impersonated(Person("someone", tenant, frozenset(groups)), local())


def seen(store: Store, *selectors: SnapshotSelector, reader: Principal | None = None) -> list[str]:
    with store.open_session(reader or local(), selectors or (SnapshotSelector(),)) as reads:
        return sorted(reads.versions())


def of(store: Store, path: str, branch: str = "main") -> PathAccess:
    with store.access_policy("local") as policies:
        return next(one for one in policies.explain(path) if one.branch == branch)


def set_manual_rule(store: Store, path: str, rule: AccessRule | None) -> None:
    with store.access_policy("local") as policies:
        if rule is None:
            policies.reset("r", (path,))
        else:
            policies.set_manual_rule("r", (path,), rule)


def revoke(store: Store, path: str, *groups: str) -> None:
    with store.access_policy("local") as policies:
        policies.revoke("r", (path,), frozenset(groups))


def file_rules(*rules: tuple[str, AccessRule]) -> AccessFileRules:
    return AccessFileRules(
        tuple(AccessFileRule(n, pattern, rule) for n, (pattern, rule) in enumerate(rules, start=1))
    )


class AccessRules:
    """Subclasses provide the fixture `store`."""

    @pytest.mark.requirement(35)
    def test_only_readers_that_every_statement_admits_may_read(self, store: Store) -> None:
        statements = (
            AccessStatement(
                "access.yaml", 3, "*.md", AccessRule("local", frozenset({"staff", "board"}))
            ),
            AccessStatement(FRONT_MATTER, 2, "", STAFF),
        )
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.access.set_statements({"a.md": statements})
            writes.publish()
        assert seen(store, reader=someone("staff")) == ["r:a.md"]
        assert seen(store, reader=someone("board")) == []
        found = of(store, "a.md")
        assert (found.statements, found.rule, found.manual) == (statements, STAFF, None)

    @pytest.mark.requirement(35)
    def test_a_document_without_statements_is_read_by_nobody(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.access.set_statements({"a.md": ()})
            writes.publish()
        assert seen(store, reader=someone("staff", "local", EVERYONE)) == []
        assert of(store, "a.md").rule == NOWHERE

    @pytest.mark.requirement(37)
    def test_a_manual_rule_counts_at_once_and_on_old_snapshots(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        publish(store, document("a.md", "two"))
        set_manual_rule(store, "a.md", NOWHERE)
        old = SnapshotSelector("r", "main", 1)
        for selector in (SnapshotSelector("r"), old):
            with pytest.raises(NotVisible):
                seen(store, selector)
        set_manual_rule(store, "a.md", OPEN)
        assert seen(store, old, reader=someone()) == ["r:a.md"]
        set_manual_rule(store, "a.md", None)
        with pytest.raises(NotVisible):
            seen(store, old, reader=someone())
        assert seen(store, old) == ["r:a.md"]

    @pytest.mark.requirement(37)
    def test_a_manual_rule_survives_ingests(self, store: Store) -> None:
        publish(store, document("a.md", "one"), document("b.md", "b"))
        set_manual_rule(store, "a.md", STAFF)
        publish(store, document("a.md", "two"))
        with writing(store) as writes:
            writes.access.set_statements({"a.md": statements_of(OPEN), "b.md": statements_of(OPEN)})
            writes.publish()
        assert seen(store) == ["r:b.md"]
        assert seen(store, reader=someone("staff")) == ["r:a.md", "r:b.md"]
        found = of(store, "a.md")
        assert (found.manual, found.statements) == (ManualRule(STAFF), statements_of(OPEN))
        set_manual_rule(store, "a.md", None)
        assert of(store, "a.md").rule == OPEN

    @pytest.mark.requirement(37)
    def test_a_manual_rule_survives_the_removal_and_return_of_its_document(
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
    def test_a_manual_rule_publishes_nothing_and_waits_for_no_ingest(self, store: Store) -> None:
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

    def test_a_manual_rule_for_an_absent_document_is_refused(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        for path, repository in (("z.md", "r"), ("a.md", "s")):
            with store.access_policy("local") as policies, pytest.raises(NotVisible):
                policies.set_manual_rule(repository, (path,), OPEN)
        with store.access_policy("elsewhere") as policies, pytest.raises(NotVisible):
            policies.set_manual_rule("r", ("a.md",), OPEN)
        assert of(store, "a.md").rule == LOCAL_ONLY

    def test_of_several_paths_all_are_set_or_none(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        with store.access_policy("local") as policies, pytest.raises(NotVisible):
            policies.set_manual_rule("r", ("a.md", "z.md"), NOWHERE)
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
        assert [statement.source for statement in of(store, "a.md", "topic").statements] == [
            "ingest options",
            "ingest options of branch main",
        ]

    @pytest.mark.requirement(35)
    def test_later_statements_of_the_default_branch_count_on_other_branches(
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
            writes.access.set_statements({"a.md": statements_of(OPEN)})
            writes.publish()
        with pytest.raises(NotVisible):  # that ingest does not contain what the branch has
            seen(store, topic, reader=someone())
        with writing(store, branch="topic") as writes:
            writes.access.set_statements({"a.md": statements_of(OPEN)})
            assert writes.has_changes()
            writes.publish()
        assert seen(store, topic, reader=someone()) == ["r:a.md"]
        assert store.verify().is_sound

    @pytest.mark.requirement(35)
    def test_the_default_branchs_access_file_covers_paths_it_never_held(self, store: Store) -> None:
        topic = SnapshotSelector("r", "topic")
        publish(store, document("a.md", "one"))
        publish(store, document("secret/x.md", "x", rule=OPEN), branch="topic")
        assert seen(store, topic, reader=someone()) == ["r:secret/x.md"]
        with writing(store) as writes:
            writes.access.set_file_rules(file_rules(("**", OPEN), ("secret/", STAFF)))
            assert writes.has_changes()
            writes.publish()
        with pytest.raises(NotVisible):
            seen(store, topic, reader=someone())
        assert seen(store, topic, reader=someone("staff")) == ["r:secret/x.md"]
        publish(store, document("secret/y.md", "y", rule=OPEN), branch="topic")
        assert seen(store, topic, reader=someone("staff")) == ["r:secret/x.md", "r:secret/y.md"]
        statement = of(store, "secret/y.md", "topic").statements[-1]
        assert (statement.source, statement.line, statement.text) == (
            "access.yaml of branch main",
            2,
            "secret/",
        )
        with writing(store) as writes:
            writes.access.set_file_rules(None)
            writes.publish()
        with writing(store, branch="topic") as writes:
            writes.access.set_statements({"secret/x.md": statements_of(OPEN)})
            writes.publish()
        assert seen(store, topic, reader=someone()) == ["r:secret/x.md", "r:secret/y.md"]

    @pytest.mark.requirement(73)
    def test_an_ingest_opens_the_versions_that_it_contains_and_no_older_ones(
        self, store: Store
    ) -> None:
        publish(store, document("a.md", "one", rule=STAFF), document("b.md", "b", rule=STAFF))
        with writing(store) as writes:
            write(writes, [document("a.md", "two", rule=OPEN)])
            writes.access.set_statements({"b.md": statements_of(OPEN)})
            writes.publish()
            changes = writes.access.changes()
        assert (changes.wider, changes.wider_readers, changes.narrower) == (2, (EVERYONE,), 0)
        old = SnapshotSelector("r", "main", 1)
        assert seen(store, reader=someone()) == ["r:a.md", "r:b.md"]
        assert seen(store, old, reader=someone()) == ["r:b.md"]
        assert seen(store, old, reader=someone("staff")) == ["r:a.md", "r:b.md"]
        assert of(store, "a.md").older == (VersionAccess(1, 1, STAFF),)
        assert of(store, "b.md").older == ()
        assert store.verify().is_sound

    @pytest.mark.requirement(73)
    def test_a_narrower_rule_counts_for_older_versions_for_good(self, store: Store) -> None:
        publish(store, document("a.md", "one", rule=OPEN), document("b.md", "b", rule=OPEN))
        publish(store, document("a.md", "two", rule=STAFF))
        old = SnapshotSelector("r", "main", 1)
        assert seen(store, old, reader=someone()) == ["r:b.md"]
        publish(store, document("a.md", "three", rule=OPEN))
        assert seen(store, old, reader=someone()) == ["r:b.md"]
        with writing(store) as writes:
            writes.documents.remove(["b.md"])
            writes.access.set_statements({"b.md": statements_of(STAFF)})
            writes.publish()
        assert seen(store, old, reader=someone("staff")) == ["r:a.md", "r:b.md"]
        with writing(store) as writes:
            writes.access.set_statements({"b.md": statements_of(OPEN)})
            writes.publish()
        with pytest.raises(NotVisible):
            seen(store, old, reader=someone())
        assert store.verify().is_sound

    @pytest.mark.requirement(37)
    def test_a_reset_with_history_opens_older_versions(self, store: Store) -> None:
        publish(store, document("a.md", "one", rule=STAFF))
        publish(store, document("a.md", "two", rule=OPEN))
        old = SnapshotSelector("r", "main", 1)
        set_manual_rule(store, "a.md", OPEN)
        assert seen(store, old, reader=someone()) == ["r:a.md"]
        set_manual_rule(store, "a.md", None)
        with pytest.raises(NotVisible):
            seen(store, old, reader=someone())
        with store.access_policy("local") as policies:
            policies.reset("r", ("a.md",), history=True)
        assert seen(store, old, reader=someone()) == ["r:a.md"]
        assert store.verify().is_sound

    @pytest.mark.requirement(73)
    def test_a_closed_text_that_comes_back_stays_closed_unless_it_may_be_opened(
        self, store: Store
    ) -> None:
        publish(store, document("a.md", "secret", rule=STAFF))
        publish(store, document("a.md", "harmless", rule=OPEN))
        for branch in ("main", "topic"):
            with writing(store, branch=branch) as writes:
                write(writes, [document("a.md", "secret", rule=OPEN)])
                writes.access.set_statements({}, may_open=False)
                writes.publish()
            selector = SnapshotSelector("r", branch)
            with pytest.raises(NotVisible):
                seen(store, selector, reader=someone())
            assert seen(store, selector, reader=someone("staff")) == ["r:a.md"]
            with writing(store, branch=branch) as writes:
                writes.access.set_statements({}, may_open=False)
                assert not writes.has_changes()
        with writing(store) as writes:
            writes.access.set_statements({})
            assert writes.has_changes()
            writes.publish()
        assert seen(store, SnapshotSelector("r", "main"), reader=someone()) == ["r:a.md"]
        assert store.verify().is_sound

    @pytest.mark.requirement(73)
    def test_a_text_that_is_only_read_anew_is_not_a_closed_one_that_comes_back(
        self, store: Store
    ) -> None:
        """As after an update of docgraph: the same text is a new version."""

        def read_anew(fingerprint: str) -> None:
            with writing(store) as writes:
                write(writes, [replace(text, fingerprint=fingerprint)])
                writes.access.set_statements({}, may_open=False)
                writes.publish()

        text = document("a.md", "text", rule=STAFF)
        publish(store, text)
        read_anew("2")
        with writing(store) as writes:
            writes.access.set_statements({"a.md": statements_of(OPEN)})
            writes.publish()
        text = document("a.md", "text", rule=OPEN)
        read_anew("3")
        assert seen(store, SnapshotSelector("r", "main"), reader=someone()) == ["r:a.md"]

    @pytest.mark.requirement(73)
    def test_a_branch_knows_the_source_that_it_is_filled_from(self, store: Store) -> None:
        here, there = SourceLocation("/srv/here"), SourceLocation("/srv/there", "main")
        with writing(store) as writes:
            assert (writes.is_first, writes.source) == (True, None)
            write(writes, [document("a.md", "one")])
            writes.set_source(here)
            writes.publish()
        with writing(store) as writes:
            assert (writes.is_first, writes.source) == (False, here)
        publish(store, document("a.md", "two"))
        publish(store, document("a.md", "two"), branch="topic")
        with store.access_policy("local") as policies:
            assert policies.sources() == (
                BranchSource("r", "main", here),
                BranchSource("r", "topic", None),
            )
            policies.set_source("r", "main", there)
            assert policies.sources("r")[0].source == there
            with pytest.raises(NotVisible):
                policies.set_source("r", "absent", there)
        with store.access_policy("elsewhere") as policies:
            assert policies.sources() == ()
            with pytest.raises(NotVisible):
                policies.set_source("r", "main", here)

    @pytest.mark.requirement(35)
    def test_no_name_makes_a_branch_the_default_one(self, store: Store) -> None:
        """The first published branch is the default until an administrator names another."""
        publish(store, document("a.md", "one", rule=STAFF), branch="trunk")
        publish(store, document("a.md", "one", rule=OPEN))
        main = SnapshotSelector("r", "main")
        with pytest.raises(NotVisible):
            seen(store, main, reader=someone())
        with store.access_policy("local") as policies:
            policies.set_default_branch("r", "main")
        assert seen(store, main, reader=someone()) == ["r:a.md"]
        assert [statement.source for statement in of(store, "a.md", "trunk").statements] == [
            "ingest options",
            "ingest options of branch main",
        ]
        with store.access_policy("local") as policies, pytest.raises(NotVisible):
            policies.set_default_branch("r", "absent")

    @pytest.mark.requirement(35)
    def test_statements_of_a_failed_ingest_do_not_count(self, store: Store) -> None:
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
    def test_revoked_groups_stay_revoked_whatever_files_state(self, store: Store) -> None:
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
        assert of(store, "a.md").manual == ManualRule(closed=True)

    def test_of_several_paths_all_are_revoked_or_none(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        with store.access_policy("local") as policies:
            with pytest.raises(NotVisible):
                policies.revoke("r", ("a.md", "z.md"), frozenset())
            with pytest.raises(BadInput, match="may be read by local, so board cannot"):
                policies.revoke("r", ("a.md",), frozenset({"board"}))
        assert seen(store) == ["r:a.md"]

    @pytest.mark.requirement(37)
    def test_a_manual_rule_stays_with_its_path(self, store: Store) -> None:
        """Also where its text has moved to another path."""
        publish(store, document("a.md", "one"), document("b.md", "b"))
        set_manual_rule(store, "a.md", STAFF)
        with writing(store) as writes:
            write(writes, [document("new.md", "one")])
            writes.documents.remove(["a.md"])
            writes.publish()
        assert seen(store) == ["r:b.md", "r:new.md"]
        assert of(store, "new.md").manual is None
        assert of(store, "a.md").manual == ManualRule(STAFF)

    @pytest.mark.requirement(37)
    def test_a_name_is_the_same_in_every_unicode_form(self, store: Store) -> None:
        composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
        publish(store, document(decomposed, "one"), document("b.md", "b"))
        revoke(store, composed)
        assert seen(store) == ["r:b.md"]
        with writing(store) as writes:
            write(writes, [document(composed, "one")])
            writes.documents.remove([decomposed])
            writes.publish()
        assert seen(store) == ["r:b.md"]

    @pytest.mark.requirement(37)
    def test_a_manual_rule_without_a_document_is_listed_and_can_be_reset(
        self, store: Store
    ) -> None:
        publish(store, document("a.md", "one"), document("b.md", "b"))
        set_manual_rule(store, "a.md", OPEN)
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        store.prune("local", "r", "main", 1)
        with store.access_policy("local") as policies:
            left = next(one for one in policies.documents() if one.path == "a.md")
            assert (left.branch, left.manual, left.rule) == ("", ManualRule(OPEN), OPEN)
            policies.reset("r", ("a.md",))
            assert [one.path for one in policies.documents()] == ["b.md"]
        publish(store, document("a.md", "secret", rule=STAFF))
        assert seen(store, reader=someone()) == []

    def test_rules_are_counted_over_the_newest_snapshot(self, store: Store) -> None:
        publish(store, document("a.md", "a"), document("b.md", "b"), document("c.md", "c"))
        with writing(store) as writes:
            writes.documents.remove(["c.md"])
            writes.access.set_statements({"b.md": statements_of(STAFF)})
            writes.publish()
        with store.access_policy("local") as policies:
            counted = {
                one.rule: (one.documents, one.example) for one in policies.rules("r", "main")
            }
        assert counted == {LOCAL_ONLY: (1, "a.md"), STAFF: (1, "b.md")}

    def test_statements_on_removed_documents_are_kept(self, store: Store) -> None:
        publish(store, document("a.md", "one", rule=STAFF), document("b.md", "b"))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        with writing(store) as writes:
            assert writes.access.statements() == {
                "a.md": statements_of(STAFF),
                "b.md": statements_of(LOCAL_ONLY),
            }
            writes.access.set_statements({"a.md": statements_of(NOWHERE)})
            writes.publish()
        old = SnapshotSelector("r", "main", 1)
        assert seen(store, old, reader=someone("staff", "local")) == ["r:b.md"]

    def test_the_next_ingest_reads_the_stored_statements(self, store: Store) -> None:
        statement = AccessStatement(FRONT_MATTER, 2, "what it says", STAFF)
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.access.set_statements({"a.md": (statement,)})
            writes.publish()
        with writing(store) as writes:
            assert writes.access.statements()["a.md"] == (statement,)
            writes.access.set_statements({"a.md": (statement,)})
            assert not writes.has_changes()

    @pytest.mark.requirement(34)
    def test_the_policy_store_of_one_tenant_shows_nothing_of_another(self, store: Store) -> None:
        publish(store, document("a.md", "one"))
        publish(store, document("b.md", "two"), repository="r", tenant="elsewhere")
        with store.access_policy("local") as policies:
            assert [one.path for one in policies.documents()] == ["a.md"]
            policies.add_person(Person("ann", "local"))
        with store.access_policy("elsewhere") as policies:
            assert [one.path for one in policies.documents()] == ["b.md"]
            assert policies.people() == ()

    def test_paths_of_every_snapshot_are_listed_and_nothing_unpublished(self, store: Store) -> None:
        publish(store, document("a.md", "one"), document("h.md", "hidden", rule=HIDDEN))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            write(writes, [document("new.md", "new")])
            with store.access_policy("local") as policies:
                assert [one.path for one in policies.documents("r")] == ["a.md", "h.md"]
            writes.publish()
        with store.access_policy("local") as policies:
            assert [one.path for one in policies.documents()] == ["a.md", "h.md", "new.md"]
            with pytest.raises(NotVisible, match="no repository 's'; known: r"):
                policies.documents("s")

    @pytest.mark.requirement(38)
    def test_people_are_added_replaced_and_removed(self, store: Store) -> None:
        ann = Person("ann", "local", frozenset({"staff"}), frozenset({"eu"}), 2, frozenset())
        bob = Person("bob", "local", rights=frozenset({"auditor"}))
        with store.access_policy("local") as policies:
            policies.add_person(bob)
            policies.add_person(Person("ann", "local"))
            policies.add_person(ann)
            assert policies.people() == (ann, bob)
            assert policies.remove_person("bob")
            assert not policies.remove_person("bob")
        with store.access_policy("local") as policies:
            assert policies.people() == (ann,)
