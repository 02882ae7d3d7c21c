"""Labels are corrected no more: audits correct scores (docs/adr/0053)."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotations", "0016_audit_keys")]

    operations = [migrations.RemoveField("label", "corrected")]
