"""How long things are kept: what the environment may say."""

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.retention_environment import DEFAULTS, read


def test_what_is_not_given_has_its_default():
    given = read({})
    assert (given.sessions, given.mail, given.uploads, given.logs) == tuple(DEFAULTS.values())


def test_what_is_given_is_taken():
    assert read({"KEEP_MAIL_DAYS": "7"}).mail == 7


@pytest.mark.parametrize("value", ["0", "-1", "a week", "٣", "99999", "9" * 10])
@pytest.mark.parametrize("name", DEFAULTS)
def test_what_is_no_number_of_days_is_refused(name, value):
    with pytest.raises(InvalidInput, match=name):
        read({name: value})
