from django.db import migrations


def record_identities(apps, schema_editor):
    """Tell the requesters' side who the workers are that came before it asked."""
    Worker = apps.get_model("marketplace", "Worker")
    WorkerIdentity = apps.get_model("accounts", "WorkerIdentity")
    WorkerIdentity.objects.bulk_create(
        (
            WorkerIdentity(user_id=user_id, provider="marketplace", worker_id=worker_id)
            for user_id, worker_id in Worker.objects.values_list("user_id", "worker_id")
        ),
        ignore_conflicts=True,
    )


class Migration(migrations.Migration):

    dependencies = [
        ("marketplace", "0001_initial"),
        ("accounts", "0003_worker_identities"),
    ]

    operations = [migrations.RunPython(record_identities, migrations.RunPython.noop)]
