import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

REFUSE = """
CREATE FUNCTION core_act_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is only added to: nothing in it is changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER core_act_stays BEFORE UPDATE OR DELETE ON core_auditentry
    FOR EACH ROW EXECUTE FUNCTION core_act_stays();
"""
ADMIT = """
DROP TRIGGER core_act_stays ON core_auditentry;
DROP FUNCTION core_act_stays();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0002_request_counts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("what", models.CharField(help_text="One of `kbpo.core.acts.What`.", max_length=40)),
                ("kind", models.CharField(blank=True, help_text="Of what kind the object is.", max_length=60)),
                ("about", models.CharField(help_text="The object's id, or its name.", max_length=200)),
                (
                    "before",
                    models.JSONField(default=dict, help_text="The fields that changed, as they were."),
                ),
                ("after", models.JSONField(default=dict, help_text="And as they are since.")),
                (
                    "by",
                    models.ForeignKey(
                        help_text="Empty: somebody at the command line.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "verbose_name_plural": "audit entries",
                "indexes": [models.Index(fields=["at"], name="act_by_time")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("what", ""), _negated=True), models.Q(("about", ""), _negated=True)),
                        name="act_of_something",
                    )
                ],
            },
        ),
        migrations.RunSQL(REFUSE, ADMIT),
    ]
