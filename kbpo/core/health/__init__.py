"""Whether the service works, seen from outside: probes, signs of life, logs, and troubles that last."""
