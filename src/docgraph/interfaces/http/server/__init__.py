"""The HTTP server: the application, its state, middleware and event streams."""
