"""Writers of one branch follow each other, and readers wait for none of them."""

import threading
from collections.abc import Callable

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.model.errors import StoreBusy
from docgraph.ports.store import Store
from tests.conformance.store_rules import writing
from tests.support.small_world import document, write

Patient = Callable[[float], Store]  # opens the one store; it waits so many seconds for others


class QueueRules:
    def test_a_second_ingest_waits_and_both_are_published(self, patient: Patient) -> None:
        store = patient(30)
        inside = threading.Event()

        def second() -> None:
            inside.wait(60)
            with writing(store) as writes:
                write(writes, [document("b.md", "two")])
                writes.publish()

        other = threading.Thread(target=second)
        other.start()
        with writing(store) as writes:
            inside.set()
            write(writes, [document("a.md", "one")])
            writes.publish()
        other.join(60)
        with store.open_session(local()) as reads:
            assert reads.scope.snapshots[0].snapshot == 2
            assert reads.counts() == {"nodes.document": 2, "chunks": 2}

    def test_an_ingest_that_waits_too_long_says_so(self, patient: Patient) -> None:
        first, second = patient(5), patient(0.1)
        with writing(first), pytest.raises(StoreBusy, match="another ingest"), writing(second):
            pass

    @pytest.mark.requirement(9)
    def test_readers_never_wait_for_an_ingest(self, patient: Patient) -> None:
        store = patient(5)
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.publish()
        with writing(store) as writes:
            write(writes, [document("b.md", "two")])
            with store.open_session(local()) as before:
                assert before.counts()["chunks"] == 1
                writes.publish()
                assert before.counts()["chunks"] == 1
            with store.open_session(local()) as after:
                assert after.counts()["chunks"] == 2
