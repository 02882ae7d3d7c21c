"""What a worker sent, as the XML in which requesters get it."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)
LONGEST = 1_000_000  # bytes of a form that is sent
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_answers(fields: Mapping[str, Sequence[str]]) -> str:
    """Write a form's fields as QuestionFormAnswers.

    Parameters
    ----------
    fields : mapping of str to sequence of str
        Each field's values; several, as of ticked boxes, are joined by ``|``. Characters that XML does not
        know become U+FFFD.

    Returns
    -------
    str
        One Answer with a FreeText for each field, in the order given.
    """
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.Element(f"{{{NAMESPACE}}}QuestionFormAnswers")
    for name, values in fields.items():
        answer = ElementTree.SubElement(root, f"{{{NAMESPACE}}}Answer")
        ElementTree.SubElement(answer, f"{{{NAMESPACE}}}QuestionIdentifier").text = _text(name)
        ElementTree.SubElement(answer, f"{{{NAMESPACE}}}FreeText").text = _text("|".join(values))
    return ElementTree.tostring(root, encoding="unicode")


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
