"""How a model folder wants its texts read: its pooling, first position and longest text."""

from docgraph.adapters.onnx.model import Pooling
from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.model.errors import ModelError

POOLING = "1_Pooling/config.json"
POOLINGS: dict[str, Pooling] = {"cls_token": "cls", "mean_tokens": "mean"}
PLAIN_MODULES = ("Transformer", "Pooling", "Normalize")
AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")  # whose positions start there
MAX_LENGTH = 512


def pooling(folder: ModelFolder) -> Pooling:
    """Mean where the folder says nothing, as sentence-transformers does."""
    _refuse_further_modules(folder)
    settings = folder.settings(POOLING)
    prefix = "pooling_mode_"
    modes = [key.removeprefix(prefix) for key, on in settings.items() if on and prefix in key]
    if not modes:
        return "mean"
    if len(modes) > 1 or modes[0] not in POOLINGS:
        known = " or ".join(POOLINGS)
        raise ModelError(f"{folder.path / POOLING}: {' with '.join(modes)}; {known} would fit")
    return POOLINGS[modes[0]]


def first_position(folder: ModelFolder) -> int:
    config = folder.settings("config.json")
    padding = config.get("pad_token_id")
    if config.get("model_type") in AFTER_PADDING:
        return padding + 1 if isinstance(padding, int) else 2
    return 0


def max_length(folder: ModelFolder) -> int:
    """The smallest of what the folder's files allow, special tokens included."""
    places = (
        ("sentence_bert_config.json", "max_seq_length", 0),
        ("tokenizer_config.json", "model_max_length", 0),
        ("config.json", "max_position_embeddings", first_position(folder)),
    )
    found = ((folder.settings(file).get(key), less) for file, key, less in places)
    lengths = [length - less for length, less in found if isinstance(length, int)]
    return max(1, min(lengths, default=MAX_LENGTH))


def _refuse_further_modules(folder: ModelFolder) -> None:
    """Layers after pooling are not in the graph; leaving them out would give other vectors."""
    for module in folder.listed("modules.json"):
        kind = str(module.get("type")) if isinstance(module, dict) else str(module)
        if kind.rpartition(".")[2] not in PLAIN_MODULES:
            known = ", ".join(PLAIN_MODULES)
            raise ModelError(f"{folder.path}: has a module {kind}; {known} would fit")
