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
from kbpo.core.admin import ReadOnlyAdmin, register_read_only


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


register_read_only(Competitor, columns="team corpus", filters="corpus", search="team__name")
register_read_only(
    DataAgreement, CorpusRules, CorpusTerms, columns="corpus version written_by written_at", filters="corpus"
)
register_read_only(
    AcceptedAgreement,
    columns="team agreement accepted_by accepted_at",
    filters="agreement__corpus",
    search="team__name",
    related="agreement__corpus",
)
register_read_only(
    AcceptedTerms,
    columns="team terms accepted_by accepted_at",
    filters="terms__corpus",
    search="team__name",
    related="terms__corpus",
)
register_read_only(
    CorpusPhase, columns="corpus name starts_at ends_at takes_submissions most_submissions", filters="corpus"
)
register_read_only(MovedDate, columns="corpus phase which before after moved_by moved_at", filters="corpus")
register_read_only(CorpusNews, columns="corpus title published_at mailed_to withdrawn_at", filters="corpus")
register_read_only(CorpusFiles, columns="corpus documents removed texts_size texts_digest made_at")
register_read_only(OntologyVersion, columns="reference digest loaded_at")
register_read_only(CorpusGuidelines, columns="corpus version made_by made_at", filters="corpus")
register_read_only(Document, columns="doc_id title date corpus", filters="corpus", search="doc_id title")
register_read_only(Prompt, columns="corpus name metric planning", filters="name")
register_read_only(
    Input, columns="document question digest", filters="document__corpus", search="document__doc_id"
)
register_read_only(
    Question,
    columns="document kind state votes_needed asked_at settled_at published_at",
    filters="state kind document__corpus",
    search="document__doc_id",
)
register_read_only(
    Response,
    columns="question worker is_expert is_valid seconds answered_at",
    filters="is_expert is_valid",
    search="worker__email",
    related="question__document",
)
register_read_only(
    Label,
    columns="question claim value votes_for votes source",
    filters="source value claim",
    related="question__document",
)
