"""Login: a credential becomes a Principal, or nobody comes in."""
