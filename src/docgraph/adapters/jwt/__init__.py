"""Bearer tokens: JWTs that an issuer signed with a key of its published key set (JWKS)."""
