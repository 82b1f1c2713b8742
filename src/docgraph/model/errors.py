"""Every error docgraph raises on purpose: each says where, what, and what would fit."""


class DocgraphError(Exception):
    """Something docgraph refuses, in words meant for the person who asked."""


class BadInput(DocgraphError):
    """The caller handed over something that cannot be used."""


class NotVisible(DocgraphError):
    """No such thing is visible to this reader; absent and forbidden read the same."""


class NotAllowed(DocgraphError):
    """The principal lacks the right that this needs."""


class NotKnown(DocgraphError):
    """No credential, or one that proves nobody; why is for the operator, not for whoever came."""


class GivenUp(DocgraphError):
    """Nobody waits for the answer any more."""


class TookTooLong(GivenUp):
    """It took longer than it may."""


class MissingExtra(DocgraphError, ImportError):
    """What was asked for needs a library that is not installed; says which extra brings it."""


class BadPipeline(DocgraphError):
    """A pipeline file does not keep the contract of its actions."""


class BadPlan(DocgraphError):
    """A plan is malformed, edited into nonsense, or made by another embedder."""


class ContractBroken(DocgraphError):
    """An action returned something that its own contract rules out."""


class NotPlanned(DocgraphError):
    """Execution was asked for text that the plan does not name."""


class StoreError(DocgraphError):
    """The store cannot be used as it is."""


class WrongSchema(StoreError):
    """The store was written by another version of docgraph."""


class StoreBusy(StoreError):
    """Another ingest holds this store."""


class StoreFull(StoreError):
    """The disk is full; nothing of the unfinished write is visible."""


class WrongEmbedder(StoreError):
    """The snapshot was embedded by another model."""


class ModelError(DocgraphError):
    """A model cannot be loaded, or its server does not answer as it should."""


class TooLong(ModelError):
    """What would be sent does not fit into the model's window; nothing was sent."""
