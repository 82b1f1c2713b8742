"""Where the command line begins: errors become words and exit codes."""

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

from docgraph.interfaces.terminal import escape_streams
from docgraph.model.errors import DocgraphError

_TURN = 0.0005  # seconds
_ASKING = frozenset({"ask", "search", "plan", "context", "explain", "why", "why-not", "diff"})


def main() -> None:
    # Without this, pydantic looks through every installed package for plugins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    escape_streams()
    try:
        if sys.argv[1:2] and sys.argv[1] in _ASKING and "--help" not in sys.argv:
            begin_to_load(embedder=not any(map(_names_pipeline, sys.argv[2:])))
            from docgraph.interfaces.cli.direct import run_directly

            if run_directly(sys.argv[1:]):
                sys.exit()
        from docgraph.interfaces.cli.app import app

        app()
    except BrokenPipeError:
        # The reader of our output left; that is not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (DocgraphError, OSError) as error:
        if "--json" in sys.argv:
            import json

            print(json.dumps({"error": {"kind": type(error).__name__, "message": str(error)}}))
        else:
            print(f"docgraph: {error}", file=sys.stderr)
        sys.exit(1)
    finally:
        gc.freeze()  # a process that ends here need not look for garbage once more


def _names_pipeline(word: str) -> bool:
    """One may search by words alone; that is known when it was read."""
    return word.startswith(("-p", "--pipeline"))


def begin_to_load(*, embedder: bool = True) -> None:
    """The embedder takes longest, so it loads while the command line and the engine do.

    They take turns more often than usual, and nobody looks for garbage in what is loaded to stay.
    """
    gc.disable()
    # Further threads of OpenBLAS take processor time even while they wait.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(_TURN)
    if not embedder:
        return
    from docgraph.wiring.models import preload_embedder
    from docgraph.wiring.settings import read_settings

    with suppress(DocgraphError):  # of a setting that cannot be read the command itself will tell
        preload_embedder(read_settings(os.environ, Path.cwd()))


if __name__ == "__main__":
    main()
