"""Who comes in: doors translate, and decide nothing but who is asking."""
