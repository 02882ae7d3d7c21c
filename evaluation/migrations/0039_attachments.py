"""A file may come with further ones, as its task says; a fault says which of them has it."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

import evaluation.models.attachment


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0038_normalised_digests")]

    operations = [
        migrations.AddField(
            "problem",
            "attachment",
            models.CharField(
                max_length=32,
                blank=True,
                default="",
                help_text="Which file beside it has the fault; empty: itself.",
            ),
        ),
        migrations.CreateModel(
            "Attachment",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=32, help_text="One of the task's.")),
                (
                    "file",
                    models.FileField(
                        blank=True, max_length=300, upload_to=evaluation.models.attachment.attachment_path
                    ),
                ),
                ("digest", models.CharField(max_length=64, help_text="SHA-256 of its bytes.")),
                (
                    "file_check",
                    models.ForeignKey(
                        "evaluation.filecheck",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        null=True,
                        blank=True,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        "evaluation.submission",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        null=True,
                        blank=True,
                    ),
                ),
                (
                    "upload",
                    models.OneToOneField(
                        "evaluation.upload",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attached",
                        null=True,
                        blank=True,
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=["submission", "name"], name="attachment_of_submission"),
                    models.UniqueConstraint(fields=["file_check", "name"], name="attachment_of_check"),
                    models.CheckConstraint(
                        condition=Q(submission__isnull=False, file_check__isnull=True, upload__isnull=True)
                        | Q(submission__isnull=True, file_check__isnull=False, upload__isnull=False, file=""),
                        name="attachment_of_one_file",
                    ),
                    models.CheckConstraint(
                        condition=~Q(name="") & ~Q(digest=""), name="attachment_is_known"
                    ),
                ],
            },
        ),
    ]
