"""Whole numbers that somebody sends."""


def whole_number(text: str, most: int) -> int | None:
    """Read a number from 0 on, written with the digits 0 to 9 alone.

    Parameters
    ----------
    text : str
        Of any length: `int` refuses thousands of digits with an exception, and reads other scripts' digits.
    most : int
        The largest that makes sense; for what is stored, at most what its column takes.

    Returns
    -------
    int or None
        None if it is no such number.
    """
    if not (text.isascii() and text.isdecimal()):
        return None
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(most)):
        return None
    number = int(digits)
    return number if number <= most else None
