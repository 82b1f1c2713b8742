"""The `docgraph` command, ready at once: each is a fork of a process that has imported everything.

A command has its caller's arguments, folder, environment, standard streams and exit code. Run as a
script with a folder, this puts a `docgraph` for the PATH there, and lasts as long as its own
standard input.
"""

import json
import os
import pkgutil
import select
import shlex
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path

import docgraph
from docgraph.interfaces.cli.main import main

LATE = ("rich.console", "rich.tree", "tokenizers")  # not onnxruntime: its threads outlive no fork
FRAMEWORKS = frozenset(
    f"docgraph.integrations.{name}" for name in ("haystack", "langchain", "llamaindex")
)
CALL = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    socket.send_fds(line, [b"!"], [0, 1, 2])
    line.sendall(json.dumps([os.getcwd(), sys.argv[2:], dict(os.environ)]).encode())
    line.shutdown(socket.SHUT_WR)
    sys.exit(int(line.recv(9) or 99))
"""


def stand_ready(folder: Path) -> socket.socket:
    for module in pkgutil.walk_packages(docgraph.__path__, "docgraph."):
        if module.name not in FRAMEWORKS:  # no command needs them
            import_module(module.name)
    for name in LATE:
        import_module(name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "line"))
    listener.listen()
    words = shlex.join([sys.executable, "-IS", "-c", CALL, str(folder / "line")])
    command = folder / "docgraph"
    command.write_text(f'#!/bin/sh\nexec {words} "$0" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return listener


def await_commands(listener: socket.socket) -> bool:
    """True once for every command, in a process of its own; False in the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        line, _ = listener.accept()
        if os.fork() == 0:
            serve_command(line)
            return True
        line.close()
    return False


def serve_command(line: socket.socket) -> None:
    """Returns in the process that is to carry the command out; another one tells how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    command = os.fork()
    if command:
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        line.sendall(str(code if code >= 0 else 128 - code).encode())
        # Taking modules apart would take longer than the command, whose streams are open here.
        os._exit(0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    with line, line.makefile("rb") as rest:
        place, sys.argv, environment = json.load(rest)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)


if __name__ == "__main__":
    with stand_ready(Path(sys.argv[1])) as open_line:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        asked = await_commands(open_line)
    if asked:
        try:
            main()
        except SystemExit as end:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 0 if end.code is None else 1)
