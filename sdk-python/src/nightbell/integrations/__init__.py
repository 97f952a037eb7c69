"""Middleware, one line each. A framework is imported only by its own file."""
