"""Authentication: a credential becomes a Principal, or the request is refused."""
