"""When a question has votes enough: one module a policy, and the registry. Pure."""
