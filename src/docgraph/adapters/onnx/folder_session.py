"""Opens the ONNX model of a folder, with the tensors that lie beside it."""

from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.adapters.onnx.session import Session, open_session
from docgraph.model.errors import ModelError

MODEL_FILES = ("model.onnx", "onnx/model.onnx")


def open_folder_session(folder: ModelFolder) -> Session:
    file = next((file for file in MODEL_FILES if folder.has(file)), None)
    if file is None:
        raise ModelError(f"{folder.path}: holds neither {' nor '.join(MODEL_FILES)}")
    data = folder.read(file)
    return open_session(folder.name, data, files=folder.tensors_of(file, data))
