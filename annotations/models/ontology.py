"""Ontologies: each version once, as it is for good."""

from django.db import models
from django.db.models.functions import Cast, Concat

#: Of a text, in hexadecimal, as Postgres computes it.
SHA256 = "encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"


class OntologyVersion(models.Model):
    """A version of an ontology. Postgres refuses to change one."""

    reference = models.CharField(primary_key=True, max_length=48, help_text="As in tac-kbp@1.")
    name = models.CharField(max_length=40)
    version = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of its content.")
    content = models.TextField(help_text="Its normal form.")
    loaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "version"]
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="ontology_version_once"),
            models.CheckConstraint(
                condition=models.Q(
                    reference=Concat(
                        "name",
                        models.Value("@"),
                        Cast("version", models.TextField()),
                        output_field=models.TextField(),
                    )
                ),
                name="ontology_version_reference",
            ),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="ontology_version_from_1"),
            models.CheckConstraint(
                condition=models.Q(
                    digest=models.Func("content", template=SHA256, output_field=models.TextField())
                ),
                name="ontology_version_digest",
            ),
        ]

    def __str__(self) -> str:
        return self.reference
