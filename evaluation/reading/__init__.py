"""Reading what anybody may submit: in a process of its own, within limits.

Nothing here needs Django, so that the child starts in a tenth of a second and holds no secret.
"""
