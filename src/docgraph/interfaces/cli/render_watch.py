"""Renders what a watcher does: one line for each snapshot, or one JSON object in a line."""

import json
import sys
from typing import TYPE_CHECKING

from docgraph.interfaces.cli.output import echo, print_json_text
from docgraph.model.digest import plain

if TYPE_CHECKING:
    from docgraph.ingest.result import IngestResult
    from docgraph.interfaces.watch.events import WatchEvent
    from docgraph.model.snapshot import SnapshotName
    from docgraph.ports.source_states import BranchKey


class WatchPrinter:
    """Snapshots on standard output, problems on standard error. `quiet` prints problems alone."""

    def __init__(self, *, json: bool, quiet: bool) -> None:
        self._json = json
        self._quiet = quiet
        self._current: set[tuple[str, str]] = set()  # paths and branches that were ingested

    def begin(self, folders: int) -> None:
        what = "1 path" if folders == 1 else f"{folders} paths"
        self._line({"event": "watching", "paths": folders}, f"watching {what}; Ctrl-C ends it")

    def end(self) -> None:
        self._line({"event": "stopped"}, "stopped")

    def show(self, event: "WatchEvent") -> None:
        if self._json:
            self._print_json(plain(event))
            return
        match event.event:
            case "published" | "unchanged":
                self._show_ingest(event)
            case "failed":
                echo(f"docgraph: {event.path}: {event.message}; trying again", err=True)
            case "gone":
                echo(f"docgraph: {event.path} is gone; waiting for it", err=True)
            case "back":
                echo(f"docgraph: {event.path} is back", err=True)

    def show_embedding(self, snapshot: "SnapshotName") -> None:
        place = f"{snapshot.repository} {snapshot.branch}"
        self._line(
            {"event": "embedded", "snapshot": plain(snapshot)},
            f"snapshot {snapshot.snapshot} of {place}: further vectors",
        )

    def show_embedding_error(self, branch: "BranchKey", error: Exception) -> None:
        place = f"{branch.repository} {branch.branch}"
        if self._json:
            kind = type(error).__name__
            self._print_json(
                {"event": "embedding failed", **plain(branch), "kind": kind, "message": str(error)}
            )
        else:
            echo(f"docgraph: embedding {place}: {error}; trying again", err=True)

    def _show_ingest(self, event: "WatchEvent") -> None:
        place = (event.path, event.branch)
        is_first = place not in self._current
        self._current.add(place)
        if event.result is not None and (is_first or event.result.snapshot is not None):
            self._line({}, _summary(event, event.result))
        for problem in event.problems:
            echo(f"not used: {problem.path}: {problem.reason}", err=True)

    def _line(self, values: dict[str, object], text: str) -> None:
        if self._json:
            self._print_json(values)
        elif not self._quiet:
            echo(text)
            sys.stdout.flush()

    def _print_json(self, values: object) -> None:
        print_json_text(json.dumps(values, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def _summary(event: "WatchEvent", result: "IngestResult") -> str:
    made = result.snapshot
    if made is None:
        return f"{event.repository} {event.branch} is current: documents {result.unchanged}"
    renamed = f" ({len(result.renamed)} of them renamed)" if result.renamed else ""
    access = f"; access: {changes}" if (changes := result.access.describe()) else ""
    return (
        f"snapshot {made.snapshot} of {made.repository} {made.branch}: documents added "
        f"{result.added}{renamed}, changed {result.changed}, removed {result.removed}, "
        f"unchanged {result.unchanged}, in {event.seconds:.2f} s{access}"
    )
