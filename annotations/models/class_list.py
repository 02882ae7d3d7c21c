"""The classes among which systems and people choose."""

from django.db import models


class ClassList(models.Model):
    """A version of a list of classes. It never changes: another is another version."""

    name = models.CharField(max_length=64)
    version = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of all that it says.")
    cannot_tell = models.BooleanField(help_text="Whether people may answer that they cannot tell.")
    classes = models.JSONField(help_text="Name and guideline of each, in order.")

    class Meta:
        ordering = ["name", "version"]
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="class_list_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="class_list_name"),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="class_list_version"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"

    @property
    def names(self) -> list[str]:
        """The names of the classes, in order."""
        return [name for name, _ in self.classes]
