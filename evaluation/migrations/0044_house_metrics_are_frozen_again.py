import json
from typing import Any

from django.db import migrations

VERSION = 2


def forget(apps: Any, schema_editor: Any) -> None:
    """Of an earlier form nothing was scored or planned with: an open epoch freezes its own again."""
    frozen = apps.get_model("evaluation", "HouseMetric").objects.exclude(coefficients="")
    for one in frozen.iterator():
        if json.loads(one.coefficients)["version"] < VERSION:
            one.delete()


class Migration(migrations.Migration):
    """House metrics that do not say what each metric is worth are forgotten."""

    dependencies = [("evaluation", "0043_comparisons_are_not_compressed")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
