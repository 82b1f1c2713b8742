"""Postings told by names: handles and places are a store's own numbers."""

from typing import NamedTuple

from docgraph.ports.search_reads import Postings, SearchReads


class ToldTerm(NamedTuple):
    """Side by side, for each passage that the term is in."""

    term: str
    owners: list[str]
    frequencies: list[int]
    lengths: list[int]

    def rows(self) -> list[tuple[str, int, int]]:
        return sorted(zip(self.owners, self.frequencies, self.lengths, strict=True))


class Told(NamedTuple):
    passages: int
    words: int
    terms: list[ToldTerm]


def told(search: SearchReads, postings: Postings) -> Told:
    passages = postings.passages
    return Told(
        len(passages.lengths),
        passages.words,
        [
            ToldTerm(
                one.term,
                search.names(passages.owners.rows[one.places]),
                one.frequencies.tolist(),
                passages.lengths[one.places].astype(int).tolist(),
            )
            for one in postings.terms
        ],
    )


def told_of(search: SearchReads, terms: tuple[str, ...], *, roll_up: bool) -> Told:
    return told(search, search.postings(terms, roll_up=roll_up))
