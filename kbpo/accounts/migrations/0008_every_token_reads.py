"""Every token may read: who may submit, or organise, has to see what became of it."""

from django.db import migrations, models

GIVE = """
UPDATE accounts_apitoken SET scopes = array_prepend('read', scopes) WHERE NOT scopes @> ARRAY['read']::varchar[]
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_api_tokens")]

    operations = [
        migrations.RunSQL(GIVE, migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="apitoken", name="api_token_scopes"),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "submit", "organise"])
                & models.Q(scopes__contains=["read"]),
                name="api_token_scopes",
            ),
        ),
    ]
