"""Many clients on one server, on both stores: no error, no wrong answer, no endless wait.

A real `docgraph serve` with its own embedder, on loopback. One client asks everything first: that
is the answer and the time that all others are compared with. Then many ask at once while an ingest
publishes a new snapshot. Every answer must be that of the old snapshot or that of the new one, byte
for byte, as its digests tell. At the end the server is stopped under load: what it
was asked before then, it answers. Prints ratios; the exit code is 1 if something does not hold.

`--against FOLDER` compares with another source tree instead: each has a store and a server of its
own, and they are asked by turns. `--workers` is of the server of this tree alone.
"""

import argparse
import http
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from benchmarks.generated_texts import random_text
from benchmarks.postgres import SERVER
from tests.support.http_clients import Client, ClientRequest, ClientResponse, run_clients
from tests.support.http_server import DOCGRAPH, ServerProcess, create_key, run_in, serve_in
from tests.support.postgres_server import PostgresServer

ROOT = Path(__file__).parent.parent
CACHE_FOLDER = ROOT / "build" / "load"
TURNS = 3  # of each source tree that is compared
MAX_RATIO = 6.0  # times the time of one client, for each client that a core has to serve
READERS = {"one": ("even",), "two": ("odd",), "both": ("even", "odd")}
ADDRESSES = ("/v1/retrieve", "/v1/retrieve", "/v1/plans", "/v1/ask")
RULES = "- {path: even/, readers: [even]}\n- {path: odd/, readers: [odd]}\n"
SETTINGS = "store: {store}\nlogin: {{keys: true}}\nserve: {{roots: [.]}}\n"


