"""What every place that keeps API keys must do."""

from dataclasses import replace

from docgraph.model.access import ApiKey
from docgraph.ports.auth import ApiKeyStore

ANNS = ApiKey("a1", "t", "ann", "2026-01-01T00:00:00+00:00", None, "for a robot")
BOBS = ApiKey("b2", "t", "bob", "2026-01-02T00:00:00+00:00", "2026-02-02T00:00:00+00:00", "")
OTHERS = replace(ANNS, id="c3", tenant="u")
HASH = bytes(range(32))


class KeyRules:
    def test_a_key_is_found_by_its_id_whatever_its_tenant(self, keys: ApiKeyStore) -> None:
        for number, key in enumerate((ANNS, BOBS, OTHERS)):
            keys.add(key, bytes([number]) * 32)
        assert keys.find("a1") == (ANNS, bytes(32))
        assert keys.find("b2") == (BOBS, b"\x01" * 32)
        assert keys.find("c3") == (OTHERS, b"\x02" * 32)

    def test_an_empty_key_store_finds_nothing(self, keys: ApiKeyStore) -> None:
        assert keys.find("a1") is None
        assert keys.list_keys("t") == ()
        assert not keys.remove("t", "a1")

    def test_an_invalid_id_finds_nothing(self, keys: ApiKeyStore) -> None:
        keys.add(ANNS, HASH)
        for key_id in ("", "A1", "a1 ", "%", "a1\0", "\udc80", "' OR 1 = 1 --", "a" * 100_000):
            assert keys.find(key_id) is None
            assert not keys.remove("t", key_id)

    def test_keys_are_listed_by_time_and_id_and_of_one_tenant(self, keys: ApiKeyStore) -> None:
        late = replace(ANNS, id="0", created="2026-03-01T00:00:00+00:00")
        twin = replace(ANNS, id="a0")
        for key in (late, BOBS, OTHERS, ANNS, twin):
            keys.add(key, HASH)
        assert keys.list_keys("t") == (twin, ANNS, BOBS, late)
        assert keys.list_keys("u") == (OTHERS,)
        assert keys.list_keys("") == ()

    def test_a_removed_key_is_not_found(self, keys: ApiKeyStore) -> None:
        keys.add(ANNS, HASH)
        keys.add(BOBS, HASH)
        assert keys.remove("t", "a1")
        assert not keys.remove("t", "a1")
        assert keys.find("a1") is None
        assert keys.list_keys("t") == (BOBS,)

    def test_nobody_removes_another_tenants_key(self, keys: ApiKeyStore) -> None:
        keys.add(OTHERS, HASH)
        assert not keys.remove("t", "c3")
        assert keys.find("c3") == (OTHERS, HASH)

    def test_a_note_may_be_any_text(self, keys: ApiKeyStore) -> None:
        keys.add(replace(ANNS, note="a\0b \udc80 é '; --"), HASH)
        assert keys.list_keys("t")[0].note == "a\\x00b \\udc80 é '; --"
