"""Runs of the state machine, reproducible by number."""

from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.stateful import run_state_machine_as_test

from tests.interference.machine import NoInterference
from tests.interference.store_factories import StoreFactory, on_sqlite

# Each leak that tests plant is found in the first 45 of these runs. Hypothesis orders a machine's
# rules by name, so that a renamed rule gives other runs: then choose a number anew.
NUMBER = 7
EXAMPLES, THOROUGH = 250, 1_000  # in each shard of `make test`, and of `make check`


class RandomProvider(HypothesisProvider):
    """Every run is drawn anew, where Hypothesis would try five variations of each; and by its
    number alone, where Hypothesis would try constants out of whatever modules are imported."""

    def _maybe_draw_constant(self, *_: object, **__: object) -> None:
        return None


AVAILABLE_PROVIDERS["by chance"] = f"{RandomProvider.__module__}.{RandomProvider.__qualname__}"


def prove(
    number: int,
    examples: int,
    *,
    steps: int = 4,
    phases: Sequence[Phase] = (Phase.generate,),
    store_factory: StoreFactory = on_sqlite,
    machine: type[NoInterference] = NoInterference,
) -> None:
    """Runs the machine this often. The same number gives the same runs; the opening is a step."""
    numbered = seed(number)(
        type(machine.__name__, (machine,), {"store_factory": staticmethod(store_factory)})
    )
    results = settings(
        max_examples=examples,
        stateful_step_count=steps,
        phases=phases,
        backend="by chance",
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(numbered, settings=results)
