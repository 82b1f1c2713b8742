"""Makes a model's answer an integer vector, or says why it cannot be one."""

import numpy as np
import numpy.typing as npt

from docgraph.model.errors import ModelError
from docgraph.model.vector import LARGEST, IntVector, to_integers


def answered_vector(name: str, answer: npt.NDArray[np.floating]) -> IntVector:
    if len(answer) > LARGEST:
        raise ModelError(
            f"{name}: vectors of {len(answer)} dimensions; "
            f"dot products are exact up to {LARGEST}, so fewer would fit"
        )
    if not np.isfinite(answer).all():
        raise ModelError(f"{name}: a vector holds values that are not finite numbers")
    return to_integers(answer)
