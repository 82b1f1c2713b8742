"""One cache, bounded in bytes: whatever is put into it, no more than that stays."""

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.sql.tenant_cache import ENTRY_BYTES, CachePart, TenantCache
from docgraph.adapters.sql.version_table import TOKEN, Counted

LIMIT = 10 * ENTRY_BYTES
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "get", "resize"]),
        st.sampled_from(["a", "b"]),
        st.integers(0, 7),
        st.integers(0, 5 * ENTRY_BYTES),
    ),
    max_size=60,
)


@given(steps)
def test_the_least_recently_used_goes_first_and_the_bound_holds(
    made: list[tuple[str, str, int, int]],
) -> None:
    cache = TenantCache(LIMIT)
    expected: OrderedDict[tuple[str, int], int] = OrderedDict()
    for what, tenant, key, size in made:
        part = CachePart[int, bytes](cache, tenant, "part")
        if what == "put":
            part.put(key, b"", size)
            expected.pop((tenant, key), None)
            expected[tenant, key] = size + ENTRY_BYTES
        elif what == "get":
            assert (part.get(key) is None) == ((tenant, key) not in expected)
            if (tenant, key) in expected:
                expected.move_to_end((tenant, key))
        elif (tenant, key) in expected:
            part.resize(key, size)
            expected[tenant, key] = size + ENTRY_BYTES
        while sum(expected.values()) > LIMIT:
            expected.popitem(last=False)
        assert cache.nbytes == sum(expected.values()) <= LIMIT


def test_a_value_larger_than_the_limit_pushes_nothing_out() -> None:
    cache = TenantCache(LIMIT)
    part = CachePart[str, str](cache, "t", "part")
    part.put("small", "value", 10)
    part.put("large", "value", LIMIT)
    assert (part.get("small"), part.get("large")) == ("value", None)
    part.put("small", "value", LIMIT)
    assert part.get("small") is None
    assert cache.nbytes == 0


def test_only_the_named_parts_of_the_tenant_lose_what_a_predicate_rejects() -> None:
    cache = TenantCache(LIMIT)
    for tenant in ("t", "u"):
        for kind in ("one", "two"):
            for key in (1, 2):
                CachePart[int, str](cache, tenant, kind).put(key, kind, 0)
    cache.keep("t", {"one": lambda key: key == 2})
    kept = {
        (tenant, kind, key)
        for tenant in ("t", "u")
        for kind in ("one", "two")
        for key in (1, 2)
        if CachePart[int, str](cache, tenant, kind).get(key)
    }
    assert ("t", "one", 1) not in kept
    assert len(kept) == 7
    assert cache.nbytes == 7 * ENTRY_BYTES


def test_a_state_that_follows_no_known_one_begins_a_history_without_anything_kept() -> None:
    """As after a store was restored from a backup: the same numbers may mean something else."""
    cache = TenantCache()
    old, new, other = ("a" * TOKEN, "b" * TOKEN, "c" * TOKEN)
    first = cache.history("t", Counted(1, 1, old))
    cache.put((first.name, "part", 1), "kept", 1)
    assert cache.history("t", Counted(2, 1, new + old)).name == first.name
    assert cache.get((first.name, "part", 1)) == "kept"
    restored = cache.history("t", Counted(2, 1, other + old))
    assert restored.name != first.name
    assert cache.get((first.name, "part", 1)) is None
