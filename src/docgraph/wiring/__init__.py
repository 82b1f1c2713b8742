"""Which adapter stands behind which port."""
