from django.db import migrations

# A table without rows may be emptied: so is one that a backup is about to be read into. Tests, which empty all
# tables, say so for their database.
REFUSE = """
CREATE FUNCTION core_acts_stay() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    has_rows boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.%I)', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO has_rows;
    IF has_rows AND current_setting('kbpo.acts_may_be_emptied', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'the audit log is only added to: it is not emptied'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER core_acts_stay BEFORE TRUNCATE ON core_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION core_acts_stay();
"""
ADMIT = """
DROP TRIGGER core_acts_stay ON core_auditentry;
DROP FUNCTION core_acts_stay();
"""


class Migration(migrations.Migration):
    dependencies = [("core", "0003_acts")]

    operations = [migrations.RunSQL(REFUSE, ADMIT)]
