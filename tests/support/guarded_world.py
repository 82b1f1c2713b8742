"""A world for row-level security: two tenants, branches, snapshots, texts that are there twice.

Every text holds a word of its own, so that whatever comes out of a store tells where it is from.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from docgraph.engine.administration import Administration
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import EVERYONE, LOCAL, AccessRule, Person, Principal
from docgraph.model.access_policy import VersionAccess
from docgraph.model.edge import MANUAL, Edge, EdgeEvidence, Relationship
from docgraph.model.node import document_id
from tests.interference.stores import MachineStore, admin
from tests.interference.views import BranchContent, BranchName
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_keys import MemoryKeys
from tests.support.small_world import IDENTITY

ABROAD = "abroad"
MAIN, DEV = BranchName(LOCAL, "r", "main"), BranchName(LOCAL, "r", "dev")
OTHER, FOREIGN = BranchName(LOCAL, "s", "main"), BranchName(ABROAD, "r", "main")
PLACES = (MAIN, DEV, OTHER, FOREIGN)
RED, BLUE = frozenset({"red"}), frozenset({"blue"})
OPEN, CLOSED = AccessRule(LOCAL, frozenset({EVERYONE})), AccessRule(LOCAL)
REDS, BLUES = AccessRule(LOCAL, RED), AccessRule(LOCAL, BLUE)
SECRET = AccessRule(LOCAL, RED | BLUE, frozenset({"secret"}), 1)
THEIRS = AccessRule(ABROAD, frozenset({EVERYONE}))
RULES: Mapping[BranchName, Mapping[str, AccessRule]] = {
    MAIN: {
        "a.md": OPEN,
        "b.md": REDS,
        "c.md": BLUES,
        "d.md": SECRET,
        "twin.md": OPEN,
        "hidden-twin.md": CLOSED,
        "pkg/f.py": REDS,
        "pkg/g.py": BLUES,
        "lost.md": THEIRS,
    },
    DEV: {"a.md": REDS, "b.md": REDS, "c.md": BLUES, "dev.md": CLOSED},
    OTHER: {"a.md": BLUES, "b.md": OPEN},
    FOREIGN: {"a.md": THEIRS, "b.md": THEIRS, "c.md": AccessRule(ABROAD, BLUE)},
}
READERS: Mapping[str, Principal] = {
    person.id: impersonated(person, local())
    for person in (
        Person("nemo", LOCAL),
        Person("rosa", LOCAL, RED),
        Person("clare", LOCAL, BLUE),
        Person("boss", LOCAL, RED | BLUE, frozenset({"secret"}), 2),
        Person("stranger", ABROAD, RED),
        Person("nobody", "nowhere", RED | BLUE, frozenset({"secret"}), 2),
    )
}
TWINS = ("twin.md", "hidden-twin.md")


@dataclass(frozen=True, slots=True)
class GuardedDocument:
    """A document of some branch, the rule that is in force on it, and older versions with other
    rules."""

    place: BranchName
    path: str
    rule: AccessRule
    older: tuple[VersionAccess, ...] = ()

    @property
    def id(self) -> str:
        return document_id(self.place.repository, self.path)

    @property
    def mark(self) -> str:
        return mark(self.place, self.path)

    def readable_by(self, reader: Principal) -> bool:
        """Any version of it."""
        rules = (self.rule, *(version.rule for version in self.older))
        return self.place.tenant == reader.tenant and any(map(reader.may_read, rules))

    def is_readable(self, reader: Principal, first: int) -> bool:
        """The version that this snapshot brought."""
        rules = {version.first: version.rule for version in self.older}
        return self.place.tenant == reader.tenant and reader.may_read(rules.get(first, self.rule))


def mark(place: BranchName, path: str) -> str:
    """The word that stands in this document and in no other; twins are the same to the byte."""
    name = "twin" if path in TWINS else "".join(letter for letter in path if letter.isalnum())
    return f"mark{''.join(place)}{name}"


def text(place: BranchName, path: str, version: int) -> str:
    """It refers to its neighbours by their paths, and shares a name with them."""
    word = mark(place, path)
    if path.endswith(".py"):
        other = "g" if path.endswith("f.py") else "f"
        return (
            f'"""{word} {version}"""\n\nimport pkg.{other} as other\n\n\n'
            f"class Valve:\n    def {word}(self):\n        return other.Valve()\n"
        )
    links = " ".join(f"[see](/{other})" for other in RULES[place])
    return (
        f"# {word}\n\nVersion {version} of {word} by Marie Curie. {links}\n\n"
        f"## Part of {word}\n\nThe valve of {word}.\n"
    )


def fill(stock: MachineStore) -> None:
    """Two snapshots of each branch, the second with fewer documents; then manual edges."""
    for place in PLACES:
        paths = list(RULES[place])
        for version, kept in ((1, paths), (2, [p for at, p in enumerate(paths) if at % 3 != 2])):
            texts = {path: text(place, path, version) for path in kept}
            stock.ingest(place, BranchContent(texts), RULES[place], in_stages=True)
        relate(stock, place)


def relate(stock: MachineStore, place: BranchName) -> None:
    """Each document with each, and with one of another repository; the edge says which."""
    own = [(document_id(place.repository, path), mark(place, path)) for path in RULES[place]]
    far = ("s:b.md", mark(OTHER, "b.md"))
    with stock.engine.content.store.open_writer(*place, IDENTITY) as writes:
        writes.edges.add_manual(
            [
                Relationship(
                    Edge(one, "explains", other),
                    (MANUAL,),
                    (EdgeEvidence("notes", 1, 0, 1, 0, f"{first} {second}"),),
                )
                for one, first in own
                for other, second in dict((*own, far)).items()
                if one != other
            ]
        )
        writes.publish()


def documents(stock: MachineStore) -> list[GuardedDocument]:
    """As the tenants' administrators see them."""
    administration = Administration(stock.engine.content.store, MemoryAudit(), MemoryKeys())
    return [
        GuardedDocument(
            BranchName(tenant, one.repository, one.branch), one.path, one.rule, one.older
        )
        for tenant in (LOCAL, ABROAD)
        for one in administration.documents(admin(tenant))
    ]
