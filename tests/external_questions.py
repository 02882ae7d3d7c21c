"""ExternalQuestions as requesters of the marketplace write them."""

from xml.sax.saxutils import escape

from marketplace.protocol.questions import NAMESPACE


def external_question(url: str, height: int | str) -> str:
    """Write the XML of an ExternalQuestion."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<ExternalQuestion xmlns="{NAMESPACE}">'
        f"<ExternalURL>{escape(url)}</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )
