"""Lines of timelines have an account instead of the name that it had: it survived the account's deletion."""

import re

from django.db import migrations

NAMED = re.compile(r"(?:^|(?<=^resumed )|(?<=^the file was deleted ))by (.+)$", re.DOTALL)


def name_accounts(apps, schema_editor):
    """Give lines their accounts where one person alone, of the team or an operator, has the name today."""
    events = apps.get_model("evaluation", "SubmissionEvent").objects
    users = apps.get_model("accounts", "User").objects
    operators = list(users.filter(is_operator=True))
    of_team = {}
    rows = events.filter(by=None, detail__contains="by ").select_related("submission")
    for event in rows.order_by("pk").iterator(chunk_size=500):
        found = NAMED.search(event.detail)
        if found is None:
            continue
        team = event.submission.team_id
        if team not in of_team:
            once = users.filter(past_memberships__team=team)
            of_team[team] = {*users.filter(memberships__team=team), *once, *operators}
        people = [one for one in of_team[team] if (one.name or one.email) == found[1]]
        if len(people) == 1:
            detail = event.detail[: found.start()].rstrip()
            events.filter(pk=event.pk).update(by=people[0], detail=detail)


def name_people(apps, schema_editor):
    events = apps.get_model("evaluation", "SubmissionEvent").objects
    for event in events.exclude(by=None).select_related("by").order_by("pk").iterator(chunk_size=500):
        words = f"{event.detail} by {event.by.name or event.by.email}".strip()
        events.filter(pk=event.pk).update(detail=words)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0019_who_brought_it_about")]

    operations = [migrations.RunPython(name_accounts, name_people)]