@dataclass(frozen=True, slots=True)
class Load:
    clients: int
    seconds: float
    documents: int
    questions: int


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A checkout, and options of its server."""

    name: str
    path: Path
    options: tuple[str, ...]

    @contextmanager
    def on_path(self) -> Iterator[None]:
        """Processes that are started meanwhile import docgraph from here."""
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = str(self.path / "src")
        try:
            yield
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


@dataclass(frozen=True, slots=True)
class Stop:
    """How many requests were under way at the stop, how many were answered; the exit code."""

    under_way: int
    answered: int
    code: int


@dataclass(frozen=True, slots=True)
class LoadResponses:
    warm: list[ClientResponse]
    before: list[ClientResponse]
    crowd: list[ClientResponse]
    after: list[ClientResponse]
    stop: Stop

    @property
    def all_responses(self) -> list[ClientResponse]:
        return [*self.warm, *self.before, *self.crowd, *self.after]

    def count_wrong(self) -> int:
        """Answers that are not byte for byte what one client got of the same snapshot."""
        right = {(a.request, a.snapshot): a.digest for a in (*self.before, *self.after)}
        answered = (a for a in self.all_responses if a.status == 200)
        return sum(right.get((a.request, a.snapshot)) != a.digest for a in answered)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--stores", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--folder", type=Path, default=CACHE_FOLDER)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--against", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    load = Load(asked.clients, asked.seconds, asked.documents, asked.questions)
    own = SourceTree("this", ROOT, ("--workers", str(asked.workers)))
    if asked.against is None:
        failed = [store for store in asked.stores if not measure(store, load, asked.folder, own)]
    else:
        trees = (SourceTree("other", asked.against.resolve(), ()), own)
        failed = [store for store in asked.stores if not compare(store, load, asked.folder, trees)]
    return 1 if failed else 0


def measure(store: str, load: Load, kept: Path, tree: SourceTree) -> bool:
    with address(store, kept / f"{store}-{load.documents}") as folder:
        pages(folder / "pages", load.documents)
        print(f"{store}: taking {load.documents:,} documents in", file=sys.stderr, flush=True)
        run_in(folder, "ingest", "pages", "--repository", "pages", "--quiet")
        keys = {name: create_key(folder, name, *groups) for name, groups in READERS.items()}
        with serve_in(folder, *tree.options) as serving:
            return run_load(store, serving.ready(), keys, load, folder)


def compare(store: str, load: Load, kept: Path, trees: Sequence[SourceTree]) -> bool:
    asked = questions(load)
    with ExitStack() as stack:
        served = [stack.enter_context(serve_tree(store, load, kept, tree)) for tree in trees]
        alone = [ask_until_warm(client, asked) for client in served]
        crowds: list[list[ClientResponse]] = [[] for _ in trees]
        for turn in range(TURNS * len(trees)):
            number = turn % len(trees)
            clients = [served[number].again() for _ in range(load.clients)]
            crowds[number] += run_clients(clients, asked, within(load.seconds / TURNS))
    return report_comparison(store, load, trees, alone, crowds)


def ask_until_warm(client: Client, asked: Sequence[ClientRequest]) -> list[ClientResponse]:
    """Each process of the server has a connection of its own."""
    for _ in range(4):
        another = client.again()
        for one in asked:
            another.ask(one)
    return [client.ask(one) for one in asked]


def within(seconds: float) -> Callable[[], bool]:
    until = time.monotonic() + seconds
    return lambda: time.monotonic() < until


@contextmanager
def serve_tree(store: str, load: Load, kept: Path, tree: SourceTree) -> Iterator[Client]:
    """Every command is one of this tree."""
    with address(store, kept / f"{store}-{load.documents}-{tree.name}") as folder, tree.on_path():
        pages(folder / "pages", load.documents)
        print(f"{store}: {tree.name} ingests {load.documents:,} documents", file=sys.stderr)
        run_command(folder, "ingest", "pages", "--repository", "pages", "--quiet")
        keys = {}
        for name, groups in READERS.items():
            options = [word for group in groups for word in ("--group", group)]
            run_command(folder, "principals", "add", name, *options)
            keys[name] = json.loads(run_command(folder, "keys", "add", name, "--json"))["secret"]
        with serve_in(folder, *tree.options) as serving:
            yield Client(serving.ready().port, keys)


def run_command(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [*DOCGRAPH, *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def report_comparison(
    store: str,
    load: Load,
    trees: Sequence[SourceTree],
    alone: Sequence[Sequence[ClientResponse]],
    crowds: Sequence[Sequence[ClientResponse]],
) -> bool:
    cores = len(os.sched_getaffinity(0))
    print(f"{store}, {load.documents:,} documents, {load.clients} clients, {cores} cores")
    rates, wrong = [], 0
    for tree, before, crowd in zip(trees, alone, crowds, strict=True):
        right = {(one.request, one.snapshot): one.digest for one in before}
        failed = sum(right.get((one.request, one.snapshot)) != one.digest for one in crowd)
        times = sorted(one.seconds for one in crowd if one.status == http.HTTPStatus.OK)
        middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
        rates.append(len(times) / load.seconds)
        wrong += failed
        print(
            f"  {tree.name:5} {' '.join(tree.options)}: {rates[-1]:.1f} questions/s, p50 "
            f"{middle * 1000:.0f} ms, p99 / p50 {late / middle:.1f}, wrong or failed {failed}"
        )
    print(f"  ratio {rates[1] / rates[0]:.2f}")
    return wrong == 0


@contextmanager
def address(store: str, folder: Path) -> Iterator[Path]:
    """A folder with settings; SQLite's store is made anew, as is Postgres's database."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("store.db*"):
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink()
    if store == "sqlite":
        (folder / "docgraph.yaml").write_text(SETTINGS.format(store="store.db"))
        yield folder
        return
    with closing(PostgresServer()) as server:
        server.restart(SERVER)
        (folder / "docgraph.yaml").write_text(SETTINGS.format(store=server.fresh_database()))
        yield folder


def pages(folder: Path, documents: int) -> None:
    for name in ("even", "odd"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "access.yaml").write_text(RULES)
    for number in range(documents):
        (folder / path(number)).write_text(page(number, documents))


def path(number: int) -> str:
    return f"{'odd' if number % 2 else 'even'}/{number}.md"


def page(number: int, documents: int, edition: str = "") -> str:
    other = (number * 7 + 1) % documents
    words = random_text(f"text {number}{edition}", 12, 24)
    title = random_text(f"title {number}", 2, 4).capitalize()
    return f"# {title}\n\nSee [page](/{path(other)}). {words}.\n"


