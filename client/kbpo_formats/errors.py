"""What a reader raises: the root of the tree of errors, and the one that says what is wrong with an input."""


class KbpoError(Exception):
    """A refusal that can be shown as it is: one sentence that says what is wrong and what would be right.

    Attributes
    ----------
    status : int
        Of an HTTP response that says so.
    """

    status = 400


class InvalidInput(KbpoError):
    """Something that was submitted is wrong.

    Parameters
    ----------
    message : str
        What is wrong and what would be right.
    where : str
        The place: a file and line, a field, an argument. Empty where the message says it.
    """

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.where = where
