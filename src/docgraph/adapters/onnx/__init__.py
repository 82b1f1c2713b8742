"""Models that run here: the embedder that comes along, and any ONNX folder."""
