"""What systems write from: the inputs of a data set of generated text, and what is asked of its outputs."""

from django.db import models

from annotations.models.corpus import Corpus, Document


class Prompt(models.Model):
    """What people are asked about the outputs for a corpus' inputs, and what its samples are planned with."""

    class Name(models.TextChoices):
        QUALITY = "quality", "how good a text is"
        ANSWER = "answer", "whether an answer is right"

    corpus = models.OneToOneField(Corpus, on_delete=models.PROTECT, related_name="prompt")
    name = models.CharField(max_length=16, choices=Name)
    metric = models.CharField(
        max_length=64,
        blank=True,
        help_text="The metric by which judgements are corrected: built in, or a column that systems submit;"
        " empty: none.",
    )
    planning = models.JSONField(
        default=dict,
        help_text="How outputs and judgements are expected to vary, by measure: variance_outputs,"
        " variance_judgements and correlation. What is left out is as was found elsewhere.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(name__in=["quality", "answer"]), name="prompt_name")
        ]

    def __str__(self) -> str:
        return f"{self.corpus.tag}: {self.name}"


class Input(models.Model):
    """What a system is given: a document, with the parts of its text and texts that people wrote for it."""

    document = models.OneToOneField(
        Document, on_delete=models.PROTECT, primary_key=True, related_name="given"
    )
    question = models.JSONField(null=True, help_text="Its start and end in the text; empty: none.")
    passages = models.JSONField(default=list, help_text="The start and end of each.")
    references = models.JSONField(default=list, help_text="Texts to which outputs are compared.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of all three as loaded.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="input_digest")
        ]

    def __str__(self) -> str:
        return str(self.document)
