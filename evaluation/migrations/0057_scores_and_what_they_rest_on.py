"""How many texts were gone when scores began, and editions told; classifications by a model of shown systems."""

from django.db import migrations, models
from django.db.models import Exists, Min, OuterRef


def count_removed(apps, schema_editor):
    """Count for each scored epoch the documents that were removed before its scores were computed."""
    epochs, takedowns = apps.get_model("evaluation", "Epoch"), apps.get_model("annotations", "Takedown")
    scored = epochs.objects.annotate(first=Min("scores__computed_at"))
    for epoch in scored.filter(first__isnull=False, document_sample__isnull=False):
        removed = takedowns.objects.filter(
            document__sampled__sample=epoch.document_sample_id, removed_at__lt=epoch.first
        )
        epoch.texts_removed = removed.count()
        epoch.save(update_fields=["texts_removed"])


def compute_again(apps, schema_editor):
    """Have the scores of every epoch of classifications computed again."""
    epochs, scores = apps.get_model("evaluation", "Epoch"), apps.get_model("evaluation", "Score")
    scored = epochs.objects.filter(Exists(scores.objects.filter(epoch=OuterRef("pk"))))
    scored.filter(corpus__classes__isnull=False).update(scores_due=True)


def count_anew(apps, schema_editor):
    """Withdraw the editions that knew of removals: documents removed before they were retired counted, too."""
    apps.get_model("evaluation", "EpochArchive").objects.filter(removed__gt=0).update(removed=0)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0056_archives_and_takedowns")]

    operations = [
        migrations.AddField(
            model_name="epoch",
            name="texts_removed",
            field=models.PositiveIntegerField(
                default=0, help_text="Of its exhaustive documents, when its scores began to be computed."
            ),
        ),
        migrations.RunPython(count_removed, migrations.RunPython.noop),
        migrations.RunPython(compute_again, migrations.RunPython.noop),
        migrations.RunPython(count_anew, migrations.RunPython.noop),
    ]
