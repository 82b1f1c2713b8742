"""Folders that the server watches, as its settings say; what happens is logged."""

import logging
from collections.abc import Callable

from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import owner_of
from docgraph.interfaces.inputs import access_options
from docgraph.interfaces.watch.events import WatchEvent
from docgraph.interfaces.watch.folder_ingest import WatchTask, check_apart
from docgraph.interfaces.watch.watcher import Watcher
from docgraph.model.errors import BadInput
from docgraph.ports.source_states import BranchKey
from docgraph.ports.watching import WatchOptions
from docgraph.wiring.server_settings import WatchSettings
from docgraph.wiring.settings import Settings
from docgraph.wiring.sources import source_location
from docgraph.wiring.watching import open_watched

LOG = logging.getLogger("docgraph.watch")


def build_watcher(
    settings: Settings, engine: Engine, embed_later: Callable[[BranchKey], None]
) -> Watcher | None:
    """Not started; None where nothing is to be watched."""
    if not settings.serve.watch:
        return None
    tasks = [_task(one, settings) for one in settings.serve.watch]
    check_apart(tasks)
    return Watcher(engine.content, tasks, log_event, embed_later, on_failure=_log_failure)


def _task(written: WatchSettings | str, settings: Settings) -> WatchTask:
    """In the name of who owns the server's process, within the tenant that the settings name."""
    watch = WatchSettings(written) if isinstance(written, str) else written
    tenant = watch.tenant or settings.login.only_tenant
    if tenant is None:
        raise BadInput(
            f"serve.watch: whose is {watch.path}? People of several tenants may come in; "
            f"write in docgraph.yaml: {{path: {watch.path}, tenant: …}}"
        )
    options = WatchOptions(watch.repository, watch.branch, polling=watch.polling)
    return WatchTask(
        open_watched(watch.path, options, settings),
        owner_of(tenant),
        access_options(tenant, watch.readers, watch.labels, watch.level),
        source_location(watch.path),
        watch.without,
    )


def log_event(event: WatchEvent) -> None:
    """Without names of files, as the rest of the log."""
    place = f"{event.repository} {event.branch}".rstrip()
    match event.event:
        case "published" if event.result is not None and event.result.snapshot is not None:
            found, number = event.result, event.result.snapshot.snapshot
            counts = f"added {found.added}, changed {found.changed}, removed {found.removed}"
            LOG.info("%s: snapshot %d: %s, in %.2f s", place, number, counts, event.seconds)
        case "failed":
            LOG.warning("%s: %s: %s; trying again", place, event.kind, event.message)
        case "gone":
            LOG.warning("%s: %s is gone; waiting for it", place, event.path)
        case "back":
            LOG.info("%s: %s is back", place, event.path)
        case "published" | "unchanged":
            LOG.debug("%s: nothing has changed", place)
    if event.problems:
        LOG.warning("%s: %d files cannot be used", place, len(event.problems))


def _log_failure(error: Exception) -> None:
    LOG.error("watching has ended: %s", error, exc_info=error)
