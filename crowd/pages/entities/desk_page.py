"""How a marked document is shown at the desk."""

from collections.abc import Sequence

from annotations import ontologies
from annotations.models import Document, Question
from crowd.interfaces.entities import marked
from crowd.interfaces.sent import read_sent
from crowd.models import Assignment
from crowd.pages.page import DeskPage


def read(assignment: Assignment, questions: Sequence[Question]) -> list[marked.MarkedPart]:
    """Read what was marked in each document."""
    sent = read_sent(assignment, questions)
    ontology = ontologies.ontology_under(assignment.hit.batch.corpus, assignment.guidelines)
    documents = Document.objects.select_related("corpus").in_bulk(
        [question.document_id for question in questions]
    )
    return [
        marked.part(
            documents[question.document_id],
            sent.answer(question),
            sent.own.get(question.pk),
            sent.others[question.pk],
            ontology,
        )
        for question in questions
    ]


PAGE = DeskPage(read=read, template="desk/parts/marked.html")
