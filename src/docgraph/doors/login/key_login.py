"""API keys: whoever shows one is the person it stands for, as the store knows them now."""

import hmac
from collections.abc import Callable
from datetime import datetime

from docgraph.doors.login.principals import of_key
from docgraph.doors.login.secrets import hashed, id_in
from docgraph.model.access import Person, Principal
from docgraph.model.api_key import ApiKey
from docgraph.model.errors import NotKnown
from docgraph.ports.keys import Keys

FindPerson = Callable[[str, str], Person | None]  # by tenant and name
_NOBODYS = bytes(32)


class KeyLogin:
    def __init__(self, keys: Keys, find_person: FindPerson, *, now: Callable[[], datetime]) -> None:
        self._keys = keys
        self._find_person = find_person
        self._now = now

    def who(self, secret: str) -> Principal:
        """An id that nobody has costs what a wrong secret costs."""
        key_id = id_in(secret)
        if key_id is None:
            raise NotKnown("what was shown is no API key")
        found = self._keys.find(key_id)
        same = hmac.compare_digest(hashed(secret), _NOBODYS if found is None else found[1])
        if found is None or not same:
            raise NotKnown(f"API key {key_id}: unknown, or another secret")
        return self._standing_for(found[0])

    def who_has(self, key_id: str) -> Principal:
        """Whom a key stands for that was shown before, if it would still let them in."""
        found = self._keys.find(key_id)
        if found is None:
            raise NotKnown(f"API key {key_id} was taken back")
        return self._standing_for(found[0])

    def _standing_for(self, key: ApiKey) -> Principal:
        if key.expires is not None and datetime.fromisoformat(key.expires) <= self._now():
            raise NotKnown(f"API key {key.id} has expired")
        person = self._find_person(key.tenant, key.person)
        if person is None:
            raise NotKnown(f"API key {key.id} stands for {key.person!r}, who is not known any more")
        return of_key(person, key)
