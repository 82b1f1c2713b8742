"""The porch: a source goes in; nodes, edges and chunks come out."""
