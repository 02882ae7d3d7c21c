"""What operators may look at: documents, questions, answers and labels. All of it is written by services."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from annotations.models import (
    AcceptedAgreement,
    AcceptedTerms,
    Competitor,
    Corpus,
    CorpusFiles,
    CorpusGuidelines,
    CorpusNews,
    CorpusPhase,
    CorpusRules,
    CorpusTerms,
    DataAgreement,
    Document,
    Input,
    Label,
    MovedDate,
    OntologyVersion,
    Prompt,
    Question,
    Response,
)
from annotations.policies.registry import POLICIES
from kbpo.core.acts import What
from kbpo.core.admin import ReadOnlyAdmin


@admin.register(Corpus)
class CorpusAdmin(ReadOnlyAdmin):
    """Corpora: name, description, quota, when votes suffice may change; what all else follows from not.

    Audits may begin at any time.
    """

    changed_as = What.CORPUS_CHANGED
    list_display = [
        "tag",
        "name",
        "task",
        "language",
        "texts",
        "licence",
        "design",
        "policy",
        "audit_share",
        "weekly_quota",
        "weekly_quota_of_person",
        "created_at",
    ]
    readonly_fields = [
        "tag",
        "task",
        "ontology",
        "classes",
        "language",
        "design",
        "target_half_width",
        "target_level",
        "created_at",
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return them; once there are questions, some policies stay, and a share of audits that is not 0."""
        fields = [*super().get_readonly_fields(request, obj)]
        is_asked = obj is not None and Question.objects.filter(document__corpus=obj).exists()
        policy = None if obj is None else POLICIES.get(obj.policy)  # an unknown one may be put right here
        if policy is not None and policy.measured_votes is not None and is_asked:
            fields.append("policy")  # people are measured by its first votes
        if obj is not None and (obj.design != Corpus.Design.COORDINATED or (is_asked and obj.audit_share)):
            fields.append("audit_share")
        return fields

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admit operators."""
        return self.has_view_permission(request)


@admin.register(Competitor)
class CompetitorAdmin(ReadOnlyAdmin):
    """Which teams compete where, and so do not judge."""

    list_display = ["team", "corpus"]
    list_filter = ["corpus"]
    list_select_related = ["team", "corpus"]
    search_fields = ["team__name"]


@admin.register(DataAgreement)
class DataAgreementAdmin(ReadOnlyAdmin):
    """What teams promise before they read a corpus' texts, version by version."""

    list_display = ["corpus", "version", "written_by", "written_at"]
    list_filter = ["corpus"]
    list_select_related = ["corpus", "written_by"]


@admin.register(AcceptedAgreement)
class AcceptedAgreementAdmin(ReadOnlyAdmin):
    """Which teams have accepted them, and by whom."""

    list_display = ["team", "agreement", "accepted_by", "accepted_at"]
    list_filter = ["agreement__corpus"]
    list_select_related = ["team", "agreement__corpus", "accepted_by"]
    search_fields = ["team__name"]


@admin.register(CorpusRules, CorpusTerms)
class VersionAdmin(ReadOnlyAdmin):
    """Rules of corpora, and terms that teams accept, version by version."""

    list_display = ["corpus", "version", "written_by", "written_at"]
    list_filter = ["corpus"]
    list_select_related = ["corpus", "written_by"]


@admin.register(AcceptedTerms)
class AcceptedTermsAdmin(ReadOnlyAdmin):
    """Which teams have accepted terms, and by whom."""

    list_display = ["team", "terms", "accepted_by", "accepted_at"]
    list_filter = ["terms__corpus"]
    list_select_related = ["team", "terms__corpus", "accepted_by"]
    search_fields = ["team__name"]


@admin.register(CorpusPhase)
class CorpusPhaseAdmin(ReadOnlyAdmin):
    """Phases of corpora: the desk changes them."""

    list_display = ["corpus", "name", "starts_at", "ends_at", "takes_submissions", "most_submissions"]
    list_filter = ["corpus"]
    list_select_related = ["corpus"]


@admin.register(MovedDate)
class MovedDateAdmin(ReadOnlyAdmin):
    """Which dates were moved, when and by whom."""

    list_display = ["corpus", "phase", "which", "before", "after", "moved_by", "moved_at"]
    list_filter = ["corpus"]
    list_select_related = ["corpus", "moved_by"]


@admin.register(CorpusNews)
class CorpusNewsAdmin(ReadOnlyAdmin):
    """News of corpora, those withdrawn too."""

    list_display = ["corpus", "title", "published_at", "mailed_to", "withdrawn_at"]
    list_filter = ["corpus"]
    list_select_related = ["corpus"]


@admin.register(CorpusFiles)
class CorpusFilesAdmin(ReadOnlyAdmin):
    """The files of corpora: their digests, sizes and counts."""

    list_display = ["corpus", "documents", "removed", "texts_size", "texts_digest", "made_at"]
    list_select_related = ["corpus"]


@admin.register(OntologyVersion)
class OntologyVersionAdmin(ReadOnlyAdmin):
    """Ontologies, as they are for good."""

    list_display = ["reference", "digest", "loaded_at"]


@admin.register(CorpusGuidelines)
class CorpusGuidelinesAdmin(ReadOnlyAdmin):
    """What corpora say instead of their ontologies."""

    list_display = ["corpus", "version", "made_by", "made_at"]
    list_filter = ["corpus"]
    list_select_related = ["corpus", "made_by"]


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """Documents."""

    list_display = ["doc_id", "title", "date", "corpus"]
    list_filter = ["corpus"]
    list_select_related = ["corpus"]
    search_fields = ["doc_id", "title"]


@admin.register(Prompt)
class PromptAdmin(ReadOnlyAdmin):
    """What is asked of the outputs of corpora of generated text."""

    list_display = ["corpus", "name", "metric", "planning"]
    list_filter = ["name"]
    list_select_related = ["corpus"]


@admin.register(Input)
class InputAdmin(ReadOnlyAdmin):
    """What systems that write are given."""

    list_display = ["document", "question", "digest"]
    list_filter = ["document__corpus"]
    list_select_related = ["document"]
    search_fields = ["document__doc_id"]


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    """Questions to people."""

    list_display = ["document", "kind", "state", "votes_needed", "asked_at", "settled_at", "published_at"]
    list_filter = ["state", "kind", "document__corpus"]
    list_select_related = ["document"]
    search_fields = ["document__doc_id"]


@admin.register(Response)
class ResponseAdmin(ReadOnlyAdmin):
    """Answers, as they were given."""

    list_display = ["question", "worker", "is_expert", "is_valid", "seconds", "answered_at"]
    list_filter = ["is_expert", "is_valid"]
    list_select_related = ["question__document", "worker"]
    search_fields = ["worker__email"]


@admin.register(Label)
class LabelAdmin(ReadOnlyAdmin):
    """What the answers amount to."""

    list_display = ["question", "claim", "value", "votes_for", "votes", "source"]
    list_filter = ["source", "value", "claim"]
    list_select_related = ["question__document"]
