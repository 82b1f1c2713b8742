"""The errors that docgraph raises: each message says where, what, and what would fit."""


class DocgraphError(Exception):
    """The base of them all; its message is meant for the user."""


class BadInput(DocgraphError):
    """An argument or a file from the caller is invalid."""


class WrongSource(BadInput):
    """A branch is filled from another source; `location` is where that lies."""

    def __init__(self, message: str, location: str) -> None:
        super().__init__(message)
        self.location = location


class SourceChanged(DocgraphError):
    """Files changed while they were read; nothing was published, and trying again helps."""


class NotVisible(DocgraphError):
    """Nothing of this name is visible to the reader; absent and forbidden look the same."""


class NotAuthorized(DocgraphError):
    """The principal lacks the right that this needs."""


class NotAuthenticated(DocgraphError):
    """No credential, or an invalid one. The reason is logged, not sent to the client."""


class Cancelled(DocgraphError):
    """The request was cancelled: its client no longer waits."""


class DeadlineExceeded(Cancelled):
    """The request's deadline has passed."""


class MissingExtra(DocgraphError, ImportError):
    """A library is not installed; the message names the extra that contains it."""


class BadPipeline(DocgraphError):
    """A pipeline file is invalid, or does not fit the contracts of its actions."""


class BadPlan(DocgraphError):
    """A plan is malformed, inconsistent, or made by another embedder."""


class ContractViolation(DocgraphError):
    """An action returned a value that its contract does not allow."""


class PreconditionViolation(ContractViolation):
    """An action was given a value that its contract refuses."""


class NotPlanned(DocgraphError):
    """Execution requested a text that the plan does not name."""


class StoreError(DocgraphError):
    """The store cannot be used in its present state."""


class DamagedStore(StoreError):
    """What is stored is not what docgraph wrote."""


class WrongSchema(StoreError):
    """The store was written by another version of docgraph."""


class StoreBusy(StoreError):
    """Another ingest has locked this store."""


class StoreFull(StoreError):
    """The disk is full; nothing of the unfinished write is visible."""


class WrongEmbedder(StoreError):
    """The snapshot was embedded by another model."""


class NotEmbedded(DocgraphError):
    """A search needs vectors, and what is visible has none yet."""


class ParserError(DocgraphError):
    """No process for parsing files can be started."""


class ModelError(DocgraphError):
    """A model cannot be loaded, or its server does not answer as it should."""


class ContextWindowExceeded(ModelError):
    """The prompt does not fit into the model's context window; nothing was sent."""
