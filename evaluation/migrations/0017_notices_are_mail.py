"""Notices that were not sent become messages of the outbox."""

from datetime import timedelta

from django.conf import settings
from django.db import migrations
from django.utils import timezone

SUBJECTS = {
    "refused": "{name} was refused: its file has errors",
    "scored": "{name} is scored",
    "failed": "{name} stopped, by a fault of ours",
}


def to_messages(apps, schema_editor):
    Message = apps.get_model("core", "Message")
    unsent = apps.get_model("evaluation", "Notice").objects.filter(sent_at=None)
    now = timezone.now()
    for notice in unsent.select_related("event__submission__uploaded_by").order_by("pk").iterator():
        submission = notice.event.submission
        if submission.uploaded_by is None or notice.event.state not in SUBJECTS:
            continue
        subject = SUBJECTS[notice.event.state].format(name=submission.name)
        Message.objects.create(
            recipients={"to": [submission.uploaded_by.email]},
            sender=settings.DEFAULT_FROM_EMAIL,
            subject=" ".join(subject.split()),
            text=f"{subject}. {notice.event.detail}\n\n{settings.SITE_URL}/submissions/{submission.pk}/\n",
            created_at=notice.event.at,
            due_at=now,
            give_up_at=now + timedelta(days=1),
        )


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0001_initial"),
        ("evaluation", "0016_quotas_of_people"),
    ]

    operations = [
        migrations.RunPython(to_messages, migrations.RunPython.noop),
        migrations.DeleteModel("Notice"),
    ]
