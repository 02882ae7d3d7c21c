"""The pages of each interface: for views alone. What plans and pays work asks `crowd.interfaces.registry`."""

from collections.abc import Mapping

from crowd.interfaces import choice, correctness, entities, quality, relation
from crowd.interfaces.registry import find_interface, interface_of
from crowd.models import HitBatch
from crowd.pages import tutorial
from crowd.pages.choice import desk_page as choice_desk_page
from crowd.pages.choice.form import FORM as CHOICE
from crowd.pages.correctness import desk_page as correctness_desk_page
from crowd.pages.correctness.form import FORM as CORRECTNESS
from crowd.pages.entities import annotator_page as entity_annotator_page
from crowd.pages.entities import desk_page as entity_desk_page
from crowd.pages.entities import hit_page as entity_hit_page
from crowd.pages.entities import trial_page as entity_trial_page
from crowd.pages.page import DeskPage, HitPage, Pages
from crowd.pages.quality import desk_page as quality_desk_page
from crowd.pages.quality.form import FORM as QUALITY
from crowd.pages.relation import annotator_page as relation_annotator_page
from crowd.pages.relation import desk_page as relation_desk_page
from crowd.pages.relation import hit_page as relation_hit_page
from crowd.pages.text_annotator import TextAnnotator
from crowd.pages.text_form import TextForm
from crowd.pages.text_hit import TextHit
from crowd.pages.trial import of_examples


def _of_texts(name: str, form: TextForm, desk: DeskPage) -> Pages:
    """Return the pages of an interface that asks about one text at a time."""
    return Pages(
        hit=TextHit(form).page, annotator=TextAnnotator(form).page, desk=desk, trial=of_examples(name)
    )


PAGES: Mapping[str, Pages] = {
    relation.NAME: Pages(
        hit=relation_hit_page.PAGE,
        annotator=relation_annotator_page.PAGE,
        desk=relation_desk_page.PAGE,
        trial=of_examples(relation.NAME),
    ),
    entities.NAME: Pages(
        hit=entity_hit_page.PAGE,
        annotator=entity_annotator_page.PAGE,
        desk=entity_desk_page.PAGE,
        trial=entity_trial_page.show,
    ),
    choice.NAME: _of_texts(choice.NAME, CHOICE, choice_desk_page.PAGE),
    quality.NAME: _of_texts(quality.NAME, QUALITY, quality_desk_page.PAGE),
    correctness.NAME: _of_texts(correctness.NAME, CORRECTNESS, correctness_desk_page.PAGE),
}


def hit_page(batch: HitBatch) -> HitPage:
    """Return the page of a batch's HITs; `InvalidInput` if no interface is of the batch's kind."""
    found = PAGES[find_interface(batch.kind).name].hit
    return tutorial.PAGE if batch.is_tutorial else found


def pages_of(kind: str) -> Pages:
    """Return the pages on which a kind of question is asked; `InvalidInput` if there are none."""
    return PAGES[interface_of(kind).name]
