from django.db import migrations, models



class Migration(migrations.Migration):
    """A question is of any kind that the registry knows, and a label is a number about a named claim."""

    dependencies = [
        ('annotations', '0006_annotation_in_work'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='question',
            name='question_kind',
        ),
        migrations.AlterField(
            model_name='question',
            name='kind',
            field=models.CharField(help_text="Of question: its name.", max_length=16),
        ),
        migrations.AlterField(
            model_name='kindagreement',
            name='kind',
            field=models.CharField(help_text="Of question: its name.", max_length=16),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(('kind', ''), _negated=True), name='question_kind'),
        ),
        migrations.RemoveConstraint(
            model_name='label',
            name='label_once',
        ),
        migrations.RemoveConstraint(
            model_name='label',
            name='label_subject',
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                # One rewrite of the table for all of it. What a canonical question's one label was about had no
                # name; a relation's was its predicate, and which of the two mentions was its subject.
                migrations.RunSQL(
                    """
                    ALTER TABLE annotations_label
                        ALTER COLUMN value TYPE double precision USING value::int,
                        ALTER COLUMN predicate TYPE varchar(128)
                            USING CASE WHEN predicate = '' THEN 'right' ELSE predicate || '|' || subject END;
                    ALTER TABLE annotations_label RENAME COLUMN predicate TO claim;
                    ALTER TABLE annotations_label DROP COLUMN subject;
                    """,
                    """
                    ALTER TABLE annotations_label ADD COLUMN subject smallint NOT NULL DEFAULT 0
                        CHECK (subject >= 0);
                    ALTER TABLE annotations_label ALTER COLUMN subject DROP DEFAULT;
                    ALTER TABLE annotations_label RENAME COLUMN claim TO predicate;
                    UPDATE annotations_label
                        SET subject = substring(predicate from '[0-9]+$')::smallint WHERE predicate <> 'right';
                    ALTER TABLE annotations_label
                        ALTER COLUMN value TYPE boolean USING value = 1,
                        ALTER COLUMN predicate TYPE varchar(64) USING CASE
                            WHEN predicate = 'right' THEN '' ELSE regexp_replace(predicate, '[|][0-9]+$', '') END;
                    """,
                ),
            ],
            state_operations=[
                migrations.RemoveField(
                    model_name='label',
                    name='subject',
                ),
                migrations.RenameField(
                    model_name='label',
                    old_name='predicate',
                    new_name='claim',
                ),
                migrations.AlterField(
                    model_name='label',
                    name='claim',
                    field=models.CharField(help_text="What it is about, as the question's kind names it.", max_length=128),
                ),
                migrations.AlterField(
                    model_name='label',
                    name='value',
                    field=models.FloatField(help_text='Of a verdict 1, it holds, or 0, it does not.'),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.UniqueConstraint(fields=('question', 'claim'), name='label_once'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.CheckConstraint(condition=models.Q(('claim', ''), _negated=True), name='label_claim'),
        ),
    ]
