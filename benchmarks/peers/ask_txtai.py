"""txtai: a hybrid index with its content, as its own examples make one.

Beyond 5,000 rows its index of vectors looks at a part of them, and may miss some of the nearest.
"""

import numpy as np
from txtai import Embeddings

from benchmarks.generated_chunks import Rows
from benchmarks.peers.peer_input import TOP, Ask, PeerInput


def ask_txtai(given: PeerInput) -> Ask:
    def look_up(texts: list[str]) -> Rows:
        return np.array([given.vector(text) for text in texts], dtype=np.float32)

    index = Embeddings(method="external", transform=look_up, hybrid=True, content=True)
    index.index((str(position), text, None) for position, text in enumerate(given.chunks.texts))
    return lambda asked: [one["text"] for one in index.search(asked.text, TOP)]
