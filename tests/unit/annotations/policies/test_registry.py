import pytest

from annotations.models import Corpus
from annotations.policies.registry import DEFAULT, POLICIES, choices, find_policy
from kbpo.core.errors import InvalidInput


def test_each_policy_is_found_by_its_name():
    assert {name: find_policy(name).name for name in POLICIES} == {name: name for name in POLICIES}


def test_an_unknown_policy_is_refused_with_those_there_are():
    with pytest.raises(InvalidInput, match="unknown policy 'eager'; known are curtailed, fixed"):
        find_policy("eager")


def test_a_new_corpus_is_curtailed():
    assert (DEFAULT, Corpus().judged_by.name) == ("curtailed", "curtailed")


def test_a_corpus_offers_every_policy_by_its_title():
    assert [name for name, _ in choices()] == list(POLICIES)
    assert Corpus._meta.get_field("policy").flatchoices == choices()


@pytest.mark.parametrize("name", POLICIES)
def test_a_name_fits_its_column(name):
    assert len(name) <= Corpus._meta.get_field("policy").max_length


@pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))
def test_what_is_measured_by_is_asked_for_at_first(policy):
    """Else a vote that is measured by might hang on those before it."""
    assert policy.measured_votes is None or policy.measured_votes <= policy.first_votes
