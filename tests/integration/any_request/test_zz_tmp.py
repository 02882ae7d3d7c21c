import json
import pytest
from django.db import transaction
from tests.integration.any_request.test_budgets import counted, grow, VIEWERS
pytestmark = pytest.mark.django_db
@pytest.mark.parametrize("who", VIEWERS)
def test_all(site, who):
    with transaction.atomic():
        grow(site)
        after = counted(site, who)
        transaction.set_rollback(True)
    before = counted(site, who)
    json.dump({n: [before.get(n,0), after.get(n,0)] for n in before.keys()|after.keys()}, open(f"/tmp/budgets-{who}.json","w"))
