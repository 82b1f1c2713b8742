"""docgraph: evidence for language models, with a proof for every piece of it."""

from docgraph.model.errors import DocgraphError

TYPE_CHECKING = False  # as checkers know it; importing typing would take longer than all the rest
if TYPE_CHECKING:
    import os

    from docgraph.interfaces.python.docgraph import Docgraph
    from docgraph.model.access import Person

__version__ = "0.1.0"
__all__ = ["Docgraph", "DocgraphError", "Person", "__version__"]  # `import *` leaves open() alone


def open(store: "str | os.PathLike[str] | None" = None) -> "Docgraph":  # noqa: A001
    """A store, ready to be asked: a SQLite file's path or a postgresql:// address.

    Without one, and for all else, settings count as they do for the command line. A file that is
    not there yet is made by the first ingest. Nothing is read before the first question.
    """
    from docgraph.interfaces.python.docgraph import Docgraph

    return Docgraph(store)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Imported when first named, so that `import docgraph` costs next to nothing."""
        if name == "Docgraph":
            from docgraph.interfaces.python.docgraph import Docgraph

            return Docgraph
        if name == "Person":
            from docgraph.model.access import Person

            return Person
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
