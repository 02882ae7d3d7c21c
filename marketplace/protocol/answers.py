"""What a worker sent, as the XML in which requesters get it."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence

from kbpo.core.plain_text import replace_faults

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)
LONGEST = 1_000_000  # bytes of a form that is sent


def write_answers(fields: Mapping[str, Sequence[str]]) -> str:
    """Write a form's fields as QuestionFormAnswers.

    Parameters
    ----------
    fields : mapping of str to sequence of str
        Each field's values; several, as of ticked boxes, are joined by ``|``. Characters that
        `kbpo.core.plain_text` does not allow become U+FFFD.

    Returns
    -------
    str
        One Answer with a FreeText for each field, in the order given.
    """
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.Element(f"{{{NAMESPACE}}}QuestionFormAnswers")
    for name, values in fields.items():
        answer = ElementTree.SubElement(root, f"{{{NAMESPACE}}}Answer")
        ElementTree.SubElement(answer, f"{{{NAMESPACE}}}QuestionIdentifier").text = replace_faults(name)
        ElementTree.SubElement(answer, f"{{{NAMESPACE}}}FreeText").text = replace_faults("|".join(values))
    return ElementTree.tostring(root, encoding="unicode")
