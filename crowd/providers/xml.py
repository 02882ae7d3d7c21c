"""MTurk's two XML documents: the question that names a page, and what the page sent."""

import xml.etree.ElementTree as ElementTree

FRAME_HEIGHT = 0  # as high as the window allows
_QUESTION = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"


def write_question(url: str) -> str:
    """Write an ExternalQuestion: the page at `url`, in a frame."""
    root = ElementTree.Element("ExternalQuestion", xmlns=_QUESTION)
    ElementTree.SubElement(root, "ExternalURL").text = url
    ElementTree.SubElement(root, "FrameHeight").text = str(FRAME_HEIGHT)
    return ElementTree.tostring(root, encoding="unicode")


def read_answers(xml: str) -> dict[str, str]:
    """Read QuestionFormAnswers: each field with its text.

    What cannot be read has no fields: it is kept as it came, and a person looks at it.
    """
    if "<!DOCTYPE" in xml or "<!ENTITY" in xml:
        return {}
    try:
        root = ElementTree.fromstring(xml)  # noqa: S314  (what makes XML dangerous is refused above)
    except (ElementTree.ParseError, ValueError):
        return {}
    fields = {}
    for answer in root:
        parts = {part.tag.rpartition("}")[2]: part.text or "" for part in answer}
        if "QuestionIdentifier" in parts:
            fields[parts["QuestionIdentifier"]] = parts.get("FreeText", "")
    return fields
