from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """The scores of one choice are found by an index, which also says which standards scores go by.

    It is made while the site goes on.
    """

    atomic = False

    dependencies = [("evaluation", "0053_archives")]

    operations = [
        AddIndexConcurrently(
            model_name="score",
            index=models.Index(
                fields=["epoch", "standard", "part", "weighting", "estimator", "level"],
                name="score_by_choice",
            ),
        ),
        RemoveIndexConcurrently(model_name="score", name="score_by_standard"),
    ]
