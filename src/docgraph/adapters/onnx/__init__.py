"""Models that run in this process: the default embedder, and any ONNX folder."""