def questions(load: Load) -> list[ClientRequest]:
    texts = [random_text(f"text {number * 31}", 3, 6) for number in range(load.questions)]
    return [
        ClientRequest(ADDRESSES[(at + len(reader)) % len(ADDRESSES)], reader, text)
        for at, text in enumerate(texts)
        for reader in READERS
    ]


def run_load(
    store: str, serving: ServerProcess, keys: dict[str, str], load: Load, folder: Path
) -> bool:
    asked = questions(load)
    alone = Client(serving.port, keys)
    warm = [alone.ask(one) for one in asked]
    before = [alone.ask(one) for one in asked]
    for number in range(0, load.documents, 50):
        (folder / "pages" / path(number)).write_text(page(number, load.documents, " again"))
    clients = [Client(serving.port, keys) for _ in range(load.clients)]
    until = time.monotonic() + load.seconds
    ingest = Timer(load.seconds / 3, lambda: begin_ingest(Client(serving.port, keys)))
    ingest.start()
    crowd = run_clients(clients, asked, lambda: time.monotonic() < until)
    ingest.join()
    wait_for_ingest(Client(serving.port, keys))
    alone = Client(serving.port, keys)  # the server hangs up on who is silent for long
    after = [alone.ask(one) for one in asked]
    stop = stop_under_load(serving, keys, asked, load)
    return report(store, load, LoadResponses(warm, before, crowd, after, stop))


def begin_ingest(client: Client) -> None:
    status, body = client.post("/v1/ingestions", {"path": "pages", "repository": "pages"}, "both")
    if status != http.HTTPStatus.ACCEPTED:
        print(f"the ingest was refused: {body}", file=sys.stderr)


def wait_for_ingest(client: Client) -> None:
    while True:
        _, body = client.get("/v1/ingestions", "both")
        if all(one["state"] in {"succeeded", "failed"} for one in body["ingestions"]):
            break
        time.sleep(0.5)
    print(f"ingestions: {Counter(one['state'] for one in body['ingestions'])}", file=sys.stderr)


def stop_under_load(
    serving: ServerProcess, keys: dict[str, str], asked: Sequence[ClientRequest], load: Load
) -> Stop:
    clients = [Client(serving.port, keys) for _ in range(load.clients)]
    stopped: list[float] = []
    codes: list[int] = []

    def stop() -> None:
        stopped.append(time.monotonic())
        codes.append(serving.end()[0])

    timer = Timer(3, stop)
    timer.start()
    crowd = run_clients(clients, asked, lambda: not stopped or time.monotonic() < stopped[0] + 30)
    timer.join()
    # A request that was written while the server closed the connection never arrived.
    under_way = [a for a in crowd if a.sent < stopped[0] - 0.05 < a.sent + a.seconds]
    return Stop(len(under_way), sum(a.status == 200 for a in under_way), codes[0])


def report(store: str, load: Load, responses: LoadResponses) -> bool:
    errors = Counter(a.status for a in responses.all_responses if a.status != 200)
    answered = [a for a in responses.crowd if a.status == 200]
    wrong = responses.count_wrong()
    one = statistics.median(a.seconds for a in responses.before)
    times = sorted(a.seconds for a in answered)
    middle, late = times[len(times) // 2] / one, times[int(len(times) * 0.99)] / one
    cores = len(os.sched_getaffinity(0))
    ratio = late / (load.clients / cores)
    snapshots = Counter(a.snapshot for a in answered)
    stop = responses.stop
    print(f"{store}, {load.documents:,} documents, {load.clients} clients, {cores} cores")
    print(f"  answers {len(answered)}, by snapshot {dict(sorted(snapshots.items()))}")
    print(f"  errors {dict(errors) or 0}, wrong answers {wrong}")
    print(f"  one client p50 {one * 1000:.0f} ms; all p50 {middle:.0f} x, p99 {late:.0f} x")
    print(f"  p99 / (p50 of one x clients / cores) {ratio:.2f} (at most {MAX_RATIO:g})")
    print(f"  stopped: answered {stop.answered} of {stop.under_way}, exit code {stop.code}")
    held = not errors and not wrong and ratio <= MAX_RATIO and len(snapshots) == 2
    return held and stop == Stop(stop.under_way, stop.under_way, 0)


if __name__ == "__main__":
    sys.exit(main())
