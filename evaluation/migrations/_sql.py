"""Database objects of this app that Django's models cannot state: keys of two columns, and rows that stay."""

from django.db.migrations import RunSQL

HISTORY_TABLES = (
    "evaluation_edition",
    "evaluation_scorerecord",
)
# An empty table may be truncated: `restore` does so before it reads a backup. Tests, which empty all tables,
# set kbpo.acts_may_be_emptied for their database.
HISTORY_STAYS = """
CREATE FUNCTION evaluation_history_stays() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    has_rows boolean := true;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.%I)', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO has_rows;
        IF NOT has_rows OR current_setting('kbpo.acts_may_be_emptied', true) IS NOT DISTINCT FROM 'on' THEN
            RETURN NULL;
        END IF;
    END IF;
    RAISE EXCEPTION 'the history of scores is only added to: nothing in it is changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
""" + "".join(
    f"""
CREATE TRIGGER evaluation_history_stays BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION evaluation_history_stays();
CREATE TRIGGER evaluation_history_stays_full BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION evaluation_history_stays();
"""
    for table in HISTORY_TABLES
)

#: A team that submits is among the competitors of the corpus, who judge nothing in it; a phase is the corpus's.
SUBMISSION_KEYS = """
ALTER TABLE evaluation_submission ADD CONSTRAINT submission_by_competitor
    FOREIGN KEY (corpus_id, team_id) REFERENCES annotations_competitor (corpus_id, team_id)
    DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE evaluation_submission ADD CONSTRAINT submission_phase_of_corpus
    FOREIGN KEY (corpus_id, phase_id) REFERENCES annotations_corpusphase (corpus_id, id)
    DEFERRABLE INITIALLY DEFERRED;
"""

#: Arrays of floats hardly compress, and trying costs a tenth of a second each time they are stored.
UNCOMPRESSED_ARRAYS = """
ALTER TABLE evaluation_comparison ALTER COLUMN arrays SET STORAGE EXTERNAL;
ALTER TABLE evaluation_unitcolumn ALTER COLUMN data SET STORAGE EXTERNAL;
"""

OPERATIONS = [
    RunSQL(HISTORY_STAYS, "DROP FUNCTION evaluation_history_stays() CASCADE"),
    RunSQL(
        SUBMISSION_KEYS,
        "ALTER TABLE evaluation_submission DROP CONSTRAINT submission_phase_of_corpus;"
        "ALTER TABLE evaluation_submission DROP CONSTRAINT submission_by_competitor",
    ),
    RunSQL(UNCOMPRESSED_ARRAYS, RunSQL.noop),
]
