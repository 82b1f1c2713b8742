"""Asking in somebody's name, where whoever asks holds the store itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from docgraph.doors.login.principals import in_the_name_of, local
from docgraph.model.access import Person, Principal
from docgraph.model.errors import BadInput

if TYPE_CHECKING:
    from docgraph.administration import Administration

AskedAs = str | Person | None


def asked_as(who: AskedAs, administration: "Callable[[], Administration]") -> Principal:
    """None is the person at the keyboard, a name is someone whom the store knows.

    A Person was verified by the program around us, and counts as it stands: that program holds
    the store, and with it all there is to see. The audit names who asked in whose name.
    """
    me = local()
    if who is None:
        return me
    if isinstance(who, Person):
        return in_the_name_of(who, me)
    if not who.strip():
        raise BadInput("to ask in somebody's name, name them")
    return in_the_name_of(administration().person(me, who), me)
