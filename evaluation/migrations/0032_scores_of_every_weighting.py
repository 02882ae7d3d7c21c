from typing import Any

from django.db import migrations


def score_again(apps: Any, _: Any) -> None:
    """Have corpora with independent draws scored again: until now they had scores of one weighting."""
    epochs = apps.get_model("evaluation", "Epoch").objects
    epochs.filter(corpus__design="iid", released_at=None, scores__isnull=False).update(scores_due=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0031_standards")]

    operations = [migrations.RunPython(score_again, migrations.RunPython.noop)]
