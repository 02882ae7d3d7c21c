"""Database objects of this app that Django's models cannot state: an audit log that only grows."""

from django.db.migrations import RunSQL

# An empty table may be truncated: `restore` does so before it reads a backup. Tests, which empty all tables,
# set kbpo.acts_may_be_emptied for their database.
AUDIT_LOG_STAYS = """
CREATE FUNCTION core_act_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is only added to: nothing in it is changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER core_act_stays BEFORE UPDATE OR DELETE ON core_auditentry
    FOR EACH ROW EXECUTE FUNCTION core_act_stays();
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

OPERATIONS = [
    RunSQL(AUDIT_LOG_STAYS, "DROP FUNCTION core_act_stays() CASCADE; DROP FUNCTION core_acts_stay() CASCADE"),
    # Counts of requests need no write to the disk, and nobody misses them after a crash.
    RunSQL("ALTER TABLE core_requestcount SET UNLOGGED", "ALTER TABLE core_requestcount SET LOGGED"),
]
