"""How far people agree is measured of numbers too, each an aspect of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0023_inputs")]

    operations = [
        migrations.AlterField(
            model_name="kindagreement",
            name="aspect",
            field=models.CharField(
                choices=[
                    ("answer", "the whole answer"),
                    ("spans", "words and types of mentions"),
                    ("canonical", "canonical mentions"),
                    ("links", "links"),
                    ("fluency", "how it reads"),
                    ("redundancy", "repetition"),
                    ("overall", "the mark"),
                    ("edit", "edits (HTER)"),
                    ("any", "whether anything shows it right"),
                    ("average", "the share of evidence for it"),
                ],
                default="answer",
                help_text="Of what an answer says.",
                max_length=16,
            ),
        )
    ]
