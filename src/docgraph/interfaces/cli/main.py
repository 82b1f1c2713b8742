"""Where the command line begins: errors become words and exit codes."""

import gc
import os
import sys
from collections.abc import Sequence
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
            begin_to_load(sys.argv[2:])
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


def begin_to_load(words: Sequence[str]) -> None:
    """The embedder takes longest, so it loads while the command line and the engine do.

    They take turns more often than usual, and nobody looks for garbage in what is loaded to stay.
    Another pipeline may search by words alone; that is known when it was read.
    """
    gc.disable()
    # Further threads of OpenBLAS take processor time even while they wait.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(_TURN)
    if any(word.startswith(("-p", "--pipeline")) for word in words):
        return
    from docgraph.wiring.models import preload_question_embedder
    from docgraph.wiring.settings import read_settings

    with suppress(DocgraphError):  # of a setting that cannot be read the command itself will tell
        preload_question_embedder(read_settings(os.environ, Path.cwd(), _store_of(words)))


def _store_of(words: Sequence[str]) -> str | None:
    for word, following in zip(words, (*words[1:], ""), strict=True):
        name, separator, value = word.partition("=")
        if name == "--store":
            return value if separator else following
    return None


if __name__ == "__main__":
    main()
