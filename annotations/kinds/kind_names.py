"""The names of the kinds of question, for whoever asks or finds questions of a kind of their own."""

RELATION = "relation"
CANONICAL = "canonical"
ENTITIES = "entities"


def choices() -> list[tuple[str, str]]:
    """Return the name of each kind with its words for people."""
    from annotations.kinds.registry import KINDS  # it stands above the models, which ask for this

    return [(kind.name, kind.label) for kind in KINDS.values()]
