from django.db import migrations

FILL = (
    "INSERT INTO annotations_competitor (corpus_id, team_id)"
    " SELECT DISTINCT corpus_id, team_id FROM evaluation_submission ORDER BY corpus_id, team_id"
    " ON CONFLICT DO NOTHING"
)
# Rows that were just written have constraints to be checked, and no table can be altered before that.
CHECKED = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
# Whose team is not known to compete could be judged by its members: no row says so.
REQUIRE = (
    "ALTER TABLE evaluation_submission ADD CONSTRAINT submission_by_competitor"
    " FOREIGN KEY (corpus_id, team_id) REFERENCES annotations_competitor (corpus_id, team_id)"
    " DEFERRABLE INITIALLY DEFERRED"
)


class Migration(migrations.Migration):
    """Every team that has a submission in a corpus competes there, and none has one that does not."""

    dependencies = [
        ("annotations", "0009_competitors"),
        ("evaluation", "0013_scores_are_rows"),
    ]

    operations = [
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(CHECKED, migrations.RunSQL.noop),
        migrations.RunSQL(
            REQUIRE, "ALTER TABLE evaluation_submission DROP CONSTRAINT submission_by_competitor"
        ),
    ]
