"""Database objects of this app that Django's models cannot state: rows that stay, and a key for submissions."""

from django.db.migrations import RunSQL

#: Function, error message, and the triggers that call it: (name, event, table).
IMMUTABLE_ROWS = (
    (
        "annotations_challenge_stays",
        "what a corpus said stays as it was; say something new",
        (
            ("annotations_rules_stay", "UPDATE", "annotations_corpusrules"),
            ("annotations_terms_stay", "UPDATE", "annotations_corpusterms"),
            ("annotations_moved_dates_stay", "UPDATE", "annotations_moveddate"),
            ("annotations_accepted_terms_stay", "UPDATE", "annotations_acceptedterms"),
        ),
    ),
    (
        "annotations_class_list_stays",
        "a version of a list of classes stays as it is; load another version",
        (("annotations_class_list_stays", "UPDATE", "annotations_classlist"),),
    ),
    (
        "annotations_data_agreement_stays",
        "a version of an agreement stays as it is; write another version",
        (("annotations_data_agreement_stays", "UPDATE", "annotations_dataagreement"),),
    ),
    (
        "annotations_guidelines_stay",
        "guidelines that were given stay as they were; give others",
        (("annotations_guidelines_stay", "UPDATE OR DELETE", "annotations_corpusguidelines"),),
    ),
    (
        "annotations_ontology_stays",
        "a version of an ontology stays as it is; load another version",
        (("annotations_ontology_stays", "UPDATE", "annotations_ontologyversion"),),
    ),
    (
        "annotations_prompt_stays",
        "what is asked of the outputs of a corpus stays as it is",
        (("annotations_prompt_stays", "UPDATE", "annotations_prompt"),),
    ),
)


def _refuse_changes(function: str, message: str, triggers: tuple[tuple[str, str, str], ...]) -> RunSQL:
    forwards = f"""
CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{message}'
        USING ERRCODE = 'restrict_violation';
END $$;
"""
    for name, event, table in triggers:
        forwards += (
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {function}();\n"
        )
    return RunSQL(forwards, f"DROP FUNCTION {function}() CASCADE")


OPERATIONS = [
    *(_refuse_changes(*rows) for rows in IMMUTABLE_ROWS),
    # A submission refers to a phase of its own corpus by both columns.
    RunSQL(
        "ALTER TABLE annotations_corpusphase ADD CONSTRAINT corpus_phase_of_corpus UNIQUE (corpus_id, id)",
        "ALTER TABLE annotations_corpusphase DROP CONSTRAINT corpus_phase_of_corpus",
    ),
]
