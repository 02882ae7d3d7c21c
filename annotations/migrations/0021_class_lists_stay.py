"""A version of a list of classes stays as it is: Postgres refuses to change one."""

from django.db import migrations

STAY = """
CREATE FUNCTION annotations_class_list_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a version of a list of classes stays as it is; load another version'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER annotations_class_list_stays BEFORE UPDATE ON annotations_classlist
    FOR EACH ROW EXECUTE FUNCTION annotations_class_list_stays();
"""
MAY_CHANGE = """
DROP TRIGGER annotations_class_list_stays ON annotations_classlist;
DROP FUNCTION annotations_class_list_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("annotations", "0020_no_lists_of_types")]

    operations = [migrations.RunSQL(STAY, MAY_CHANGE)]
