"""What the project checks about itself, besides its tests."""
