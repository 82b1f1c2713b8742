"""A process that ingests the same texts as others do, in an order of its own: DSN, branch, rounds.

Some documents have rules that only they have, so that every round makes new ones.
"""

import random
import sys

from docgraph.adapters.postgres.pool import Pool
from docgraph.model.access import LOCAL, AccessRule
from docgraph.model.document import Document
from tests.conformance.store_rules import writing
from tests.faults.fault_store import open_store
from tests.support.small_world import document, reference, write

DOCUMENTS = 12
BATCH = 4


def make_document(number: int, round_: int) -> Document:
    groups = frozenset({LOCAL, f"group {number} {round_}"})
    return document(
        f"{number}.md",
        f"text {number} {round_ % 3}",
        rule=AccessRule(LOCAL, groups),
        references=[reference(f"r:{number}.md", f"doc:{round_}")],
    )


def main() -> None:
    dsn, branch, rounds = sys.argv[1:]
    store = open_store(Pool(dsn), wait=60)
    order = random.Random(branch)
    for round_ in range(int(rounds)):
        documents = [make_document(number, round_) for number in range(DOCUMENTS)]
        order.shuffle(documents)
        with writing(store, branch=branch) as writes:
            batch = BATCH if round_ % 2 else DOCUMENTS
            for start in range(0, DOCUMENTS, batch):
                write(writes, documents[start : start + batch])
            writes.publish()


if __name__ == "__main__":
    main()
