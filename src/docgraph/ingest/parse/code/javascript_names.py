"""What an imported name means in JavaScript: an export, the default, or all of a module."""

from dataclasses import dataclass

from docgraph.ingest.parse.code.meaning import Aim, Aims, Chain

_LESS = 2  # the rank of the less likely of two readings


@dataclass(frozen=True, slots=True)
class Exported:
    """`import {name} from`, `const {name} = require`."""

    module: Aim
    name: str

    def aims(self, rest: Chain) -> Aims | None:
        return _followed(export_of(self.module, self.name, rest))

    member = aims


@dataclass(frozen=True, slots=True)
class Namespace:
    """`import * as name from`."""

    module: Aim

    def aims(self, rest: Chain) -> Aims | None:
        return _followed(export_of(self.module, rest[0], rest[1:])) if rest else None

    member = aims


@dataclass(frozen=True, slots=True)
class Default:
    """`import name from` and `const name = require`: the default, or else all exports."""

    module: Aim
    named_first: bool = False

    def aims(self, rest: Chain) -> Aims | None:
        default = export_of(self.module, "default", rest)
        if not rest:
            return _followed(default)
        named = export_of(self.module, rest[0], rest[1:])
        first, second = (named, default) if self.named_first else (default, named)
        return _followed(first, second._replace(rank=second.rank + _LESS))

    member = aims


def _followed(*aims: Aim) -> Aims:
    """What Node itself brings is nobody's to offer."""
    return tuple(aim for aim in aims if aim.reported)


def export_of(module: Aim, name: str, rest: Chain) -> Aim:
    inner = f".{'.'.join(rest)}" if rest else ""
    return module._replace(key=f"{module.key}#{name}", inner=inner, strict=bool(rest))
