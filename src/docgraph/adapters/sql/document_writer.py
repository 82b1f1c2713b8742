"""Writing documents: their text, nodes, chunks and names, many rows at a time."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from docgraph.adapters.indexes.segment_writer import SegmentWriter
from docgraph.adapters.sql.database import FOREVER, Database
from docgraph.model.document import Document
from docgraph.model.node import Location
from docgraph.model.reference import Reference
from docgraph.ports.writes import EmbeddedDocument, text_key

Values = dict[str, object]


class DocumentWriter:
    """Each method runs inside its caller's transaction."""

    def __init__(self, database: Database, tenant: str, branch: int, born: int) -> None:
        self._database = database
        self._sql = database.queries("writes.sql")
        self._tenant = tenant
        self._branch = branch
        self._born = born
        self.segments = SegmentWriter(database, branch, born)

    def put(
        self,
        documents: Sequence[EmbeddedDocument],
        numbers: Mapping[str, int],
        classes: Mapping[str, int],
    ) -> None:
        """`numbers` are the stored vectors' by key; `classes` the documents' by path, for a store
        whose rows carry them. Of two with one path, the last counts."""
        documents = list({found.document.path: found for found in documents}.values())
        placed = list(self._placed(documents, classes))
        texts = self._texts(documents)
        self.end(found.document.path for found in documents)
        for query, rows in (
            ("add_document", (self._document(one, texts) for one in placed)),
            ("add_node", (row for one in placed for row in self._nodes(one))),
            ("add_chunk", (row for one in placed for row in _chunks(one, numbers))),
            ("add_offer", (row for one in placed for row in _offers(one))),
            ("add_claim", (row for one in placed for row in one.claims())),
        ):
            self._sql.many(query, rows)
        for one in placed:
            self.segments.add(
                one.ordinal,
                one.document,
                one.handles,
                one.found.chunk_texts,
                [numbers[key] for key in one.found.chunk_keys],
                one.found.node_vectors,
                group=one.group,
            )

    def _placed(
        self, documents: Sequence[EmbeddedDocument], classes: Mapping[str, int]
    ) -> Iterator["Placed"]:
        ordinals = self._taken("next_ordinals", len(documents))
        handles = iter(
            self._taken("next_handles", sum(len(found.document.nodes) for found in documents))
        )
        for found, ordinal in zip(documents, ordinals, strict=True):
            named = {node.id: next(handles) for node in found.document.nodes}
            group = classes.get(found.document.path, 0)
            yield Placed(found, ordinal, self._branch, group, named)

    def end(self, paths: Iterable[str]) -> None:
        """The newest versions of paths, where there are some, do not live in the new snapshot."""
        self._sql.many(
            "end_document",
            (
                {"branch": self._branch, "path": p, "snapshot": self._born, "forever": FOREVER}
                for p in paths
            ),
        )

    def add_claims(self, claims: Mapping[str, Sequence[Reference]]) -> None:
        """By path of a living document; what is claimed already stays."""
        living = self._sql.rows(
            "living_documents", branch=self._branch, paths=list(claims), forever=FOREVER
        )
        self._sql.many(
            "add_claim",
            (
                row
                for path, ordinal, _, group in living
                for row in _claims(
                    {"document": ordinal, "branch": self._branch, "class": group}, claims[path]
                )
            ),
        )

    def _taken(self, query: str, many: int) -> list[int]:
        """Numbers that nobody else has."""
        return [number for (number,) in self._sql.rows(query, many=many)]

    def _texts(self, documents: Sequence[EmbeddedDocument]) -> dict[str, int]:
        """The texts' numbers by key; they are stored once."""
        texts = {text_key(found.document.text): found.document.text for found in documents}
        rows = ({"tenant": self._tenant, "hash": k, "text": texts[k]} for k in sorted(texts))
        self._sql.many("add_content", rows)
        return dict(self._sql.rows("content_ids", tenant=self._tenant, hashes=list(texts)))

    def _document(self, one: "Placed", texts: Mapping[str, int]) -> Values:
        document = one.document
        return {
            **one.place,
            "ordinal": one.ordinal,
            "path": document.path,
            "id": document.id,
            "content": texts[text_key(document.text)],
            "fingerprint": document.fingerprint,
            "opaque": document.unresolved_calls,
            "source_lines": json.dumps(document.source_lines) if document.source_lines else "",
            "born": self._born,
            "died": FOREVER,
        }

    def _nodes(self, one: "Placed") -> Iterator[Values]:
        for node, vector in zip(one.document.nodes, one.found.node_vectors, strict=True):
            yield {
                **one.place,
                "handle": one.handles[node.id],
                "id": node.id,
                "kind": node.kind,
                "title": node.title,
                "summary": node.summary,
                "parent": node.parent,
                **_span(node.source),
                "vector": self._database.vector(vector),
            }


@dataclass(frozen=True, slots=True)
class Placed:
    """A document that is about to be written, and the numbers it has got."""

    found: EmbeddedDocument
    ordinal: int
    branch: int
    group: int
    handles: dict[str, int]

    @property
    def document(self) -> Document:
        return self.found.document

    @property
    def place(self) -> Values:
        return {"document": self.ordinal, "branch": self.branch, "class": self.group}

    def claims(self) -> Iterator[Values]:
        return _claims(self.place, self.document.references)


def _chunks(one: Placed, numbers: Mapping[str, int]) -> Iterator[Values]:
    for chunk, key in zip(one.document.chunks, one.found.chunk_keys, strict=True):
        yield {
            **one.place,
            "position": chunk.position,
            "id": chunk.id,
            "node": chunk.node,
            "heading_path": json.dumps(chunk.heading_path, ensure_ascii=False),
            **_span(chunk.location),
            "vector": numbers[key],
        }


def _offers(one: Placed) -> Iterator[Values]:
    """Each once, with its best rank."""
    ranks: dict[tuple[str, str], int] = {}
    for definition in one.document.definitions:
        same = (definition.key, definition.suffix)
        ranks[same] = min(definition.rank, ranks.get(same, definition.rank))
    for (key, suffix), rank in ranks.items():
        yield {**one.place, "key": key, "suffix": suffix, "rank": rank}


def _claims(place: Values, references: Iterable[Reference]) -> Iterator[Values]:
    for reference in references:
        target = reference.target
        yield {
            **place,
            "relation": reference.relation,
            "start": reference.start,
            "key": target.key,
            "inner": target.inner,
            "suffix": reference.suffix,
            "stop": reference.end,
            "line": reference.line,
            "says": reference.text,
            "miner": reference.miner,
            "strict": int(target.strict),
            "rank": target.rank,
            "near": target.near,
            "reported": int(target.reported),
        }


def _span(location: Location) -> Values:
    return {
        "first_line": location.first_line,
        "last_line": location.last_line,
        "start": location.start,
        "stop": location.end,
        "page": location.page,
    }
