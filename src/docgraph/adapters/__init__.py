"""What stands behind the ports; only wiring imports from here."""
