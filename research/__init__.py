"""Experiments and benchmarks: they import the service, and the service never imports them."""
