"""Submissions have the addresses of a paper and of code."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0045_leaderboards")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="paper_url",
            field=models.URLField(blank=True, default="", max_length=500, verbose_name="address of a paper"),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="submission",
            name="code_url",
            field=models.URLField(blank=True, default="", max_length=500, verbose_name="address of code"),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=(Q(paper_url="") | Q(paper_url__startswith="https://"))
                & (Q(code_url="") | Q(code_url__startswith="https://")),
                name="submission_links_https",
            ),
        ),
    ]
