"""Every interface has its pages, and every kind of question one interface."""

from crowd.interfaces.registry import ASKED_KINDS, INTERFACES
from crowd.pages.registry import PAGES


def test_every_interface_has_its_pages_and_no_pages_are_left_over() -> None:
    assert PAGES.keys() == INTERFACES.keys()


def test_a_kind_of_question_is_asked_by_one_interface() -> None:
    asked = [kind for interface in INTERFACES.values() for kind in interface.kinds]
    assert len(asked) == len(set(asked)) == len(ASKED_KINDS)
